/** Quotes: words that a fact puts between quotation marks or beside itself as said. */
import { foldedText, plainText } from './plain-text.ts';

/** Shorter ones are titles and single words, which stand for themselves. */
const QUOTE_WORDS_MIN = 3;

/** What stands between quotation marks in a fact, without what was left out. */
export function innerQuotes(text: string): readonly string[] {
  const found = plainText(text).match(/"[^"]{4,2000}"/gu) ?? [];
  return found
    .flatMap((quote) => quote.slice(1, -1).split(/\[?(?:\.\.\.|…)\]?/u))
    .map((part) => foldedText(part).replace(/[.,;:!?]+$/u, ''))
    .filter((part) => part.split(' ').length >= QUOTE_WORDS_MIN);
}

/** Fillers may be left out of what stands between quotation marks, but no word may be put in. */
export function isInnerQuoted(quote: string, folded: readonly string[]): boolean {
  const words = quote.match(/[\p{L}\p{N}]+/gu) ?? [];
  return folded.some((text) => {
    let at = -1;
    return words.every((word) => (at = text.indexOf(word, at + 1)) >= 0);
  });
}

/** A quote stands in one source: its words over two of them are nobody's words. */
export function isQuoted(quote: string, folded: readonly string[]): boolean {
  return folded.some((text) => text.includes(quote));
}
