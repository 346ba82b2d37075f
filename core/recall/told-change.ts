/**
 * Whether a newer text tells that what an older one says has changed: the one rule for turns,
 * memories and sentences of summaries, where the rules of extraction do not say for certain what
 * has ended.
 */
import { lastingOf, type Lasting } from '../extraction/lasting.ts';
import { saysNothingLasting } from '../extraction/statement.ts';
import { memoized } from '../text/memoized.ts';
import { haveOneKind, passageSigns, type PassageSigns } from './question-signs.ts';
import { mayHaveOneSubject } from './sentence-subjects.ts';

/** A text as far as the comparison reads it. */
export interface DatedText {
  readonly content: string;
  /** Since when it holds, in milliseconds since the epoch. */
  readonly at: number;
  /** Terms of the content, as a search compares them. */
  readonly terms: readonly string[];
}

/** What the rules read in a text. */
export interface Reading {
  readonly signs: PassageSigns;
  readonly lasting: Lasting;
}

/** In how many texts a term stands, as far as anybody knows. */
export type TextsWith = (term: string) => number;

/** A text with what the rules read in it. */
export interface ReadText extends DatedText, Reading {
  readonly textsWith: TextsWith;
}

/** A term identifies a topic if at most this many texts have it. */
const TELLING_TEXTS_MAX = 6;
/** Share of the words of a text that its replacement repeats; the rest is the old value. */
const REPEATED_SHARE_MIN = 0.6;

const NO_OTHERS: TextsWith = () => 0;

/** What the rules read in memories that answers hold again and again; these take about 8 MB. */
const readingOf = memoized(
  (content): Reading => ({ signs: passageSigns(content), lasting: lastingOf(content) }),
  { entriesMax: 2_048, unitsMax: 1_024 },
);

export function readText(text: DatedText, textsWith: TextsWith = NO_OTHERS): ReadText {
  return { ...text, ...readingOf(text.content), textsWith };
}

/**
 * A word of change and a value of the same kind, with a word that few texts have; or a weaker word
 * of change, with most words of the older text.
 */
export function isToldChange(older: ReadText, newer: ReadText): boolean {
  const { isChange, mayChange } = newer.signs;
  if (!mayChange || !haveOneKind(older.signs, newer.signs)) return false;
  const own = new Set(older.terms);
  const said = new Set(newer.terms);
  const repeated = [...said].filter((term) => own.has(term));
  const isTelling = (term: string): boolean =>
    older.textsWith(term) + newer.textsWith(term) <= TELLING_TEXTS_MAX;
  const isMost = repeated.length >= own.size * REPEATED_SHARE_MIN && repeated.length < said.size;
  if (repeated.length === 0 || !(isMost || (isChange && repeated.some(isTelling)))) return false;
  return mayHaveOneSubject(older.content, newer.content) && !saysNothingLasting(newer.content);
}
