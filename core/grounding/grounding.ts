/**
 * Grounding without a model (design 6.19): a fact is kept only if what it cites exists in its own
 * scope and holds its quote, numbers and identifiers. What fails is kept aside with its reason.
 */
import type { AnswerFact } from '../answer.ts';
import { evidenceBook, type Evidence, type EvidenceBook } from './evidence.ts';
import type { DropReason } from './drop-reason.ts';
import { hasUnknownName, unsupportedReason } from './judge.ts';
import { leastTrust } from '../records/memory.ts';
import type { Fact, Summary } from '../records/summary.ts';
import type { Source } from '../source.ts';

/** Why a whole answer is refused: too few facts are supported, or not one. */
export const REFUSALS = ['LowGrounding', 'NoGroundedFact'] as const;
export type Refusal = (typeof REFUSALS)[number];

export function isGroundingFailure(reason: string): reason is Refusal {
  return REFUSALS.some((refusal) => refusal === reason);
}

/** More failing facts than this share, or none kept: the previous summary stays (LowGrounding). */
export const FAILED_SHARE_MAX = 0.3;

export interface Grounded {
  readonly facts: readonly Fact[];
  readonly dropped: Summary['droppedFacts'];
  /** How many facts were dropped for each reason; without those that dropped none. */
  readonly droppedByReason: Readonly<Partial<Record<DropReason, number>>>;
  readonly sufficient: boolean;
}

/** Judges every fact of one item against the sources of that item's scope. */
export function groundFacts(
  facts: readonly AnswerFact[],
  sources: ReadonlyMap<string, Source>,
): Grounded {
  const book = evidenceBook(
    sources,
    facts.map(({ text }) => text),
  );
  const kept: Fact[] = [];
  const dropped: Summary['droppedFacts'] = [];
  const droppedByReason: Partial<Record<DropReason, number>> = {};
  for (const fact of facts) {
    const cited = citedEvidence(fact, sources, book);
    const reason = typeof cited === 'string' ? cited : unsupportedReason(fact, cited, book);
    if (reason === null && typeof cited !== 'string') kept.push(toFact(fact, cited, book));
    if (reason === null) continue;
    dropped.push({ text: fact.text, reason });
    droppedByReason[reason] = (droppedByReason[reason] ?? 0) + 1;
  }
  const sufficient = kept.length > 0 && dropped.length <= facts.length * FAILED_SHARE_MAX;
  return { facts: kept, dropped, droppedByReason, sufficient };
}

/** What a number was derived from is cited as well, whether the fact names it again or not. */
function citedEvidence(
  fact: AnswerFact,
  sources: ReadonlyMap<string, Source>,
  book: EvidenceBook,
): readonly Evidence[] | DropReason {
  const ids = new Set([...fact.sources, ...(fact.derived?.ids ?? [])]);
  if (fact.sources.length === 0) return 'NoSource';
  const cited = [...ids].map((id) => sources.get(id));
  return cited.every((source) => source !== undefined)
    ? cited.map((source) => book.of(source))
    : 'UnknownSource';
}

function toFact(fact: AnswerFact, cited: readonly Evidence[], book: EvidenceBook): Fact {
  const sources = cited.map(({ source }) => source);
  return {
    text: fact.text,
    sources: sources.map(({ id }) => id),
    quote: fact.quote ?? null,
    speaker: fact.speaker ?? null,
    trust: leastTrust(sources.map((source) => source.trust)),
    at: Math.max(...sources.map((source) => source.at)),
    ...(fact.derived == null ? {} : { derived: fact.derived }),
    ...(hasUnknownName(fact, cited, book) ? { marks: ['NameNotInSource' as const] } : {}),
  };
}
