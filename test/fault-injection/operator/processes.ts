/** Two processes of `varve operator` on one store: the leader dies or freezes. */
import type { KubernetesApi } from '#core/ports/kubernetes-api.ts';
import { LEASE } from '#operator/leader/lease.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { startVarve, temporaryFolder } from '../../e2e/varve-process.ts';
import { findings } from '../refresh/scenario.ts';
import { ERASED_TENANT, objectOf, specify } from './declared.ts';
import type { OperatorScenario, OperatorScenarioPlace } from './scenario.ts';
import { eventually, openHarness } from './harness.ts';

const LEASE_NAME = 'varve-operator';
/** Of a process that lost its Lease, as CONFLICT has it (docs/errors.md). */
const LOST_STATUS = 5;
const NAME = ERASED_TENANT;

export const PROCESSES: readonly OperatorScenario[] = [
  {
    id: 'replica-killed',
    family: 'Leaders',
    requirement: 'K8S-03',
    shows: 'if the leading process is killed, the other one takes over',
    run: (place) => takenOver(place, 'SIGKILL'),
  },
  {
    id: 'replica-frozen',
    family: 'Leaders',
    requirement: 'K8S-03',
    shows: 'a process that was frozen for longer than its Lease ends and changes nothing',
    run: (place) => takenOver(place, 'SIGSTOP'),
  },
];

async function takenOver(
  { plane, temporal, seed }: OperatorScenarioPlace,
  signal: 'SIGKILL' | 'SIGSTOP',
): Promise<readonly string[]> {
  await using harness = await openHarness({ cluster: plane, temporal, seed });
  await using folder = await temporaryFolder();
  const { api, namespace } = harness;
  const start = () =>
    startVarve([
      ...['operator', '--data-dir', folder.path, '--kubeconfig', plane.kubeconfig],
      ...['--namespace', namespace, '--watch-namespace', namespace, '--lease-name', LEASE_NAME],
    ]);
  await api.create(MEMORY_TENANT, objectOf(MEMORY_TENANT, { namespace, name: NAME }, {}));
  await using first = start();
  await eventually('the first policy', () => appliedTokens(api, namespace, 'no limit'));
  const before = await holderOf(api, namespace);
  await using second = start();
  first.kill(signal);
  await specify(api, MEMORY_TENANT, { namespace, name: NAME, spec: { budget: { tokens: 7 } } });
  await eventually('the second leader', async () =>
    (await holderOf(api, namespace)) === before ? null : true,
  );
  await eventually('the second policy', () => appliedTokens(api, namespace, 'of 7'));
  const found = findings();
  const versionOf = async () =>
    (await api.get(MEMORY_TENANT, { namespace, name: NAME }))?.metadata.resourceVersion;
  const version = await versionOf();
  if (signal === 'SIGSTOP') {
    first.kill('SIGCONT');
    const { status } = await first.ended;
    found.expect(status === LOST_STATUS, `the first one ended with ${String(status)}`);
    found.expect((await versionOf()) === version, 'the first one wrote when it woke');
  }
  second.kill('SIGTERM');
  const { status } = await second.ended;
  found.expect(status === 0, `the second one ended with ${String(status)}`);
  return found.list;
}

async function holderOf(api: KubernetesApi, namespace: string): Promise<unknown> {
  const lease = await api.get(LEASE, { namespace, name: LEASE_NAME });
  return (lease?.['spec'] as { readonly holderIdentity?: unknown } | undefined)?.holderIdentity;
}

/** What a person sees of the budget, which is there once the policy is in force. */
async function appliedTokens(
  api: KubernetesApi,
  namespace: string,
  words: string,
): Promise<true | null> {
  const object = await api.get(MEMORY_TENANT, { namespace, name: NAME });
  const status = object?.['status'] as
    | { readonly budget?: { readonly summary?: string } }
    | undefined;
  return status?.budget?.summary?.includes(words) === true ? true : null;
}
