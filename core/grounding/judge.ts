/** The judge of one fact: an ordered chain of rules, cheapest and surest first. */
import type { AnswerFact } from '../answer.ts';
import { sourceDate } from '../source.ts';
import { withAnswers } from './answered.ts';
import { isMisattributed, toldOf, type Told } from './attribution.ts';
import { isOutdated, isTurnedRound } from './change.ts';
import { isDerivedFrom } from './derivation.ts';
import type { DropReason } from './drop-reason.ts';
import type { Evidence, EvidenceBook } from './evidence.ts';
import { identifiersOf, standsIn } from './identifier.ts';
import { measuresOf, unsupportedMeasure } from './measure.ts';
import { bare } from './name.ts';
import { isDenial } from './denial.ts';
import { isNegationFlipped } from './negation.ts';
import { isOpposite } from './opposite.ts';
import { isStillOpen } from './plan.ts';
import { isOtherPreferred } from './preference.ts';
import { foldedText, linedText, plainText } from './plain-text.ts';
import { innerQuotes, isInnerQuoted, isQuoted } from './quote.ts';
import { isSaidByAnother, isStatedSpeaker, nameWords } from './speaker.ts';
import { overlapOf, statementsOf, type Statement } from './statement.ts';
import { tokensOf, type Token } from './token.ts';

interface Case {
  readonly fact: AnswerFact;
  /** What the fact says, without the day of its source and its speaker in front of it. */
  readonly said: string;
  readonly tokens: readonly Token[];
  readonly cited: readonly Evidence[];
  readonly book: EvidenceBook;
  /** Who speaks in front of the text, as in `Ann: I pay`. */
  readonly prefix: string | null;
}

type Rule = (judged: Case) => DropReason | null;

const RULES: readonly Rule[] = [unquoted, unspoken, unidentified, unmeasured, contradicted];

/** Why a fact is not supported by what it cites, or null. Time is linear in both. */
export function unsupportedReason(
  fact: AnswerFact,
  cited: readonly Evidence[],
  book: EvidenceBook,
): DropReason | null {
  const dated = cited.reduce(
    (rest, { source }) => rest.replace(sourceDate(source.at), ''),
    fact.text,
  );
  const prefix = prefixOf(dated, book);
  const said = prefix === null ? dated : dated.slice(dated.search(/[:：]/u) + 1);
  const judged = { fact, said, tokens: tokensOf(plainText(said)), cited, book, prefix };
  const [quotes, speakers, ...others] = RULES;
  const surest = quotes?.(judged) ?? speakers?.(judged) ?? null;
  if (surest !== null || isVerbatim(said, cited) || isShortened(fact.quote, said)) return surest;
  for (const rule of others) {
    const reason = rule(judged);
    if (reason !== null) return reason;
  }
  return null;
}

/** Names of a fact that none of its sources holds: doubtful, but no ground to drop it. */
export function hasUnknownName(
  fact: AnswerFact,
  cited: readonly Evidence[],
  book: EvidenceBook,
): boolean {
  return tokensOf(plainText(fact.text)).some((token) => {
    return (
      book.names.isName(token) && !cited.some(({ folded }) => folded.includes(bare(token.lower)))
    );
  });
}

function prefixOf(text: string, book: EvidenceBook): string | null {
  const name = /^([^:：\n]{1,256})[:：]/u.exec(text)?.[1];
  if (name === undefined) return null;
  return book.isSpeaker(plainText(name).toLowerCase().trim()) ? name : null;
}

