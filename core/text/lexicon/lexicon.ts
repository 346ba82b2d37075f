/** What grounding has to know of a language: grammar, words that turn a statement, forms. */
import { wordSet } from '../stop-words.ts';

/** What a word or phrase does to a statement: two texts that differ in it say another thing. */
export const TURNS = [
  'negation',
  'possibility',
  'obligation',
  'advice',
  'request',
  'wish',
  'permission',
  'intention',
  'condition',
  'cause',
  'all',
  'only',
  'most',
  'half',
  'almost',
  'before',
  'after',
  'until',
  'more',
  'less',
  'up',
  'down',
  'since',
  'former',
  'future',
  'past',
] as const;
export type Turn = (typeof TURNS)[number];

export interface Passive {
  readonly auxiliary: ReadonlySet<string>;
  readonly participle: RegExp;
  readonly isFar: boolean;
}

export interface Lexicon {
  /** Grammar, and words so light that they add nothing. */
  readonly free: ReadonlySet<string>;
  /** Of a word in lower case. */
  readonly turns: ReadonlyMap<string, Turn>;
  /** Of phrases, in lower case text. */
  readonly phrases: readonly (readonly [pattern: RegExp, turn: Turn])[];
  readonly first: ReadonlySet<string>;
  readonly third: ReadonlySet<string>;
  readonly passive: Passive;
  /** Verbs of saying: they add nothing where who says it is who speaks. */
  readonly saying: ReadonlySet<string>;
  /** The plain form of irregular forms and of synonyms: one word for all of them. */
  readonly plain: ReadonlyMap<string, string>;
  readonly stem: (word: string) => string;
}

export interface LexiconText {
  readonly free: string;
  readonly turns: Readonly<Partial<Record<Turn, string>>>;
  readonly phrases?: Readonly<Partial<Record<Turn, RegExp>>>;
  readonly first: string;
  readonly third: string;
  readonly auxiliary: string;
  readonly participle: RegExp;
  /** The auxiliary of a passive may stand anywhere in the sentence. */
  readonly isFar?: boolean;
  readonly saying: string;
  /** A line: words that say the same. */
  readonly same: string;
  readonly stem: (word: string) => string;
}

/** Scripts without spaces are cut in many ways: such words are looked for as they stand. */
const UNSPACED_WORD = /^\p{Script=Han}{2,}$/u;

export function lexiconOf(text: LexiconText): Lexicon {
  const turns = new Map<string, Turn>();
  for (const turn of TURNS) {
    for (const word of wordSet(text.turns[turn] ?? '')) turns.set(word, turn);
  }
  const plain = new Map<string, string>();
  for (const line of text.same.trim().split('\n')) {
    const [first = '', ...others] = line.trim().split(/\s+/u);
    const known = plain.get(first) ?? text.stem(first);
    const forms = [first, ...others].flatMap((word) => [word, text.stem(word)]);
    for (const form of forms) if (!plain.has(form)) plain.set(form, known);
  }
  return {
    free: wordSet(text.free),
    turns,
    phrases: TURNS.flatMap((turn) => {
      const given = text.phrases?.[turn];
      const runs = [...wordSet(text.turns[turn] ?? '')].filter((word) => UNSPACED_WORD.test(word));
      return [
        ...(given === undefined ? [] : [[given, turn] as const]),
        ...(runs.length === 0 ? [] : [[new RegExp(runs.join('|'), 'u'), turn] as const]),
      ];
    }),
    first: wordSet(text.first),
    third: wordSet(text.third),
    passive: {
      auxiliary: wordSet(text.auxiliary),
      participle: text.participle,
      isFar: text.isFar ?? false,
    },
    saying: wordSet(text.saying),
    plain,
    stem: text.stem,
  };
}
