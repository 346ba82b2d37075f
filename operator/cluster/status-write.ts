/** Whether a status is written now, later or not at all: pure. */
import { canonicalJson } from '../policy-hash.ts';

/** Numbers and times move all the time; people look at them every now and then. */
export const COUNTERS_EVERY_MS = 60_000;
/** What may wait: everything else is written at once. */
const COUNTERS: ReadonlySet<string> = new Set([
  'freshness',
  'budget',
  'lastRefreshTime',
  'nextRefreshTime',
  'lastDreamTime',
  'nextDreamTime',
  'lastOutcome',
]);

export type StatusDecision =
  | { readonly kind: 'Same' }
  | { readonly kind: 'Write' }
  /** Only counters moved, and they were written a moment ago. */
  | { readonly kind: 'Later'; readonly inMs: number };

/** @param writtenAt when this process last wrote the status; null where it did not */
export function statusDecision(
  before: unknown,
  after: object,
  { now, writtenAt }: { now: number; writtenAt: number | null },
): StatusDecision {
  if (canonicalJson(before ?? {}) === canonicalJson(after)) return { kind: 'Same' };
  const isOnlyCounters = canonicalJson(steadyOf(before)) === canonicalJson(steadyOf(after));
  const inMs = writtenAt === null ? 0 : writtenAt + COUNTERS_EVERY_MS - now;
  return isOnlyCounters && inMs > 0 ? { kind: 'Later', inMs } : { kind: 'Write' };
}

function steadyOf(status: unknown): object {
  if (typeof status !== 'object' || status === null) return {};
  return Object.fromEntries(Object.entries(status).filter(([field]) => !COUNTERS.has(field)));
}
