/** Mutants of how processes run and end: grace, queues whose reports fail, long folders. */
import type { Mutant } from './mutant.ts';

export const OPERATING_MUTANTS: readonly Mutant[] = [
  {
    id: 'K8S-05',
    file: 'cli/stack/worker-grace.ts',
    find: 'activitiesMs: endWithinMs - CLOSING_MS',
    replace: 'activitiesMs: endWithinMs',
    breaks: 'a worker whose activities take all of its grace is killed before it has closed',
  },
  {
    id: 'K8S-03',
    file: 'operator/queue/workqueue-telling.ts',
    find: '{ ...given, metrics: containedMetrics(given.metrics, given.log) }',
    replace: 'given',
    breaks: 'a metric that throws holds up a queue',
  },
  {
    id: 'K8S-03',
    file: 'operator/queue/workqueue.ts',
    find: '      this.#hasRefused = true;\n      this.#options.log.error(',
    replace: '      this.#options.log.error(',
    breaks: 'what a full queue refused is lost where listing it failed once',
  },
  {
    id: 'K8S-03',
    file: 'operator/policy-event.ts',
    find: 'if (found?.id !== event.id) await events.append(event);',
    replace: 'await events.append(event);',
    breaks: 'the event of a policy is written by every process anew',
  },
  {
    id: 'K8S-03',
    file: 'operator/policy-event.ts',
    find: 'if (now - record.appliedAt > OWED_MS) return;',
    replace: '',
    breaks: 'an event that was cleared comes back',
  },
  {
    id: 'K8S-03',
    file: 'operator/policy-event.ts',
    find: '[tenant, generation, owner.uid, hash]',
    replace: '[tenant]',
    breaks: 'two generations of one moment share an event',
  },
  {
    id: 'K8S-02',
    file: 'operator/cluster/apply-tenant.ts',
    find: '  await ensurePolicyEvent(record, store, { digest, now: clock() });\n',
    replace: '',
    breaks: 'nothing tells of a policy that came into force',
  },
  {
    id: 'K8S-03',
    file: 'operator/cluster/apply-tenant.ts',
    find: 'if (before !== null) await ensureEvent(before, context);',
    replace: '',
    breaks: 'a policy that was replaced soon after a death is never told of',
  },
  {
    id: 'K8S-03',
    file: 'operator/apply.ts',
    find: 'if (run.signal.aborted) break;\n    const { tenant } = action;',
    replace: 'const { tenant } = action;',
    breaks: 'a folder is applied to its end whoever asks the process to end',
  },
  {
    id: 'K8S-03',
    file: 'operator/folder/watch-folder.ts',
    find: 'hasMore ? GO_ON_AFTER_MS : resyncMs',
    replace: 'resyncMs',
    breaks: 'what a long run left waits for the next look at the folder',
  },
  {
    id: 'K8S-03',
    file: 'operator/apply.ts',
    find: 'context.settled.delete(tenant);',
    replace: '',
    breaks: 'a tenant that nobody declares any more keeps the folder busy',
  },
  {
    id: 'MEM-26',
    file: 'core/doubled-delay.ts',
    find: '2 ** (count - 1)',
    replace: '2 * count',
    breaks: 'pauses grow by steps and do not double',
  },
];
