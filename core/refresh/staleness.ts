/**
 * Staleness: what readers learn about a summary (design 6.11). An ordered chain of pure rules; the
 * first rule that applies gives the reason.
 */
import { isGroundingFailure } from '../grounding/grounding.ts';
import type { LayerPolicy } from '../records/policy.ts';
import type { DroppedSource, ScopeRecord } from '../records/scope-record.ts';
import type { Summary } from '../records/summary.ts';
import type { ScopeRecords } from '../ports/scope-records.ts';

export const STALE_REASONS = [
  'NeverGenerated',
  'SourceDeleted',
  'SourceReplaced',
  'SourceExpired',
  'SourceChanged',
  'MaxAge',
  'RecipeChanged',
  'LowGrounding',
  'Erased',
] as const;
export type StaleReason = (typeof STALE_REASONS)[number];

export type Freshness =
  | { readonly kind: 'Fresh'; readonly checkedAt: number }
  | { readonly kind: 'Stale'; readonly reason: StaleReason; readonly since: number };

/** The fields of a summary that determine its freshness. */
export type Dated = Pick<Summary, 'sourceHash' | 'recipeHash' | 'generatedAt' | 'checkedAt'>;

/** A scope's record, its summary, and what is expected of the summary now. */
interface StalenessInput {
  readonly summary: Dated | null;
  readonly scope: ScopeRecord;
  readonly recipeHash: string;
  readonly policy: Pick<LayerPolicy, 'maxAgeMs'>;
  readonly now: number;
}

type Rule = (input: StalenessInput & { summary: Dated }) => Freshness | null;

/** Worst first: a reader should learn of an erased source before a merely changed one. */
const CHAIN: readonly Rule[] = [
  sourceDropped('Erased'),
  sourceDropped('SourceDeleted'),
  sourceDropped('SourceReplaced'),
  sourceExpired,
  ungrounded,
  sourceChanged,
  aged,
  recipeChanged,
];

/** Whether a summary still matches its sources; reads a single row. */
export function freshnessOf(input: StalenessInput): Freshness {
  const { summary, scope, now } = input;
  if (summary === null) {
    return { kind: 'Stale', reason: 'NeverGenerated', since: scope.firstStaleAt ?? now };
  }
  for (const rule of CHAIN) {
    const stale = rule({ ...input, summary });
    if (stale !== null) return stale;
  }
  return { kind: 'Fresh', checkedAt: summary.checkedAt };
}

/**
 * Returns whether the last check found nothing to summarize, because the sources were deleted, held
 * back or compacted. A write, such as an approval, makes the scope due again.
 */
export function isFoundEmpty({
  changes,
  checkedAt,
  generatedAt,
}: Pick<ScopeRecord, 'changes' | 'checkedAt' | 'generatedAt'>): boolean {
  return changes === 0 && checkedAt !== null && generatedAt === null;
}

function sourceDropped(reason: DroppedSource['reason']): Rule {
  return ({ scope, now }) =>
    scope.droppedSources.some((dropped) => dropped.reason === reason)
      ? { kind: 'Stale', reason, since: droppedSince(scope, now) }
      : null;
}

/** A mark may lie in the future: one within a minute of another is postponed. */
function droppedSince({ urgentAt, firstStaleAt }: ScopeRecord, now: number): number {
  const marked = urgentAt !== null && urgentAt <= now ? urgentAt : null;
  return marked ?? firstStaleAt ?? now;
}

function sourceExpired({ scope, now }: StalenessInput): Freshness | null {
  const { nextExpiryAt } = scope;
  return nextExpiryAt !== null && nextExpiryAt <= now
    ? { kind: 'Stale', reason: 'SourceExpired', since: nextExpiryAt }
    : null;
}

/** A dead letter because too little of the model's answer is supported; a new write retries it. */
function ungrounded({ scope }: StalenessInput): Freshness | null {
  const letter = scope.deadLetter;
  return letter !== null && isGroundingFailure(letter.reason)
    ? { kind: 'Stale', reason: 'LowGrounding', since: letter.at }
    : null;
}

function sourceChanged({ summary, scope, now }: Parameters<Rule>[0]): Freshness | null {
  if (summary.sourceHash === scope.sourceHash) return null;
  return { kind: 'Stale', reason: 'SourceChanged', since: scope.firstStaleAt ?? now };
}

function aged({ summary, policy, now }: Parameters<Rule>[0]): Freshness | null {
  const since = summary.generatedAt + policy.maxAgeMs;
  return since <= now ? { kind: 'Stale', reason: 'MaxAge', since } : null;
}

function recipeChanged({ summary, recipeHash, now }: Parameters<Rule>[0]): Freshness | null {
  return summary.recipeHash === recipeHash
    ? null
    : { kind: 'Stale', reason: 'RecipeChanged', since: now };
}

// Measures how long the oldest stale summary has waited, which shows whether refreshes keep up.

/** Tenants to check, longest waiting first, and scopes of each: 21 short index reads. */
const TENANTS_MAX = 20;
const SCOPES_PER_TENANT_MAX = 50;

/**
 * Returns the milliseconds since the oldest stale scope became stale, among due scopes without a
 * lease; 0 if there is none.
 */
export async function oldestStaleAge(
  scopes: Pick<ScopeRecords, 'due' | 'dueTenants'>,
  now: number,
): Promise<number> {
  let oldest = now;
  for (const tenant of await scopes.dueTenants({ now, limit: TENANTS_MAX })) {
    const query = { until: now, now, limit: SCOPES_PER_TENANT_MAX };
    for (const { firstStaleAt } of await scopes.due(tenant, query)) {
      oldest = Math.min(oldest, firstStaleAt ?? now);
    }
  }
  return now - oldest;
}
