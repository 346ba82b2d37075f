/**
 * Turns longer than people speak, such as a pasted document, log or e-mail: sources, and not what
 * their speaker says. How much each may take of a text depends on its length alone, so that what
 * it holds, in whatever form or language, leaves room for what was said beside it.
 */

/** Of a message in a chat, in letters: some 200 words. */
const TYPED_LETTERS_MAX = 1_200;
/** Of one utterance in a transcript: in 35 recorded meetings the longest of 20,000 has 3,700. */
const SPOKEN_LETTERS_MAX = 6_000;
/** A sign of Chinese, Japanese or Korean says about as much as so many letters. */
const LETTERS_PER_SIGN = 3;
const SIGN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
/** A turn too long for the store is kept in parts, whose ids end so. */
const PART = /\/part-\d+$/u;

/** What is quoted of a long turn shows whose it is not: `user: “Every pump is checked.”` */
const QUOTED_LINE = /^[^“”]{1,80}: “.*”\p{P}*$/su;

export function quotedLine(speaker: string, said: string): string {
  return said.startsWith('“') ? `${speaker}: ${said}` : `${speaker}: “${said}”`;
}

/** Whether a line hands on what another wrote. */
export function isQuotedLine(line: string): boolean {
  return QUOTED_LINE.test(line);
}

export interface SaidText {
  readonly id: string;
  readonly text: string;
  /** Empty for what was written and has no speaker. */
  readonly speaker: string;
  /** Whether it is a message of a chat, and not of a transcript. */
  readonly isTyped: boolean;
}

/** For each text, the id of the long turn that it is or is a part of; null for all others. */
export function longTurns(texts: readonly SaidText[]): readonly (string | null)[] {
  const lengths = new Map<string, number>();
  for (const { id, text, speaker } of texts) {
    if (speaker === '') continue;
    const key = turnOf(id);
    lengths.set(key, (lengths.get(key) ?? 0) + lettersIn(text));
  }
  return texts.map(({ id, speaker, isTyped }) => {
    const key = turnOf(id);
    const most = isTyped ? TYPED_LETTERS_MAX : SPOKEN_LETTERS_MAX;
    return speaker !== '' && (lengths.get(key) ?? 0) > most ? key : null;
  });
}

function turnOf(id: string): string {
  return id.replace(PART, '');
}

function lettersIn(text: string): number {
  return text.length + (LETTERS_PER_SIGN - 1) * (text.match(SIGN) ?? []).length;
}
