/** The erasure of a tenant whose file was removed belongs to the folder, not to one process. */
import { describe, expect, test } from 'vitest';
import type { Store } from '#core/ports/store.ts';
import { ERASE_AFTER_MS } from '#operator/folder/removed-resources.ts';
import { tenant } from '../crds/policy-files.ts';
import { looking, paused } from './folder-processes.ts';
import { changedScope, NOW } from './policy-store.ts';

const ERASE = tenant('reclaimPolicy: Erase');
const FILES = { 'a.yaml': ERASE, 'b.yaml': tenant('{}', 'beta') };
const ERASES_AT = NOW + ERASE_AFTER_MS;
const SCOPES = 3;

/** A process that applied the files; the tenant has memories then. */
async function applied(files: Readonly<Record<string, string>> = FILES) {
  const it = await looking(files);
  await it.look();
  for (const tenantId of ['acme', 'beta']) {
    for (let n = 0; n < SCOPES; n += 1) {
      await changedScope(it.store, { tenant: tenantId, layer: 'user', scopeId: `u-${n}` }, 1);
    }
  }
  const left = async (id = 'acme') => (await it.store.scopes.list(id, 10)).length;
  return { ...it, left, record: () => it.store.policies.get('acme') };
}

/** Its file was removed, and a process that saw it ended after that. */
async function removed(files?: Readonly<Record<string, string>>) {
  const it = await applied(files);
  await it.remove('a.yaml');
  await it.look();
  return it;
}

