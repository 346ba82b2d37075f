/** The changes of model under way, as the store tells them. */
import { generationsOf } from '#core/embedding/reembed.ts';
import type { Store } from '#core/ports/store.ts';
import type { EmbeddingState } from '#core/records/embedding-state.ts';

/** Tenants looked at; what is printed of more would help nobody. */
export const CHANGES_MAX = 1_000;

type Embeddings = Pick<Store, 'embeddings'>;

export async function changesOf(
  { embeddings }: Embeddings,
  generation?: string,
): Promise<readonly EmbeddingState[]> {
  const states = await embeddings.changing({ after: null, limit: CHANGES_MAX });
  if (generation === undefined) return states;
  return states.filter((state) => generationsOf(state).includes(generation));
}

/** The generation that an order is about: the one named, else what a change is under way to. */
export function orderedGeneration(states: readonly EmbeddingState[], named: string): string | null {
  const [first] = states;
  if (first === undefined) return null;
  if (states.some((state) => generationsOf(state).includes(named))) return named;
  return first.target ?? first.active;
}

export interface Missing {
  readonly memories: number;
  /** Tenants that are not cut over yet. */
  readonly tenants: number;
}

/** What is still to be embedded before the last cut-over. */
export async function missingOf(
  { embeddings }: Embeddings,
  states: readonly EmbeddingState[],
  now: number,
): Promise<Missing> {
  let memories = 0;
  let tenants = 0;
  for (const { tenant, target, phase } of states) {
    if (target === null || phase === 'Dropping') continue;
    const { missing } = await embeddings.progress(tenant, { generation: target, now });
    memories += missing;
    tenants += 1;
  }
  return { memories, tenants };
}
