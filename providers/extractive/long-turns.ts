/**
 * Turns longer than people speak, such as a pasted document, log or e-mail: sources, and not what
 * their speaker says. How much each may take of a text depends on its length alone, so that what
 * it holds, in whatever form or language, leaves room for what was said beside it. A short message
 * that hands on what others wrote counts as one.
 */
import { isHandedOn } from '#core/extraction/handed-on.ts';
import { longTurns } from '#core/conversation/long-turns.ts';
import type { ExtractSource } from './extract.ts';
import { turnKind } from './speaker-turns.ts';

/** By the kind of turn: of a message in a chat some 200 words. */
const LETTERS_MAX = {
  Written: Infinity,
  Typed: 1_200,
  // In 35 recorded meetings the longest utterance of 20,000 has 3,700.
  Spoken: 6_000,
} as const;

/** The sources, of which those of long turns say so. */
export function withLongTurns(sources: readonly ExtractSource[]): readonly ExtractSource[] {
  const long = longTurns(
    sources.map(({ id, text, speaker = '' }) => ({
      id,
      text,
      lettersMax: LETTERS_MAX[turnKind(speaker)],
    })),
  );
  return sources.map((source, index) => {
    const longTurn = long[index] ?? (isTypedAndHandedOn(source) ? source.id : null);
    return longTurn === null ? source : { ...source, longTurn };
  });
}

function isTypedAndHandedOn({ text, speaker = '' }: ExtractSource): boolean {
  return turnKind(speaker) === 'Typed' && isHandedOn(text);
}
