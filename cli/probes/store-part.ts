/** The store as probes look at it: one read by its key, which costs the same for any size. */
import type { Store } from '#core/ports/store.ts';
import type { WatchedPart } from './health-rounds.ts';

/** No tenant has this id, so the answer is the same whatever the store holds. */
const ASKED_TENANT = 'varve-health';

export function storePart({ policies }: Pick<Store, 'policies'>): WatchedPart {
  return { part: 'the store', need: 'Always', ask: () => policies.get(ASKED_TENANT) };
}
