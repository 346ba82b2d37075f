/** The port of the Kubernetes API on a real API server. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { LEASE } from '#operator/leader/lease.ts';
import type { OpenKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';
import { describeUnless } from '../cluster/needs.ts';
import {
  missingForKubernetes,
  openTestKubernetes,
  type TestKubernetes,
} from '../cluster/test-kubernetes.ts';
import { mapOf, MAPS, openTestApi, OWN_MAPS, startCountedLine } from './informer-fixture.ts';

const APPLY = { fieldManager: 'first', force: false };

describeUnless(await missingForKubernetes())('the client of the API server', () => {
  let cluster: TestKubernetes;
  let api: OpenKubernetesApi;
  let namespace: string;
  beforeAll(async () => {
    cluster = await openTestKubernetes();
    api = openTestApi(cluster.kubeconfig);
    namespace = await cluster.createNamespace();
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  const place = (name: string) => ({ namespace, name });
  const versionOf = ({ metadata }: KubernetesObject) => metadata.resourceVersion ?? '';
  async function refusal(work: Promise<unknown>) {
    const error: unknown = await work.then(
      () => null,
      (failure: unknown) => failure,
    );
    if (error instanceof VarveError) return { code: error.code, ...error.details };
    throw new Error('The server refused nothing.', { cause: error });
  }

  test('many requests share a few connections', async () => {
    await using line = await startCountedLine(cluster.kubeconfig, api.server);
    await using client = openTestApi(line.kubeconfig);
    for (let request = 0; request < 100; request += 1) {
      expect(await client.get(MAPS, place('none'))).toBeNull();
    }
    expect(line.opened()).toBeLessThanOrEqual(3);
    await Promise.all(Array.from({ length: 100 }, () => client.get(MAPS, place('none'))));
    expect(line.opened()).toBeLessThanOrEqual(32);
  });

  test('applying the same object again changes nothing', async () => {
    const first = await api.apply(MAPS, mapOf(namespace, 'again', '1'), APPLY);
    const second = await api.apply(MAPS, mapOf(namespace, 'again', '1'), APPLY);
    expect(versionOf(second)).toBe(versionOf(first));
    const third = await api.apply(MAPS, mapOf(namespace, 'again', '2'), APPLY);
    expect(versionOf(third)).not.toBe(versionOf(first));
  });

  test('a conflict names the fields of another owner, and force takes them over', async () => {
    await api.apply(MAPS, mapOf(namespace, 'owned', '1'), APPLY);
    const other = { fieldManager: 'second', force: false };
    const conflict = await refusal(api.apply(MAPS, mapOf(namespace, 'owned', '2'), other));
    expect(conflict).toEqual({
      code: 'CONFLICT',
      httpStatus: 409,
      reason: 'Conflict',
      causes: [{ field: '.data.value', reason: 'FieldManagerConflict' }],
    });
    const taken = await api.apply(MAPS, mapOf(namespace, 'owned', '2'), { ...other, force: true });
    expect(taken['data']).toEqual({ value: '2' });
  });

  test('a write over an outdated version is refused', async () => {
    const first = await api.create(MAPS, mapOf(namespace, 'versions', '1'));
    const old = { resourceVersion: versionOf(first) };
    await api.replace(MAPS, mapOf(namespace, 'versions', '2', old));
    const late = mapOf(namespace, 'versions', '3', old);
    const conflict = { code: 'CONFLICT', httpStatus: 409, reason: 'Conflict' };
    expect(await refusal(api.replace(MAPS, late))).toEqual(conflict);
    expect(await refusal(api.apply(MAPS, late, { ...APPLY, force: true }))).toEqual(conflict);
    expect(await refusal(api.delete(MAPS, place('versions'), old))).toEqual(conflict);
    const { uid = '' } = first.metadata;
    expect(await refusal(api.delete(MAPS, place('versions'), { uid: `${uid}0` }))).toEqual(
      conflict,
    );
    expect((await api.get(MAPS, place('versions')))?.['data']).toEqual({ value: '2' });
    await api.delete(MAPS, place('versions'), { uid });
    expect(await api.get(MAPS, place('versions'))).toBeNull();
    await api.delete(MAPS, place('versions'));
  });

  test('an existing object is not created again', async () => {
    await api.create(MAPS, mapOf(namespace, 'twice', '1'));
    const second = await refusal(api.create(MAPS, mapOf(namespace, 'twice', '2')));
    expect(second).toEqual({ code: 'CONFLICT', httpStatus: 409, reason: 'AlreadyExists' });
  });

  test('a patch whose test fails is a conflict and changes nothing', async () => {
    await api.create(MAPS, mapOf(namespace, 'patched', '1'));
    const change = (from: string, to: string) => ({
      operations: [
        { op: 'test', path: '/data/value', value: from },
        { op: 'replace', path: '/data/value', value: to },
      ] as const,
    });
    const done = await api.patch(MAPS, place('patched'), change('1', '2'));
    expect(done['data']).toEqual({ value: '2' });
    const failed = await refusal(api.patch(MAPS, place('patched'), change('1', '3')));
    expect(failed).toEqual({ code: 'CONFLICT', httpStatus: 422, reason: 'PatchRefused' });
    const missing = { operations: [{ op: 'remove', path: '/data/other' }] as const };
    expect(await refusal(api.patch(MAPS, place('patched'), missing))).toEqual(failed);
    expect((await api.get(MAPS, place('patched')))?.['data']).toEqual({ value: '2' });
    // A value that is wrong is no such conflict: reading again would not help.
    const wrong = { operations: [{ op: 'add', path: '/data/not allowed', value: 'x' }] as const };
    const rejected = await refusal(api.patch(MAPS, place('patched'), wrong));
    expect(rejected).toMatchObject({ code: 'PROVIDER_REJECTED', reason: 'Invalid' });
  });

  test('an unknown field is refused', async () => {
    const unknown = { ...mapOf(namespace, 'strict', '1'), spec: { depth: 1 } };
    expect(await refusal(api.create(MAPS, unknown))).toMatchObject({ httpStatus: 400 });
    expect(await refusal(api.apply(MAPS, unknown, APPLY))).toMatchObject({ httpStatus: 500 });
    expect(await api.get(MAPS, place('strict'))).toBeNull();
  });

  test('the times of a Lease are kept to the microsecond', async () => {
    const lease = (name: string, renewTime: string) => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: place(name),
      spec: { holderIdentity: 'a', leaseDurationSeconds: 15, renewTime },
    });
    const time = '2026-11-22T08:00:00.123456Z';
    await api.create(LEASE, lease('precise', time));
    const read = await api.get(LEASE, place('precise'));
    expect(read?.['spec']).toMatchObject({ renewTime: time });
    const short = lease('short', '2026-11-22T08:00:00.123Z');
    expect(await refusal(api.create(LEASE, short))).toMatchObject({ httpStatus: 400 });
  });

  test('pages show one point in time, and an invalid continue token is refused', async () => {
    const own = await cluster.createNamespace();
    const names = Array.from({ length: 7 }, (_none, at) => `map-${String(at)}`);
    await Promise.all(names.map((name) => api.create(MAPS, mapOf(own, name, '1'))));
    const options = { namespace: own, fieldSelector: OWN_MAPS, limit: 3 };
    const first = await api.list(MAPS, options);
    await api.delete(MAPS, { namespace: own, name: 'map-6' });
    const pages = [first];
    for (let page = first; page.continueToken !== null;) {
      page = await api.list(MAPS, { ...options, continueToken: page.continueToken });
      pages.push(page);
    }
    const listed = pages.flatMap(({ items }) => items);
    expect(listed.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(new Set(pages.map(({ resourceVersion }) => resourceVersion)).size).toBe(1);
    // Items of a list come without them.
    expect(new Set(listed.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`))).toEqual(
      new Set(['v1 ConfigMap']),
    );
    const wrong = await refusal(api.list(MAPS, { ...options, continueToken: 'none' }));
    expect(wrong).toMatchObject({ code: 'PROVIDER_REJECTED', httpStatus: 400 });
  });

  test('a user without permissions gets FORBIDDEN', async () => {
    await using stranger = openTestApi(await cluster.userKubeconfig('stranger', []));
    expect(await refusal(stranger.get(MAPS, place('any')))).toMatchObject({
      code: 'FORBIDDEN',
      httpStatus: 403,
      reason: 'Forbidden',
    });
  });

  test('a kind that is not installed is an error, not an empty answer', async () => {
    const unknown = { ...MAPS, group: 'not.installed', kind: 'Nothing', plural: 'nothings' };
    const expected = { code: 'NOT_FOUND', httpStatus: 404 };
    expect(await refusal(api.get(unknown, place('any')))).toMatchObject(expected);
    expect(await refusal(api.list(unknown, {}))).toMatchObject(expected);
  });
});
