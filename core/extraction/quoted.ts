/** What stands between quotation marks: the words of somebody else, or of another time. */
import { oneOf } from '../text/pattern.ts';

/** Each pair of marks, no longer than a quoted talk; an apostrophe opens no quote. */
const QUOTES = new RegExp(
  [
    '“[^“”]{1,1000}[”“]',
    '„[^„“”]{1,1000}[“”]',
    '«[^«»]{1,1000}»',
    '»[^«»]{1,1000}«',
    '「[^「」]{1,1000}」',
    '『[^『』]{1,1000}』',
    '"[^"\\n]{1,1000}"',
    String.raw`(?<![\p{L}\p{N}])'(?=\p{L})[^'\n]{1,1000}(?:(?<=\p{L})'\p{L}[^'\n]{1,1000}` +
      String.raw`){0,20}'(?!\p{L})`,
    String.raw`‘[^‘\n]{1,1000}?’(?!\p{L})`,
    // Of a sentence that ends within its quote.
    String.raw`(?<=^|[\s:：,，(（\p{Script=Han}])["“„«「『][^"“”„«»「」『』\n]{1,240}$`,
  ].join('|'),
  'gu',
);

interface QuotedRange {
  readonly start: number;
  readonly end: number;
}

/** Where a text quotes, with the marks. */
export function quotedRanges(text: string): readonly QuotedRange[] {
  return [...text.matchAll(QUOTES)].map(({ 0: quote, index }) => ({
    start: index,
    end: index + quote.length,
  }));
}

/** The text without what it quotes. */
export function withoutQuotes(text: string): string {
  return text.replace(QUOTES, ' ');
}

/** Whether a part of a text, from `start` to `end`, is wholly quoted. */
export function isQuoted(ranges: readonly QuotedRange[], start: number, end: number): boolean {
  return ranges.some((range) => range.start <= start && end <= range.end);
}

/** A text of several lines, as one pastes it between three marks. */
export const QUOTED_BLOCK = /("""|'''|«««)[\s\S]{1,4000}?(?:\1|»»»|$)/gu;
/** `Here is the customer's mail:`, and a letter below it. */
const LETTER = new RegExp(
  String.raw`[:：][ \t]*\n\s*` +
    oneOf(String.raw`
      dear, hi, hello, to whom, good (?:morning|afternoon|evening|day), sehr geehrte[rn]?,
      liebe[r]?, hallo, guten tag, estimad[oa]s?, querid[oa]s?, hola,
      buen[oa]s (?:días|tardes), 尊敬的, 亲爱的, 您好
    `) +
    String.raw`(?![\p{L}\p{N}])`,
  'iu',
);

export function hasLetter(text: string): boolean {
  return LETTER.test(text);
}

/** The text without what it hands on: no block between marks, and no letter to its end. */
export function withoutHandedOn(text: string): string {
  const letter = LETTER.exec(text)?.index ?? text.length;
  return text.slice(0, letter).replace(QUOTED_BLOCK, '\n');
}
