/** What grounding must know of a language: grammar, words that modify a statement, word forms. */
import { wordSet } from '../../text/word-lists.ts';

/** What a word or phrase does to a statement: texts that differ in it say different things. */
export const MODIFIERS = [
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
export type Modifier = (typeof MODIFIERS)[number];

interface Passive {
  readonly auxiliary: ReadonlySet<string>;
  readonly participle: RegExp;
  readonly isFar: boolean;
}

export interface Lexicon {
  /** Function words, and words that add no meaning. */
  readonly free: ReadonlySet<string>;
  /** By word in lower case. */
  readonly modifiers: ReadonlyMap<string, Modifier>;
  /** Patterns of phrases in lower-case text. */
  readonly phrases: readonly (readonly [pattern: RegExp, modifier: Modifier])[];
  readonly first: ReadonlySet<string>;
  readonly third: ReadonlySet<string>;
  readonly passive: Passive;
  /** Verbs of saying: they add nothing if the person who says it is the speaker. */
  readonly saying: ReadonlySet<string>;
  /** By irregular form or synonym: the one word that stands for all of them. */
  readonly plain: ReadonlyMap<string, string>;
  /** By word, stem or plain form: the lines of synonyms that contain it. */
  readonly lines: ReadonlyMap<string, readonly number[]>;
  /** Words that say what a number beside them measures. */
  readonly scales: ReadonlySet<string>;
  /** By preposition or particle: those that mean the opposite. */
  readonly opposites: ReadonlyMap<string, ReadonlySet<string>>;
  readonly stem: (word: string) => string;
}

export interface LexiconText {
  readonly free: string;
  readonly modifiers: Readonly<Partial<Record<Modifier, string>>>;
  readonly phrases?: Readonly<Partial<Record<Modifier, RegExp>>>;
  readonly first: string;
  readonly third: string;
  readonly auxiliary: string;
  readonly participle: RegExp;
  /** Whether the auxiliary of a passive may stand anywhere in the sentence. */
  readonly isFar?: boolean;
  readonly saying: string;
  /** Per line: words that mean the same; of the forms with one stem, one. */
  readonly same: string;
  readonly scales: string;
  /** Pairs of prepositions and particles, separated by commas. */
  readonly opposites?: string;
  readonly stem: (word: string) => string;
}

/**
 * Denials in languages without a lexicon, whose texts are read with the one of another language. A
 * model keeps memories in these languages too, and must not lose a `not`.
 */
const DENIALS_ELSEWHERE =
  wordSet(`pas jamais rien aucun aucune non não nem niet geen nooit inte aldrig
  ikke aldri ingen nie nigdy не нет ни никогда ні ніколи değil hayır δεν μην לא אין لا ليس لم لن
  नहीं không tidak bukan`);
const DENIAL_ELSEWHERE =
  /(?<!\p{L})(?:n['’]\p{L}|non-\p{L}|ne \p{L}+ (?:plus|que)(?!\p{L}))|ない|なかった|ません|않|없/u;

/** Text without spaces can be split in many ways, so such words are searched in the raw text. */
const UNSPACED_WORD = /^\p{Script=Han}{2,}$/u;

export function lexiconOf(text: LexiconText): Lexicon {
  const modifiers = new Map<string, Modifier>();
  for (const word of DENIALS_ELSEWHERE) modifiers.set(word, 'negation');
  for (const modifier of MODIFIERS) {
    for (const word of wordSet(text.modifiers[modifier] ?? '')) modifiers.set(word, modifier);
  }
  const plain = new Map<string, string>();
  const lines = new Map<string, number[]>();
  for (const [at, line] of text.same.trim().split('\n').entries()) {
    const [first = '', ...others] = line.trim().split(/\s+/u);
    const known = plain.get(first) ?? text.stem(first);
    const forms = new Set([first, ...others].flatMap((word) => [word, text.stem(word)]));
    for (const form of forms) {
      if (!plain.has(form)) plain.set(form, known);
      lines.set(form, [...(lines.get(form) ?? []), at]);
    }
  }
  return {
    free: wordSet(text.free),
    modifiers,
    phrases: [
      [DENIAL_ELSEWHERE, 'negation'],
      ...MODIFIERS.flatMap((modifier) => {
        const given = text.phrases?.[modifier];
        const runs = [...wordSet(text.modifiers[modifier] ?? '')].filter((word) =>
          UNSPACED_WORD.test(word),
        );
        return [
          ...(given === undefined ? [] : [[given, modifier] as const]),
          ...(runs.length === 0 ? [] : [[new RegExp(runs.join('|'), 'u'), modifier] as const]),
        ];
      }),
    ],
    first: wordSet(text.first),
    third: wordSet(text.third),
    passive: {
      auxiliary: wordSet(text.auxiliary),
      participle: text.participle,
      isFar: text.isFar ?? false,
    },
    saying: wordSet(text.saying),
    plain,
    lines,
    scales: wordSet(text.scales),
    opposites: oppositesOf(text.opposites ?? ''),
    stem: text.stem,
  };
}

function oppositesOf(pairs: string): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const pair of pairs.split(',')) {
    const [one = '', other] = pair.trim().split(/\s+/u);
    if (other === undefined) continue;
    found.set(one, (found.get(one) ?? new Set()).add(other));
    found.set(other, (found.get(other) ?? new Set()).add(one));
  }
  return found;
}
