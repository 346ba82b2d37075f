/**
 * The API server of a test run: the one that test/run.ts started (or a person, by
 * VARVE_TEST_KUBECONFIG), or one of its own for a test file that is run by itself.
 */
import { randomBytes } from 'node:crypto';
import path from 'node:path';

import { DEFINITIONS } from '#crds/kinds-and-columns.ts';
import { createCluster, type Cluster } from './control-plane/cluster.ts';
import { missingForControlPlane } from './control-plane/programs.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';

export interface TestKubernetes extends Cluster, AsyncDisposable {
  /** A namespace of this test alone; it is deleted when the test's cluster is closed. */
  createNamespace(): Promise<string>;
}

/** Names the kubeconfig; the authority that makes users lies in the same folder. */
export const TEST_KUBECONFIG = 'VARVE_TEST_KUBECONFIG';

const CRDS = path.resolve(import.meta.dirname, '../../charts/varve/resources');
const NAME_BYTES = 5;

/** What this machine lacks to run them, in words for a person; null where it lacks nothing. */
export async function missingForKubernetes(): Promise<string | null> {
  return givenKubeconfig() === null ? missingForControlPlane() : null;
}

/**
 * The one API server of a whole test run; null where a person has given one, or where it can't be
 * built, so that the tests skip themselves.
 */
export async function startRunKubernetes(): Promise<ControlPlane | null> {
  const isNeeded = givenKubeconfig() === null && (await missingForKubernetes()) === null;
  return isNeeded ? startControlPlane() : null;
}

/** Joins the API server of the run, or starts one. */
export async function openTestKubernetes(): Promise<TestKubernetes> {
  await using held = new AsyncDisposableStack();
  const given = givenKubeconfig();
  const cluster =
    given === null
      ? held.use(await startControlPlane())
      : createCluster(given, path.dirname(given));
  const namespaces: string[] = [];
  held.defer(async () => {
    if (namespaces.length === 0) return;
    await cluster.kubectl(['delete', 'namespace', '--wait=false', ...namespaces]);
  });
  const kept = held.move();
  return {
    ...cluster,
    createNamespace: async () => {
      const name = `test-${randomBytes(NAME_BYTES).toString('hex')}`;
      await cluster.run(['create', 'namespace', name]);
      namespaces.push(name);
      return name;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** Installs the printed definitions, and waits until they are served; once for each API server. */
export async function installDefinitions({ run }: Pick<Cluster, 'run'>): Promise<void> {
  const files = DEFINITIONS.map(({ type }) => `-f=${path.join(CRDS, `${type.plural}.yaml`)}`);
  const names = DEFINITIONS.map(({ type: { plural, group } }) => `crd/${plural}.${group}`);
  await run(['apply', '--server-side', '--force-conflicts', ...files]);
  await run(['wait', '--for=condition=Established', '--timeout=60s', ...names]);
}

function givenKubeconfig(): string | null {
  const file = process.env[TEST_KUBECONFIG] ?? '';
  return file === '' ? null : path.resolve(file);
}
