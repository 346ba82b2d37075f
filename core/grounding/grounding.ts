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
  const kept: Fact[] = [];
  const dropped: Summary['droppedFacts'] = [];
  const droppedByReason: Partial<Record<DropReason, number>> = {};
  for (const { fact, text, reason } of groundEach(facts, sources)) {
    if (reason === null) {
      kept.push(fact);
      continue;
    }
    dropped.push({ text, reason });
    droppedByReason[reason] = (droppedByReason[reason] ?? 0) + 1;
  }
  const sufficient = kept.length > 0 && dropped.length <= facts.length * FAILED_SHARE_MAX;
  return { facts: kept, dropped, droppedByReason, sufficient };
}

export type Judged =
  | { readonly text: string; readonly fact: Fact; readonly reason: null }
  | { readonly text: string; readonly fact: null; readonly reason: DropReason };

/** The same one by one, in the order of the facts. The sources are read once for all of them. */
export function groundEach(
  facts: readonly AnswerFact[],
  sources: ReadonlyMap<string, Source>,
): readonly Judged[] {
  const book = evidenceBook(
    sources,
    facts.map(({ text }) => text),
  );
  return facts.map((fact): Judged => {
    const { text } = fact;
    const cited = citedEvidence(fact, sources, book);
    if (typeof cited === 'string') return { text, fact: null, reason: cited };
    const reason = unsupportedReason(fact, cited, book);
    return reason === null
      ? { text, fact: toFact(fact, cited, book), reason }
      : { text, fact: null, reason };
  });
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
