/**
 * Behaviour broken on purpose, one change each: whoever removes what a requirement asks for must
 * see a test of that requirement fail. `npm run prove -- mutants` tries them all.
 */
import { MEMORY_MUTANTS } from './memory-mutants.ts';
import { ADD_MUTANTS } from './mutants-adds.ts';
import { BUDGET_MUTANTS } from './mutants-budget.ts';
import { GROUNDING_MUTANTS } from './mutants-grounding.ts';
import { MODEL_MUTANTS } from './mutants-models.ts';
import { REACH_MUTANTS } from './mutants-reach.ts';
import { REFRESH_MUTANTS } from './mutants-refresh.ts';
import { RELEVANCE_MUTANTS } from './mutants-relevance.ts';
import { RESOURCE_MUTANTS } from './mutants-resources.ts';
import { SEGMENT_MUTANTS } from './mutants-segments.ts';
import { VARIANT_MUTANTS } from './mutants-variants.ts';
import { KUBERNETES_MUTANTS } from './mutants-kubernetes.ts';
import { OPERATOR_MACHINERY_MUTANTS } from './mutants-operator-machinery.ts';
import { ERASURE_MUTANTS } from './mutants-erasure.ts';
import { OPERATOR_STORE_MUTANTS } from './mutants-operator-store.ts';
import { PROVIDED_MODEL_MUTANTS } from './mutants-provided-models.ts';
import { PROBE_MUTANTS } from './mutants-probes.ts';
import { CLUSTER_OPERATOR_MUTANTS } from './mutants-cluster-operator.ts';
import { CLAIM_MUTANTS } from './mutants-claims.ts';
import { OPERATOR_TERM_MUTANTS } from './mutants-operator-terms.ts';
import { DOCUMENT_MUTANTS } from './mutants-documents.ts';
import { DOCUMENTS_API_MUTANTS } from './mutants-documents-api.ts';
import { DREAM_OPERATOR_MUTANTS } from './mutants-dream-operator.ts';
import { DREAM_RUN_MUTANTS } from './mutants-dream-runs.ts';
import { DREAM_LINE_MUTANTS } from './mutants-dream-lines.ts';
import { DREAM_MUTANTS } from './mutants-dreams.ts';
import { OPERATING_MUTANTS } from './mutants-operating.ts';
import { PATH_MUTANTS } from './mutants-path.ts';
import { RETENTION_MUTANTS } from './mutants-retention.ts';
import { OPERATOR_UPKEEP_MUTANTS } from './mutants-operator-upkeep.ts';
import { LIMIT_MUTANTS } from './mutants-limits.ts';
import { FOLDER_MUTANTS } from './mutants-folder.ts';
import { PLAN_MUTANTS } from './mutants-plan.ts';
import { THREAD_MUTANTS } from './mutants-threads.ts';
import { DREAM_WORD_MUTANTS } from './mutants-dream-words.ts';
import { PROOF_MUTANTS } from './mutants-proofs.ts';
import type { Mutant } from './mutant.ts';

export const MUTANTS: readonly Mutant[] = [
  ...PATH_MUTANTS,
  ...MEMORY_MUTANTS,
  ...ADD_MUTANTS,
  ...REACH_MUTANTS,
  ...BUDGET_MUTANTS,
  ...GROUNDING_MUTANTS,
  ...MODEL_MUTANTS,
  ...REFRESH_MUTANTS,
  ...RELEVANCE_MUTANTS,
  ...RESOURCE_MUTANTS,
  ...SEGMENT_MUTANTS,
  ...VARIANT_MUTANTS,
  ...OPERATOR_TERM_MUTANTS,
  ...CLAIM_MUTANTS,
  ...KUBERNETES_MUTANTS,
  ...OPERATOR_MACHINERY_MUTANTS,
  ...OPERATOR_STORE_MUTANTS,
  ...ERASURE_MUTANTS,
  ...PROVIDED_MODEL_MUTANTS,
  ...PROBE_MUTANTS,
  ...CLUSTER_OPERATOR_MUTANTS,
  ...OPERATOR_UPKEEP_MUTANTS,
  ...LIMIT_MUTANTS,
  ...FOLDER_MUTANTS,
  ...PLAN_MUTANTS,
  ...THREAD_MUTANTS,
  ...DREAM_WORD_MUTANTS,
  ...PROOF_MUTANTS,
  ...DOCUMENT_MUTANTS,
  ...DOCUMENTS_API_MUTANTS,
  ...DREAM_MUTANTS,
  ...DREAM_LINE_MUTANTS,
  ...DREAM_RUN_MUTANTS,
  ...DREAM_OPERATOR_MUTANTS,
  ...RETENTION_MUTANTS,
  ...OPERATING_MUTANTS,
];

/** Named by a test and without a mutant yet. Kept short: a name here is work that is owed. */
export const WITHOUT_MUTANT: readonly string[] = [];