describe('a process that begins after the file of a tenant with Erase was seen to go', () => {
  test('erases the tenant at the time that the release named, and nothing else', async () => {
    const it = await removed();
    it.time.now = ERASES_AT - 1;
    const look = it.start();
    const waiting = { kind: 'Released', tenant: 'acme', erasesAt: ERASES_AT };
    expect((await look()).outcomes.at(-1)).toEqual(waiting);
    expect(await it.left()).toBe(SCOPES);
    it.time.now = ERASES_AT;
    expect((await look()).outcomes.at(-1)).toEqual({ kind: 'Erased', tenant: 'acme' });
    expect([await it.record(), await it.left(), await it.left('beta')]).toEqual([null, 0, SCOPES]);
    expect((await look()).outcomes).toMatchObject([{ kind: 'Kept', tenant: 'beta' }]);
  });

  test('erases it at once if the time has passed', async () => {
    const it = await removed();
    it.time.now = ERASES_AT + 86_400_000;
    expect((await it.start()()).outcomes.at(-1)).toEqual({ kind: 'Erased', tenant: 'acme' });
    expect([await it.record(), await it.left()]).toEqual([null, 0]);
  });

  test('goes on until everything is erased, wherever the process before it was killed', async () => {
    let finished = 0;
    for (let call = 1; finished < 2; call += 1) {
      for (const moment of ['before', 'after'] as const) {
        const it = await applied();
        const look = it.start();
        await look();
        await it.remove('a.yaml');
        const death = dyingAt(it.store, call, moment);
        const first = await life(it, () => look(death.store));
        if (first === 'Alive') finished += 1;
        const isRecorded = (await it.record())?.releasedAt !== null;
        const end = await life(it, it.start());
        const place = `${moment} call ${String(call)}`;
        expect([place, end]).toEqual([place, 'Alive']);
        // Only a process that died before it recorded anything leaves the tenant as it was.
        const left = [(await it.record()) === null, await it.left()];
        expect([place, left]).toEqual([place, isRecorded ? [true, 0] : [false, SCOPES]]);
      }
    }
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['its file is back', { 'a.yaml': ERASE }],
    ['its file is back with Retain', { 'a.yaml': tenant('{}') }],
    ['another resource has the tenant', { 'c.yaml': tenant('tenantId: acme', 'renamed') }],
    ['its file is back, paused', { 'a.yaml': paused(ERASE) }],
    [
      'another resource has the tenant, paused',
      { 'c.yaml': paused(tenant('tenantId: acme', 'renamed')) },
    ],
  ])('keeps it if %s, also if that goes again while no process runs', async (_, files) => {
    const it = await removed();
    for (const [name, text] of Object.entries(files)) await it.write(name, text);
    it.time.now = ERASES_AT - 1;
    await it.start()();
    for (const name of Object.keys(files)) await it.remove(name);
    it.time.now = ERASES_AT;
    const look = it.start();
    await look();
    it.time.now += ERASE_AFTER_MS;
    await look();
    expect(await it.left()).toBe(SCOPES);
    expect((await it.record())?.erasesAt).toBeUndefined();
  });

  test.each<[string, (it: Awaited<ReturnType<typeof applied>>) => Promise<unknown>]>([
    ['went unseen', (it) => it.remove('a.yaml')],
    [
      'went while it was paused',
      async ({ look, write, remove }) => {
        await write('a.yaml', paused(ERASE));
        await look();
        await remove('a.yaml');
        await look();
      },
    ],
    [
      'went with Retain',
      async ({ look, write, remove }) => {
        await write('a.yaml', tenant('{}'));
        await look();
        await remove('a.yaml');
        await look();
      },
    ],
    [
      'was released by a process that recorded no time',
      async ({ store, record, remove }) => {
        await remove('a.yaml');
        const { owner } = (await record()) ?? {};
        if (owner !== undefined) await store.policies.release('acme', owner, { now: NOW });
      },
    ],
    [
      'was moved to another namespace',
      async ({ look, store, remove }) => {
        await remove('a.yaml');
        await look();
        await store.policies.move('acme', 'team-b');
      },
    ],
  ])('erases nothing of a tenant whose file %s', async (_, went) => {
    const it = await applied();
    await went(it);
    const look = it.start();
    await look();
    it.time.now = ERASES_AT;
    await look();
    it.time.now += ERASE_AFTER_MS;
    await look();
    expect([await it.left(), await it.left('beta')]).toEqual([SCOPES, SCOPES]);
  });

  test('erases it before a resource of another namespace gets the name', async () => {
    const it = await removed();
    const other = tenant('tenantId: acme', 'other').replace(
      'metadata:\n',
      'metadata:\n  namespace: team-b\n',
    );
    await it.write('c.yaml', other);
    const look = it.start();
    expect((await look()).outcomes).toMatchObject([
      { kind: 'Kept', tenant: 'beta' },
      { kind: 'Refused', tenant: 'acme' },
      { kind: 'Released', tenant: 'acme', erasesAt: ERASES_AT },
    ]);
    it.time.now = ERASES_AT;
    await look();
    expect([await it.record(), await it.left()]).toEqual([null, 0]);
    await look();
    expect((await it.record())?.owner.namespace).toBe('team-b');
  });

  test.each([
    ['of another installation', { clusterId: 'another' }],
    ['that applies the folder once', { lastRead: undefined }],
  ])('erases nothing if it is one %s', async (_, options) => {
    const it = await removed();
    it.time.now = ERASES_AT;
    await it.start(options)();
    expect(await it.left()).toBe(SCOPES);
  });

  test('erases nothing while the folder is empty or has a mistake', async () => {
    const it = await removed();
    it.time.now = ERASES_AT;
    const look = it.start();
    await it.remove('b.yaml');
    await expect(look()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await it.write('b.yaml', tenant('budget: { tokens: many }', 'beta'));
    await expect(look()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await it.left()).toBe(SCOPES);
    await it.write('b.yaml', FILES['b.yaml']);
    await look();
    expect(await it.left()).toBe(0);
  });

  test('neither releases nor erases what another process claims again meanwhile', async () => {
    const it = await removed();
    it.time.now = ERASES_AT;
    const before = await it.store.policies.list(10);
    const look = it.start();
    await it.write('a.yaml', ERASE);
    await it.start()();
    await it.remove('a.yaml');
    const list = () => Promise.resolve(before);
    const { outcomes } = await look({ policies: { ...it.store.policies, list } });
    expect(outcomes.at(-1)).toMatchObject({ kind: 'Failed', tenant: 'acme', code: 'CONFLICT' });
    expect([(await it.record())?.releasedAt, await it.left()]).toEqual([null, SCOPES]);
  });
});

/** Looks until the time of the erasure, and then until nothing is left to do. */
async function life(
  { time }: { readonly time: { now: number } },
  look: () => Promise<unknown>,
): Promise<'Alive' | 'Dead'> {
  try {
    for (const now of [NOW, ERASES_AT - 1]) {
      time.now = now;
      await look();
    }
    time.now = ERASES_AT;
    for (let looks = 0; looks < 5; looks += 1) await look();
    return 'Alive';
  } catch (error) {
    if (error instanceof Death) return 'Dead';
    throw error;
  } finally {
    time.now = NOW;
  }
}

class Death extends Error {}

/**
 * A store that dies at a call that writes, before or after its effect; each step of an erasure
 * deletes one record.
 */
function dyingAt(store: Store, fatalCall: number, moment: 'before' | 'after') {
  let calls = 0;
  const mortal = async <T>(call: () => Promise<T>): Promise<T> => {
    calls += 1;
    if (calls > fatalCall || (calls === fatalCall && moment === 'before')) throw new Death();
    const answer = await call();
    if (calls === fatalCall) throw new Death();
    return answer;
  };
  const policies: Store['policies'] = {
    ...store.policies,
    release: (...input) => mortal(() => store.policies.release(...input)),
  };
  const eraseTenant: Store['eraseTenant'] = (id, request) =>
    mortal(() => store.eraseTenant(id, { ...request, limit: 1 }));
  return { store: { policies, eraseTenant } };
}
