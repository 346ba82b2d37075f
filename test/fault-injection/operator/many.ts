/** A start next to many resources asks the server for no more than the operator's own limits. */
import type { KubernetesApi } from '#core/ports/kubernetes-api.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { REQUEST_BURST, REQUESTS_PER_SECOND } from '#providers/kubernetes/request-limiter.ts';
import { findings } from '../refresh/scenario.ts';
import { inTurns } from './settled.ts';
import { objectOf } from './declared.ts';
import { isSeen } from './end-state.ts';
import type { OperatorScenario } from './scenario.ts';
import { eventually, openHarness } from './harness.ts';

/** Finalizer, status, and an event about it. */
const REQUESTS_PER_RESOURCE_MAX = 4;
/** Lists, watches and the Lease. */
const REQUESTS_BESIDE_MAX = 200;
const AT_ONCE = 16;
const SECOND_MS = 1_000;
/**
 * The limit holds where a request is sent. On a machine with much to do the first of a span may
 * arrive late, so that more arrive within the span than were sent in it.
 */
const LATE_MS_MAX = 1_000;
/** Several times what the limit of requests asks for. */
const MS_PER_RESOURCE_MAX = 2_000;

export const MANY: readonly OperatorScenario[] = [
  {
    id: 'many-at-start',
    family: 'Many',
    requirement: 'K8S-03',
    shows: 'a start with a thousand resources stays within its request limit',
    run: async ({ plane, temporal, scale, seed }) => {
      const count = scale === 'Full' ? 1_000 : 60;
      await using harness = await openHarness({ cluster: plane, temporal, seed });
      const { api, namespace, proxy, store } = harness;
      await createTenants(api, namespace, count);
      await using _operator = harness.start();
      const areSeen = async () => ((await isSeen(api, namespace)) ? true : null);
      await eventually('the last status', areSeen, count * MS_PER_RESOURCE_MAX);

      const found = findings();
      const requests = proxy.record.since().map(({ at }) => at);
      const most = count * REQUESTS_PER_RESOURCE_MAX + REQUESTS_BESIDE_MAX;
      found.expect(requests.length <= most, `${String(requests.length)} requests`);
      const excess = mostAboveLimit(requests);
      const late = (LATE_MS_MAX / SECOND_MS) * REQUESTS_PER_SECOND;
      found.expect(excess <= late, `${String(Math.ceil(excess))} requests above the limit`);
      const policies = await store.policies.list(count + 1);
      found.expect(policies.length === count, `${String(policies.length)} policies`);
      return found.list;
    },
  },
];

async function createTenants(api: KubernetesApi, namespace: string, count: number): Promise<void> {
  const names = Array.from({ length: count }, (_, n) => `tenant-${String(n)}`);
  await inTurns(names, AT_ONCE, async (name) => {
    await api.create(MEMORY_TENANT, objectOf(MEMORY_TENANT, { namespace, name }, {}));
  });
}

/** By how many requests the busiest span, of whatever length, goes beyond what the limit allows. */
function mostAboveLimit(times: readonly number[]): number {
  const sorted = times.toSorted((one, other) => one - other);
  let most = -Infinity;
  for (const [first, from] of sorted.entries()) {
    for (let last = first; last < sorted.length; last += 1) {
      const seconds = ((sorted[last] ?? from) - from) / SECOND_MS;
      most = Math.max(most, last - first + 1 - REQUEST_BURST - seconds * REQUESTS_PER_SECOND);
    }
  }
  return most;
}
