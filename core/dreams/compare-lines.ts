/**
 * Compares lines of MEMORY.md: which ones say the same, which ones replace which, and whether a
 * proposal changes any.
 */
import { plainText } from '../grounding/comparable-text.ts';
import { tokensOf, type Token } from '../text/words-and-marks.ts';
import type { DocumentLine } from '../records/document.ts';
import { saysOtherwise } from '../search/differing-values.ts';
import { withoutKeepMark } from '../memory-files/keep-mark.ts';
import { contentWords, lineKey, shareOfWordsIn } from '../memory-files/line-likeness.ts';

/** Minimum share of a line's words from an older line that it repeats with a word or two more. */
const REPEATED_SHARE_MIN = 0.8;
/** Minimum share of a line's words that a line about the same thing, which replaces it, keeps. */
const REPLACED_SHARE_MIN = 0.4;

/** A line with what the comparisons need, read once. */
export interface ComparableLine {
  readonly text: string;
  readonly key: string;
  /** Its words in order, without articles and punctuation. */
  readonly said: string;
  /** The same for each of its clauses. */
  readonly clauses: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}

export interface KnownLine {
  readonly line: DocumentLine;
  readonly read: ComparableLine;
}

export function comparableLine(text: string): ComparableLine {
  const tokens = tokensOf(plainText(withoutKeepMark(text)));
  const said = saidIn(tokens);
  return {
    text,
    key: lineKey(text),
    said,
    clauses: clausesOf(tokens, said),
    words: contentWords(text),
  };
}

/**
 * Whether two lines have the same words in the same order, except articles and punctuation, so that
 * there is no reason to rewrite one. Any other difference may be the change itself: "black tea"
 * after "black coffee", or who manages whom.
 */
export function isSame(one: ComparableLine, other: ComparableLine): boolean {
  return one.key === other.key || (one.said !== '' && one.said === other.said);
}

/** Whether a line equals another line or a whole clause of it. */
export function isContained(line: ComparableLine, by: ComparableLine): boolean {
  return isSame(line, by) || (line.said !== '' && by.clauses.has(line.said));
}

/** Whether a newer line repeats an older one with a little more, and does not contradict it. */
export function isRepeated(older: ComparableLine, newer: ComparableLine): boolean {
  if (older.words.size < newer.words.size * REPEATED_SHARE_MIN) return false;
  const words = [...older.words];
  let found = 0;
  for (const word of newer.words) if (word === words[found]) found += 1;
  return found > 0 && found === words.length && !saysOtherwise(older.text, newer.text);
}

/** Whether a line that cites another is about the same thing, so that it may replace it. */
export function mayReplace(line: ComparableLine, by: ComparableLine): boolean {
  return shareOfWordsIn(line.words, by.words) >= REPLACED_SHARE_MIN;
}

const ARTICLES = new Set(['a', 'an', 'the']);
/** Punctuation that only separates; marks of money, percent, signs and questions have meaning. */
const STOP = /^[.,;:!…"'“”‘’()[\]*_`。、，！：；]+$/u;

function saidIn(tokens: readonly Token[]): string {
  const words = tokens.flatMap(({ kind, lower }) =>
    (kind === 'Mark' && STOP.test(lower)) || ARTICLES.has(lower) ? [] : [lower],
  );
  return words.join(' ');
}

/** Words of a condition, beside which no clause holds on its own. */
const CONDITIONS = new Set('if unless whether or when once until'.split(' '));
/** The beginning of a clause that only joins it to the one before. */
const JOINS = /^(?:and|but|while|whereas) /u;

function clausesOf(tokens: readonly Token[], said: string): ReadonlySet<string> {
  if (tokens.some(({ lower }) => CONDITIONS.has(lower))) return new Set([said]);
  const clauses: Token[][] = [[]];
  for (const [at, token] of tokens.entries()) {
    if (beginsClause(tokens, at)) clauses.push([]);
    clauses.at(-1)?.push(token);
    if (/^[.;!?。！？；]$/u.test(token.text) && tokens[at + 1]?.glued !== true) clauses.push([]);
  }
  return new Set(
    clauses.map((each) => saidIn(each).replace(JOINS, '')).filter((each) => each !== ''),
  );
}

const LINKS = new Set(['and', 'but', 'while', 'whereas', 'although', 'because', 'so', 'or', ',']);
const SUBJECT = /^(?:\p{Lu}|(?:i|we|you|he|she|they|it)$)/u;

/** Whether a new subject and its verb follow: `Ann leads search and Bob leads billing`. */
function beginsClause(tokens: readonly Token[], at: number): boolean {
  const [link, subject, verb] = tokens.slice(at, at + 3);
  if (link === undefined || subject === undefined || verb === undefined) return false;
  const isVerb = verb.kind === 'Word' && /^\p{Ll}/u.test(verb.text);
  return LINKS.has(link.lower) && SUBJECT.test(subject.text) && isVerb && !NO_VERB.has(verb.lower);
}

const NO_VERB = new Set('and or in on at from for to with by of'.split(' '));

interface Lines {
  readonly lines: readonly Pick<DocumentLine, 'id' | 'text'>[];
}

/**
 * Whether a proposal changes no line. A different order or different headings alone make no new
 * version.
 * @param base the version that the proposal was made from; null if there was none
 */
export function isUnchanged({ lines }: Lines, base: Lines | null): boolean {
  const before = new Map(base?.lines.map(({ id, text }) => [id, text]));
  return lines.length === before.size && lines.every(({ id, text }) => before.get(id) === text);
}
