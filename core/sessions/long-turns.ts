/** Turns longer than people speak, such as pasted documents, whole or in the parts of a store. */
import { turnOfPart } from './long-turn-parts.ts';

export interface SaidText {
  readonly id: string;
  readonly text: string;
  /** Letters of a turn above which it is long. */
  readonly lettersMax: number;
}

/** A sign of Chinese, Japanese or Korean says about as much as so many letters. */
const LETTERS_PER_SIGN = 3;
const SIGN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** For each text, the id of the long turn that it is or is a part of; null for all others. */
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
  return text.length + (LETTERS_PER_SIGN - 1) * (text.match(SIGN) ?? []).length;
}
