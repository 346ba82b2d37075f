/** Names: told by capital letters inside sentences, by who speaks, and by common given names. */
import { isGivenName } from './given-name.ts';
import { isFunctionWord } from './statement.ts';
import { unitsOf } from './unit.ts';
import { monthOf, weekdayOf } from './calendar-word.ts';
import type { Token } from './token.ts';

/** Which words are names in the texts of one scope, and who speaks there. */
export interface NameBook {
  readonly isName: (token: Token) => boolean;
}

const ROLES = new Set(['user', 'assistant', 'system', 'tool']);
/** Words of these languages in front of a noun: their nouns have capitals too. */
const GERMAN = new Set(
  'der die das den dem und ist nicht ein eine mit für auf im wir ich'.split(' '),
);

/** Collects the names of all texts: a word is none where it also stands in small letters. */
export function nameBook(
  texts: readonly (readonly Token[])[],
  speakers: readonly string[],
): NameBook {
  const spoken = new Set(
    speakers
      .filter((name) => !ROLES.has(name.toLowerCase()))
      .flatMap((name) => name.toLowerCase().split(/\s+/u)),
  );
  const capital = new Set<string>();
  const small = new Set<string>();
  for (const tokens of texts) {
    const words = tokens.filter(({ kind }) => kind === 'Word');
    const german = words.filter(({ lower }) => GERMAN.has(lower)).length;
    if (german * GERMAN_SHARE > words.length) continue;
    for (const [index, token] of tokens.entries()) {
      if (/^\p{Ll}/u.test(token.text)) small.add(bare(token.lower));
      else if (isInside(tokens, index)) capital.add(bare(token.lower));
    }
  }
  return {
    isName: (token) => {
      if (token.kind !== 'Word' || !/^\p{Lu}/u.test(token.text)) return false;
      const word = bare(token.lower);
      if (spoken.has(word) && word !== 'i') return true;
      if (!/^\p{Lu}\p{L}/u.test(token.text)) return false;
      if (small.has(word)) return false;
      return (
        isGivenName(word) ||
        (!isNoName(word) && capital.has(word) && !/^\p{Lu}{2,}$/u.test(token.text))
      );
    },
  };
}

/** One marker in this many words makes a text German: its capitals mean nothing. */
const GERMAN_SHARE = 8;

/** A name without its possessive. */
export function bare(lower: string): string {
  return lower.replace(/'s?$/u, '');
}

function isNoName(word: string): boolean {
  return (
    isFunctionWord(word) ||
    monthOf(word) !== undefined ||
    weekdayOf(word) !== undefined ||
    unitsOf(word).length > 0
  );
}

/** A capital at the beginning of a sentence means nothing. */
function isInside(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index];
  const before = tokens[index - 1];
  if (token?.kind !== 'Word' || before === undefined) return false;
  return before.kind === 'Word' || before.text === ',';
}
