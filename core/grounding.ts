/**
 * Grounding without a model (design 6.19): a fact is kept only if what it cites exists in its own
 * scope and holds its quote, numbers and identifiers. What fails is kept aside with its reason.
 */
import type { AnswerFact } from './answer.ts';
import { leastTrust } from './records/memory.ts';
import type { Fact, Summary } from './records/summary.ts';
import { sourceDate, type Source } from './source.ts';

export const DROP_REASONS = [
  'NoSource',
  'UnknownSource',
  'QuoteNotInSource',
  'NumberNotInSource',
  'IdentifierNotInSource',
] as const;
export type DropReason = (typeof DROP_REASONS)[number];

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
  readonly sufficient: boolean;
}

/** Judges every fact of one item against the sources of that item's scope. */
export function groundFacts(
  facts: readonly AnswerFact[],
  sources: ReadonlyMap<string, Source>,
): Grounded {
  const kept: Fact[] = [];
  const dropped: Summary['droppedFacts'] = [];
  for (const fact of facts) {
    const cited = citedSources(fact, sources);
    const reason = typeof cited === 'string' ? cited : contradiction(fact, cited);
    if (reason === null && typeof cited !== 'string') kept.push(toFact(fact, cited));
    else dropped.push({ text: fact.text, reason: String(reason) });
  }
  const sufficient = kept.length > 0 && dropped.length <= facts.length * FAILED_SHARE_MAX;
  return { facts: kept, dropped, sufficient };
}

function citedSources(
  fact: AnswerFact,
  sources: ReadonlyMap<string, Source>,
): readonly Source[] | DropReason {
  if (fact.sources.length === 0) return 'NoSource';
  const cited = fact.sources.map((id) => sources.get(id));
  return cited.every((source) => source !== undefined) ? cited : 'UnknownSource';
}

function contradiction(fact: AnswerFact, cited: readonly Source[]): DropReason | null {
  const text = cited.map((source) => folded(`${source.speaker ?? ''} ${source.text}`)).join('\n');
  if (fact.quote != null && !text.includes(folded(fact.quote))) return 'QuoteNotInSource';
  // A statement may name the day of its source, which stands beside the text and not in it.
  const said = cited.reduce((rest, { at }) => rest.replace(sourceDate(at), ''), fact.text);
  const known = new Set(numbers(text));
  if (!numbers(folded(said)).every((number) => known.has(number))) return 'NumberNotInSource';
  return identifiers(said).every((id) => standsIn(text, folded(id)))
    ? null
    : 'IdentifierNotInSource';
}

function toFact(fact: AnswerFact, cited: readonly Source[]): Fact {
  return {
    text: fact.text,
    sources: [...fact.sources],
    quote: fact.quote ?? null,
    speaker: fact.speaker ?? null,
    trust: leastTrust(cited.map((source) => source.trust)),
    at: Math.max(...cited.map((source) => source.at)),
  };
}

/** Case, Unicode width and white space do not make a quote another quote. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();
}

/** Numbers with thousands separators removed: `1,200.50` and `1200.50` are the same. */
function numbers(text: string): string[] {
  const found = text.match(/\d+(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?/gu) ?? [];
  return found.map((number) => number.replaceAll(',', ''));
}

/** What has to be exact to the letter: addresses, mail, paths, hashes, ticket ids. */
function identifiers(text: string): string[] {
  return (
    text.match(/https?:\/\/\S+|[\w.+-]+@[\w-]+\.[\w.]+|\b[A-Z]{2,}-\d+\b|\b[0-9a-f]{8,}\b/gu) ?? []
  ).map((id) => id.replace(/[.,;:)\]"'’”>]+$/u, ''));
}

/** Whether an identifier stands there by itself: `ann@x.co` does not stand in `joann@x.com`. */
function standsIn(text: string, id: string): boolean {
  const continued = /@|:\/\//u.test(id) ? /^(?:\w|[./?#=&%]\w)/u : /^\w/u;
  for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
    const before = text.slice(Math.max(0, at - 1), at);
    if (!/\w/u.test(before) && !continued.test(text.slice(at + id.length))) return true;
  }
  return false;
}
