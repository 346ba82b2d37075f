/** Mutants of what begins and ends a term, and of what is looked after beside. */
import type { Mutant } from './mutant.ts';

export const OPERATOR_TERM_MUTANTS: readonly Mutant[] = [
  {
    id: 'K8S-03',
    file: 'operator/cluster/cluster-operator.ts',
    find: 'if (until.aborted) return;',
    replace: '',
    breaks: 'a stop before every list was there carries out half of what is declared',
  },
  {
    id: 'K8S-03',
    file: 'operator/cluster/end-when-fenced.ts',
    find: 'leadership.lose();',
    replace: '',
    breaks: 'a leader that the store refuses stays, healthy and useless',
  },
  {
    id: 'K8S-03',
    file: 'operator/leader/lease-holding.ts',
    find: 'if (object !== null) this.#see(object);',
    replace: 'if (object === null) this.#seen = null;\n    else this.#see(object);',
    breaks: 'a Lease that somebody deleted is taken from a leader that counts on it',
  },
  {
    id: 'K8S-03',
    file: 'operator/cluster/reconcile-provider.ts',
    find: 'if (namespace !== releaseNamespace) return DONE;',
    replace: '',
    breaks: 'what another release declared may be removed',
  },
  {
    id: 'K8S-03',
    file: 'operator/cluster/cluster-id.ts',
    find: 'return `${uid}.${releaseNamespace}`;',
    replace: 'return uid;',
    breaks: 'two releases of a cluster fence each other',
  },
  {
    id: 'K8S-03',
    file: 'operator/health.ts',
    find: 'Math.min(silentForMs ?? Infinity, triedForMs ?? Infinity)',
    replace: '(silentForMs ?? triedForMs ?? 0)',
    breaks: 'an outage of the API server ends every replica, again and again',
  },
  {
    id: 'K8S-03',
    file: 'cli/operator/until-open.ts',
    find: '!error.retryable) throw error;',
    replace: '!error.retryable || tries > 0) throw error;',
    breaks: 'a start during an outage ends the process',
  },
  {
    id: 'K8S-02',
    file: 'operator/cluster/write-conditions.ts',
    find: '{ ...rest, conditions }',
    replace: '{ ...rest, observedGeneration: generation, conditions }',
    breaks: 'an outage says that what was declared since is carried out',
  },
  {
    id: 'K8S-04',
    file: 'operator/cluster/release-left-over.ts',
    find: 'if (live?.metadata.uid === uid) continue;',
    replace: '',
    breaks: 'a tenant is let go of since a cache does not have its resource yet',
  },
  {
    id: 'K8S-04',
    file: 'operator/cluster/release-left-over.ts',
    find: 'await release({ tenant, owner }, context);',
    replace: '',
    breaks: 'a tenant whose resource went without the operator is refreshed for ever',
  },
];
