/**
 * Stale: what readers learn about a summary (design 6.11). An ordered chain of pure rules; the
 * first that speaks gives the reason.
 */
import { isGroundingFailure } from '../grounding/grounding.ts';
import type { LayerPolicy } from '../records/policy.ts';
import type { DroppedSource, ScopeRecord } from '../records/scope-record.ts';
import type { Summary } from '../records/summary.ts';

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

/** Of a summary what its freshness rests on. */
export type Dated = Pick<Summary, 'sourceHash' | 'recipeHash' | 'generatedAt' | 'checkedAt'>;

/** The summary of a scope beside the scope's one row, and what is expected of it now. */
export interface StalenessInput {
  readonly summary: Dated | null;
  readonly scope: ScopeRecord;
  readonly recipeHash: string;
  readonly policy: Pick<LayerPolicy, 'maxAgeMs'>;
  readonly now: number;
}

type Rule = (input: StalenessInput & { summary: Dated }) => Freshness | null;

/** Worst first: a reader should hear of an erased source before a merely changed one. */
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

/** Whether a summary still says what its sources say; one row read is all it needs. */
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

function sourceDropped(reason: DroppedSource['reason']): Rule {
  return ({ scope, now }) =>
    scope.droppedSources.some((dropped) => dropped.reason === reason)
      ? { kind: 'Stale', reason, since: droppedSince(scope, now) }
      : null;
}

/** A mark may lie ahead: one that follows another within a minute is put off. */
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

/** Given up because too little of what the model said is supported; a new write is a new try. */
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
