/**
 * Finds turns that are longer than people speak, such as pasted documents, whole or in stored
 * parts.
 */
import { turnOfPart } from './long-turn-parts.ts';

export interface SaidText {
  readonly id: string;
  readonly text: string;
  /** The most letters of a turn that is not long. */
  readonly lettersMax: number;
}

/** A character of Chinese, Japanese or Korean says about as much as this many letters. */
const LETTERS_PER_CJK_CHARACTER = 3;
const CJK_CHARACTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Returns for each text the id of its long turn; null if its turn is not long. */
export function longTurns(texts: readonly SaidText[]): readonly (string | null)[] {
  const lengths = new Map<string, number>();
  for (const { id, text } of texts) {
    const turn = turnOfPart(id);
    lengths.set(turn, (lengths.get(turn) ?? 0) + lettersIn(text));
  }
  return texts.map(({ id, lettersMax }) => {
    const turn = turnOfPart(id);
    return (lengths.get(turn) ?? 0) > lettersMax ? turn : null;
  });
}

function lettersIn(text: string): number {
  return text.length + (LETTERS_PER_CJK_CHARACTER - 1) * (text.match(CJK_CHARACTER) ?? []).length;
}
