/** Reads the parts of a sentence: its clauses, and what words such as `if` introduce in them. */
import type { Language } from '../text/language.ts';
import { isKin } from '../text/people-words.ts';
import { SAYS_LITTLE } from '../text/stop-words.ts';
import { wordSet } from '../text/word-lists.ts';
import { LEXICONS } from './lexicon/lexicon-by-language.ts';
import type { Modifier } from './lexicon/lexicon.ts';
import { modifiersOf, type Sentence, type Word } from './parsed-sentence.ts';
import { isFirstPerson } from './pronouns-and-nouns.ts';

/** A part of a sentence: a clause, or what a word such as `if` introduces. */
export interface Part {
  readonly at: number;
  /** Its first token. */
  readonly from: number;
  /** Words that say something: content, numbers, modifiers and `I`. */
  readonly words: readonly Word[];
  readonly modifiers: ReadonlySet<Modifier>;
  readonly lower: string;
  /** The mark or word that opens it, such as `but`. */
  readonly opener: string;
}

/** Words that open a part of their own, apart from what parts clauses anyway. */
export const OPENERS: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: wordSet('if unless because when until'),
  de: wordSet('wenn falls weil sofern'),
  es: wordSet('si porque cuando'),
  zh: wordSet('如果 要是 因为 除非'),
};

/** Words and marks that set what follows against what precedes. */
export const CONTRASTS =
  wordSet(`; ； but whereas although though however aber sondern obwohl hingegen dagegen pero sino
    aunque 但 但是 而 不过`);

/** Returns the parts of a sentence that have words, in order. */
export function partsOf({ tokens, words }: Sentence, language: Language): readonly Part[] {
  const lexicon = LEXICONS[language];
  const byPlace = new Map(words.map((word) => [word.at, word]));
  const groups: { tokens: number[]; words: Word[]; opener: string }[] = [];
  let clause = -1;
  let opener = '';
  for (const [at, token] of tokens.entries()) {
    const word = byPlace.get(at);
    const isNext = word !== undefined && word.clause !== clause;
    if (token.kind === 'Mark' && CONTRASTS.has(token.lower)) opener = token.lower;
    if (isNext || (OPENERS[language].has(token.lower) && groups.length > 0)) {
      groups.push({ tokens: [], words: [], opener: opener === '' ? token.lower : opener });
      opener = '';
    }
    if (word !== undefined) clause = word.clause;
    const group = groups.at(-1);
    group?.tokens.push(at);
    if (word !== undefined && isTelling(word, tokens, language)) group?.words.push(word);
  }
  return groups
    .filter((group) => group.words.length > 0)
    .map((group, at): Part => {
      const own = group.tokens.flatMap((place) => tokens[place] ?? []);
      const lower = own.map((token) => (token.glued ? '' : ' ') + token.lower).join('');
      const modifiers = modifiersOf(own, lower, lexicon);
      return {
        at,
        from: group.tokens[0] ?? 0,
        words: group.words,
        opener: group.opener,
        modifiers,
        lower,
      };
    });
}

function isTelling(word: Word, tokens: Sentence['tokens'], language: Language): boolean {
  if (isFirstPerson(word, language)) return !isOwner(word, tokens, language);
  if (isTense(word.lower, language)) return false;
  if (word.kind === 'Free') return isNoun(word, language);
  // The `one` of `the younger one` counts nothing.
  return !/^ones?$/u.test(word.lower);
}

/** Minimum letters of a word that says something, though it adds little to a claim: `members`. */
const NOUN_CHARS_MIN = 5;

function isNoun({ lower, text }: Word, language: Language): boolean {
  if (language === 'zh' || lower.length < NOUN_CHARS_MIN) return false;
  if (LEXICONS[language].saying.has(lower) || SAYS_LITTLE.has(lower)) return false;
  return language !== 'de' || /^\p{Lu}/u.test(text);
}

function isTense(lower: string, language: Language): boolean {
  return /^(?:past|future)$/u.test(LEXICONS[language].modifiers.get(lower) ?? '');
}

/** Whether the Chinese `我` only owns somebody: `我姐姐`. */
function isOwner({ at }: Word, tokens: Sentence['tokens'], language: Language): boolean {
  const behind = tokens[at + 1]?.lower ?? '';
  return language === 'zh' && (behind === '的' || isKin(behind, language));
}

export const COORDINATORS = wordSet('and or nor und oder sowie y e o u 和 与 或 及 跟');

/** Says of each of two joined things what is said of both: `Ann and Bob pay` as `Ann pay`. */
export function distributed(parts: readonly Part[], { tokens }: Sentence): readonly Part[] {
  return parts.flatMap((part, at): Part[] => {
    const next = parts[at + 1];
    const [first] = next?.words ?? [];
    const last = part.words.at(-1);
    if (next === undefined || first === undefined || last === undefined) return [];
    if (!tokens.slice(last.at, first.at).some(({ lower }) => COORDINATORS.has(lower))) return [];
    const things = (words: readonly Word[]): number =>
      words.filter(({ kind }) => kind === 'Content' || kind === 'Value').length;
    const modifiers = new Set([...part.modifiers, ...next.modifiers]);
    // `Ann and Bob pay`, and `my sister Ann and my brother Bob pay`.
    if (things(part.words) <= 2 && things(next.words) > 1) {
      const words = [...part.words, ...next.words.slice(things(part.words))];
      return [next, { ...next, modifiers, words }];
    }
    // `Pay Ann and Bob`.
    if (things(next.words) === 1) {
      return [{ ...part, modifiers, words: [...part.words.slice(0, -1), ...next.words] }];
    }
    return [];
  });
}
