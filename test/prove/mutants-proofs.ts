/** Mutants of what the proofs of the operator and of an upgrade hold on to. */
import type { Mutant } from './mutant.ts';

export const PROOF_MUTANTS: readonly Mutant[] = [
  {
    id: 'K8S-03',
    file: 'providers/temporal/installation-schedules.ts',
    find: "if (noted.term > term) return { kind: 'Fenced', schedule: id, term: noted.term };",
    replace: '',
    breaks: 'a leader that stood still puts its declaration of a schedule back',
  },
  {
    id: 'K8S-03',
    file: 'providers/temporal/schedule-notes.ts',
    find: ' && termIn(memo) === term',
    replace: '',
    breaks: 'a schedule does not note the term of the leader who keeps it',
  },
  {
    id: 'K8S-03',
    file: 'cli/operator/temporal-part.ts',
    find: 'if (later !== undefined) throw fenced(term);',
    replace: '',
    breaks: 'a leader whom Temporal refuses goes on',
  },
  {
    id: 'K8S-05',
    file: 'crds/deepdreams.yaml',
    find: 'maximum: 366\n',
    replace: 'maximum: 365\n',
    breaks: 'a newer definition refuses what an earlier one took',
  },
  {
    id: 'K8S-05',
    file: 'crds/layersummarypolicies.yaml',
    find: 'minimum: 1\n',
    replace: 'minimum: 2\n',
    breaks: 'a newer definition asks for more than an earlier one did',
  },
];
