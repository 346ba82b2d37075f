/** Mutants of what tells a cluster whether a part is alive and ready. */
import type { Mutant } from './mutant.ts';

export const PROBE_MUTANTS: readonly Mutant[] = [
  {
    id: 'K8S-05',
    file: 'cli/probes/part-state.ts',
    find: 'if (silence <= ROUND_SILENCE_MS_MAX) return { ok: true, findings: [] };',
    replace: 'if (silence >= 0) return { ok: true, findings: [] };',
    breaks: 'a process whose loop stands still is called alive',
  },
  {
    id: 'K8S-05',
    file: 'cli/probes/part-state.ts',
    find: "need === 'Once' ? wasReached : wasReached && problem === null",
    replace: 'wasReached && problem === null',
    breaks: 'a lost Temporal takes the API out of service',
  },
  {
    id: 'K8S-05',
    file: 'cli/probes/part-state.ts',
    find: "need === 'Once' ? wasReached : wasReached && problem === null",
    replace: 'wasReached',
    breaks: 'calls go on to a process whose store is lost',
  },
  {
    id: 'K8S-05',
    file: 'cli/probes/health-rounds.ts',
    find: 'await Promise.race([asked, late]);',
    replace: 'await asked;',
    breaks: 'a part that never answers holds all rounds up',
  },
  {
    id: 'K8S-05',
    file: 'cli/probes/health-rounds.ts',
    find: 'healthz: () => (isAlive() ? aliveAnswer({ endedAt, parts }, timer()) : dead),',
    replace: 'healthz: () => aliveAnswer({ endedAt, parts }, timer()),',
    breaks: 'a worker that polls no more is not started anew',
  },
  {
    id: 'K8S-05',
    file: 'cli/probes/health-rounds.ts',
    find: 'isLeaving = true;',
    replace: '',
    breaks: 'a process that is ending is sent more calls',
  },
  {
    id: 'K8S-05',
    file: 'api/probes.ts',
    find: 'response.statusCode = ok ? 200 : 503;',
    replace: 'response.statusCode = 200;',
    breaks: 'a probe that failed is answered as one that did not',
  },
  {
    id: 'K8S-05',
    file: 'api/server.ts',
    find: 'options.finishWithinMs ?? 0',
    replace: '0',
    breaks: 'calls under way are cut when the API ends',
  },
  {
    id: 'K8S-03',
    file: 'operator/cluster/unsynced.ts',
    find: 'this.#since = since;',
    replace: '',
    breaks: 'nobody sees for how long a change has had no effect',
  },
];
