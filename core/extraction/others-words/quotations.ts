/** Finds text between quotation marks: words of somebody else, or of another time. */

/** A quotation in each kind of marks, up to a maximum length; an apostrophe opens no quotation. */
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
    // For a sentence that ends inside its quotation.
    String.raw`(?<=^|[\s:：,，(（\p{Script=Han}])["“„«「『][^"“”„«»「」『』\n]{1,240}$`,
  ].join('|'),
  'gu',
);

/** Without one of these, nothing is quoted. */
const OPENS = /["'“„«»「『‘]/u;

/** A mark of a quotation, also of one that does not end; the apostrophe of `I'm` is none. */
const MARK = /["“”„«»「」『』]|(?<![\p{L}\p{N}])['‘](?=\p{L})/u;

/** Whether a text may quote somebody. */
export function mayQuote(text: string): boolean {
  return MARK.test(text);
}

interface QuotedRange {
  readonly start: number;
  readonly end: number;
}

/** Returns the ranges of the quotations in a text, including the marks. */
export function quotedRanges(text: string): readonly QuotedRange[] {
  if (!OPENS.test(text)) return [];
  return [...text.matchAll(QUOTES)].map(({ 0: quote, index }) => ({
    start: index,
    end: index + quote.length,
  }));
}

/** Returns the text without its quotations. */
export function withoutQuotes(text: string): string {
  if (!OPENS.test(text)) return text;
  return text.replace(QUOTES, ' ');
}

/** Whether a part of a text, from `start` to `end`, is wholly quoted. */
export function isInQuotes(ranges: readonly QuotedRange[], start: number, end: number): boolean {
  return ranges.some((range) => range.start <= start && end <= range.end);
}