/** Whole sentences of a source say what it says, whatever language it is in. */
function isVerbatim(said: string, cited: readonly Evidence[]): boolean {
  const fact = linedText(said).replace(/(?<![\s.!?…。！？])[\s.!?…。！？]+$/u, '');
  if (fact === '') return true;
  return cited.some(({ lined }) => {
    const text = `\n${lined}\n`;
    const at = text.indexOf(fact);
    return (
      at >= 0 &&
      /[.!?…。！？\n][\s"')\]]*$/u.test(text.slice(Math.max(0, at - EDGE_CHARS), at)) &&
      /^["')\]]*[.!?…。！？\n]/u.test(text.slice(at + fact.length, at + fact.length + EDGE_CHARS))
    );
  });
}

/** What is left of a quote when fillers go; more than this has to stay. */
const SHORTENED_SHARE_MIN = 0.7;

/** The words of its quote in their order, a few left out, and as many denials as before. */
function isShortened(quote: string | null | undefined, said: string): boolean {
  const left = wordsOf(quote ?? '');
  const kept = wordsOf(said);
  if (kept.length === 0 || kept.length < left.length * SHORTENED_SHARE_MIN) return false;
  let at = 0;
  for (const word of left) if (word === kept[at]) at += 1;
  const denials = (words: readonly string[]): number => words.filter(isDenial).length;
  return at === kept.length && denials(left) === denials(kept);
}

function wordsOf(text: string): readonly string[] {
  return tokensOf(plainText(text)).flatMap(({ kind, lower }) => (kind === 'Mark' ? [] : lower));
}

/** Marks and spaces between two sentences are no more than these. */
const EDGE_CHARS = 8;

function unquoted({ fact, said, cited }: Case): DropReason | null {
  const texts = cited.map(({ folded }) => folded);
  if (fact.quote != null && !isQuoted(foldedText(fact.quote), texts)) return 'QuoteNotInSource';
  const isHeld = innerQuotes(said).every((quote) => isInnerQuoted(quote, texts));
  return isHeld ? null : 'QuoteNotInSource';
}

function unspoken({ fact, cited, prefix }: Case): DropReason | null {
  const stated = [
    ...(fact.speaker == null ? [] : [fact.speaker]),
    ...(prefix === null ? [] : [prefix]),
  ];
  const quote = fact.quote == null ? '' : foldedText(fact.quote);
  const holding = cited.filter(({ folded }) => folded.includes(quote));
  const speakers = holding.map(({ speaker }) => speaker);
  const text = holding.map(({ folded }) => folded).join('\n');
  return stated.every((name) => isStatedSpeaker(name, speakers, text))
    ? null
    : 'SpeakerNotInSource';
}

function unidentified({ said, cited }: Case): DropReason | null {
  const text = cited.map(({ folded }) => folded).join('\n');
  const isNamed = identifiersOf(plainText(said)).every((id) => standsIn(text, foldedText(id)));
  return isNamed ? null : 'IdentifierNotInSource';
}

function unmeasured({ fact, tokens, cited }: Case): DropReason | null {
  const sources = cited.map(({ measures }) => measures);
  const { derived } = fact;
  const operands = cited
    .filter(({ source }) => derived?.ids.includes(source.id))
    .map(({ measures }) => measures);
  let isComputed = false;
  const failure = unsupportedMeasure(measuresOf(tokens), sources, (quantity) => {
    if (derived == null || !isDerivedFrom(quantity, derived.operation, operands)) return false;
    isComputed = true;
    return true;
  });
  if (failure === null) return null;
  return derived != null && !isComputed ? 'DerivationDiffers' : failure;
}

/** A part of a fact with fewer content words than this is judged as part of the whole. */
const CONTENT_MIN = 2;

function contradicted({ fact, tokens, cited, book, prefix }: Case): DropReason | null {
  const { isName } = book.names;
  const inOrder = cited.toSorted((one, other) =>
    one.source.position < other.source.position ? -1 : 1,
  );
  const all = withAnswers(inOrder.flatMap(({ told }) => told));
  const self = nameWords(prefix ?? fact.speaker ?? '');
  const speakers = cited.map(({ speaker }) => speaker);
  const statements = statementsOf(tokens, isName);
  for (const statement of statements) {
    const told = toldOf(statement, book.names, { self, other: [] });
    if (isSaidByAnother(told, speakers, all)) return 'SpeakerNotInSource';
    if (statement.content.size < Math.min(CONTENT_MIN, statements.length)) continue;
    if (isMisattributed(told, all, book.isKnown)) return 'AttributionDiffers';
    const closest = closestStatements(statement, all);
    if (isNegationFlipped(told, all, closest)) return 'NegationDiffers';
    if (isOpposite(statement, closest) || isOtherPreferred(statement, all)) {
      return 'OppositeInSource';
    }
    if (isStillOpen(statement, all)) return 'OppositeInSource';
  }
  const timed = cited.map(({ source, tokens: own }) => ({ tokens: own, at: source.at }));
  const own = { tokens, at: Math.max(...timed.map(({ at }) => at)) };
  return isTurnedRound(own, timed) || isOutdated(own, timed) ? 'OppositeInSource' : null;
}

/** A statement that shares less with the fact is about something else. */
const CLOSE_SHARE_MIN = 0.4;

function closestStatements(fact: Statement, all: readonly Told[]): readonly Statement[] {
  let best = 0;
  let closest: Statement[] = [];
  for (const { statement } of all) {
    const { shared, share } = overlapOf(fact.content, statement.content);
    if (shared === 0 || shared < best || share < CLOSE_SHARE_MIN) continue;
    if (shared > best) closest = [];
    closest.push(statement);
    best = shared;
  }
  return closest;
}
