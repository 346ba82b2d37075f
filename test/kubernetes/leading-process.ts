/**
 * A process that leads, and writes when it is told to: `KUBECONFIG NAMESPACE IDENTITY`. It reads
 * one object when it begins to lead and writes over the version that it read when a line comes in,
 * whatever has become of its Lease by then: the worst that a process which stood still can do.
 */
import { once } from 'node:events';
import { VarveError } from '#core/errors.ts';
import type { KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import { NO_OPERATOR_METRICS } from '#core/ports/metrics.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { LeaderElector } from '#operator/leader/elect-leader.ts';
import { openKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';
import { createTimers } from '#providers/node/timers.ts';

const CONFIG_MAP: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  isNamespaced: true,
};
const [kubeconfig = '', namespace = '', identity = ''] = process.argv.slice(2);
const place = { namespace, name: 'written-by-leaders' };

function tell(line: Readonly<Record<string, unknown>>): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const timers = createTimers();
await using api = openKubernetesApi({ kubeconfig, userAgent: 'varve-operator/test', timers });
const elector = new LeaderElector({
  api,
  place: { namespace, name: 'varve-operator' },
  identity,
  settings: { leaseMs: 6_000, renewWithinMs: 4_000, retryMs: 1_000 },
  timers,
  clock: () => Date.now(),
  log: SILENT_LOG,
  metrics: NO_OPERATOR_METRICS,
});

async function write(read: KubernetesObject | null, epoch: number): Promise<void> {
  if (read === null) return;
  const isLeader = elector.isLeader();
  try {
    await api.replace(CONFIG_MAP, { ...read, data: { leader: identity, epoch: String(epoch) } });
    tell({ kind: 'Written', isLeader });
  } catch (error) {
    tell({ kind: 'Refused', isLeader, code: error instanceof VarveError ? error.code : '' });
  }
}

const written = Promise.withResolvers<void>();
const end = await elector.run(async ({ epoch }) => {
  const read = await api.get(CONFIG_MAP, place);
  tell({ kind: 'Leading', epoch });
  process.stdin.resume();
  await once(process.stdin, 'data');
  await write(read, epoch);
  written.resolve();
}, new AbortController().signal);
await written.promise;
tell({ kind: end });
process.stdin.pause();
