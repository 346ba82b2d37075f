/** Splits text into tokens: words, numbers and marks. */
import { UNSPACED } from './words.ts';

export interface Token {
  readonly kind: 'Word' | 'Number' | 'Mark';
  readonly text: string;
  readonly lower: string;
  /** Whether no white space precedes it. */
  readonly glued: boolean;
}

const WORD = String.raw`[\p{L}\p{M}_][\p{L}\p{M}\p{N}_]*(?:'\p{L}+)*`;
const NUMBER = String.raw`\d+(?:[.,']\d+)*`;
const TOKEN = new RegExp(String.raw`(${NUMBER})|([${UNSPACED}]+)|(${WORD})|\S`, 'gu');

/** Segments words of scripts without spaces, by Unicode's rules and ICU's dictionary. */
const SEGMENTER = new Intl.Segmenter('zh', { granularity: 'word' });

/** Returns the tokens of plain text (`plainText`), in time linear in its length. */
export function tokensOf(plain: string): readonly Token[] {
  const tokens: Token[] = [];
  let end = -1;
  for (const match of plain.matchAll(TOKEN)) {
    const [text, number, unspaced, word] = match;
    if (unspaced !== undefined) {
      for (const { segment, index } of SEGMENTER.segment(unspaced)) {
        const glued = match.index === end || index > 0;
        tokens.push({ kind: 'Word', text: segment, lower: segment, glued });
      }
      end = match.index + text.length;
      continue;
    }
    const kind = number === undefined ? (word === undefined ? 'Mark' : 'Word') : 'Number';
    tokens.push({ kind, text, lower: text.toLowerCase(), glued: match.index === end });
    end = match.index + text.length;
  }
  return tokens;
}

/** Returns the lower-case text of a token; empty past the end. */
export function lowerAt(tokens: readonly Token[], index: number): string {
  return tokens[index]?.lower ?? '';
}
