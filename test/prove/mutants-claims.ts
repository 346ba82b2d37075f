/** Mutants of who gets a tenant that was let go of, and of what a plan says of it. */
import type { Mutant } from './mutant.ts';

export const CLAIM_MUTANTS: readonly Mutant[] = [
  {
    id: 'K8S-04',
    file: 'core/policy-claim.ts',
    find: 'return last.cluster === next.cluster && last.namespace === next.namespace;',
    replace: 'return last.cluster === next.cluster;',
    breaks: 'a tenant that was let go of is anybody’s of the cluster, who may erase it',
  },
  {
    id: 'K8S-04',
    file: 'core/policy-claim.ts',
    find: 'return last.cluster === next.cluster && last.namespace === next.namespace;',
    replace: 'return last.namespace === next.namespace;',
    breaks: 'a namespace of another cluster gets the tenant of one of the same name',
  },
  {
    id: 'MEM-28',
    file: 'providers/prometheus/first-series.ts',
    find: 'counter.inc(labels, 0)',
    replace: 'counter.labels(labels)',
    breaks: 'the first failure of a process is no increase, and no alert fires',
  },
];
