/** Reads a text for grounding: its sentences, each with its words, clauses and modifiers. */
import { isQuestion } from '../text/question.ts';
import { languageOf, type Language } from '../text/language.ts';
import { LEXICONS } from './lexicon/lexicon-by-language.ts';
import { germanInfinitive, PARTICLES } from './lexicon/german-verbs.ts';
import { withoutIdioms } from './lexicon/idioms.ts';
import type { Lexicon, Modifier } from './lexicon/lexicon.ts';
import { withDigits, withWeekdays } from '../text/chinese-numerals.ts';
import { withFigures } from '../text/spoken-numbers.ts';
import { sentenceRanges } from '../text/sentences.ts';
import { tokensOf, type Token } from '../text/words-and-marks.ts';
import { measuresOf, type Measures } from './quantities-and-times.ts';
import { plainText, withEquivalentPhrases } from './comparable-text.ts';

type WordKind = 'Content' | 'Free' | 'Modifier' | 'Value';

/** A word of a sentence. */
export interface Word {
  readonly text: string;
  readonly lower: string;
  readonly key: string;
  readonly stem: string;
  /** The stem with the particle at the end of its clause, as in `ruft … an`; else as `stem`. */
  readonly whole: string;
  /** Lines of synonyms that contain it: words of one line mean the same. */
  readonly lines: readonly number[];
  readonly kind: WordKind;
  /** Its place among the tokens of its sentence. */
  readonly at: number;
  readonly clause: number;
  /** Whether it has a capital inside a sentence; German nouns do not count. */
  readonly isName: boolean;
  /** Whether it is passive: an auxiliary stands before it, or in the sentence. */
  readonly isPassive: boolean;
}

export interface Sentence {
  /** The sentence as it is in its text. */
  readonly raw: string;
  /** Its place in the text. */
  readonly order: number;
  readonly plain: string;
  readonly lower: string;
  readonly tokens: readonly Token[];
  readonly words: readonly Word[];
  /** By clause; the last entry is for the whole sentence. */
  readonly modifiers: readonly ReadonlySet<Modifier>[];
  readonly measures: Measures;
  readonly hasFirst: boolean;
  readonly hasThird: boolean;
  readonly isQuestion: boolean;
}

/** Returns the language of a claim and what it cites: one lexicon reads both. */
export function commonLanguage(texts: readonly string[]): Language {
  return languageOf(texts.join('\n'));
}

/** Returns the sentences of a text. A sentence never spans two lines. */
export function parsedSentences(text: string, language: Language): readonly Sentence[] {
  return sentenceRanges(text).map(({ start, end }, order) =>
    parsedSentence(text.slice(start, end), order, language),
  );
}

/** Reads one sentence, or a whole claim as one. */
export function parsedSentence(raw: string, order: number, language: Language): Sentence {
  const lexicon = LEXICONS[language];
  const plain = readable(raw, language);
  const tokens = tokensOf(plain);
  const measures = measuresOf(tokens, language);
  const clauses = clausesOf(tokens, measures, language);
  const read = tokens.flatMap((token, at): Word[] => {
    if (token.kind === 'Mark') return [];
    return [
      parsedWord(token, { at, clause: clauses[at] ?? 0, tokens, measures, language, lexicon }),
    ];
  });
  const words = language === 'de' ? withParticles(read, lexicon) : read;
  const lower = plain.toLowerCase();
  const count = (clauses.at(-1) ?? 0) + 1;
  const modifiers = Array.from({ length: count }, (_, clause) => {
    const own = tokens.filter((__, at) => clauses[at] === clause);
    return modifiersOf(
      tokens.filter(
        (__, at) => clauses[at] === clause && !measures.taken.has(at) && !isHyphened(tokens, at),
      ),
      own.map((token) => (token.glued ? '' : ' ') + token.lower).join(''),
      lexicon,
    );
  });
  return {
    raw,
    order,
    plain,
    lower,
    tokens,
    words,
    modifiers: [
      ...modifiers.map((own, clause) => withLeading(own, { clause, modifiers, words, language })),
      new Set(modifiers.flatMap((each) => [...each])),
    ],
    measures,
    hasFirst: tokens.some((token) => lexicon.first.has(token.lower)),
    isQuestion: isQuestion(plain),
    hasThird: tokens.some((token) => lexicon.third.has(token.lower)),
  };
}

/** Joins German verbs with the particle at the end of their clause: `ruft morgen … an`. */
function withParticles(words: readonly Word[], { stem }: Lexicon): readonly Word[] {
  const ends = new Map(words.map(({ clause, lower }) => [clause, lower]));
  return words.map((word): Word => {
    const particle = ends.get(word.clause) ?? '';
    const isVerb = PARTICLES.has(particle) && /^\p{Ll}{3,}/u.test(word.text);
    if (!isVerb || word.lower === particle) return word;
    return { ...word, whole: stem(particle + germanInfinitive(word.lower)) };
  });
}

/** Adds the modifiers of the clause that governs one: `ich überlege, den Garten zu verpachten`. */
function withLeading(
  own: ReadonlySet<Modifier>,
  {
    clause,
    modifiers,
    words,
    language,
  }: {
    readonly clause: number;
    readonly modifiers: readonly ReadonlySet<Modifier>[];
    readonly words: readonly Word[];
    readonly language: Language;
  },
): ReadonlySet<Modifier> {
  if (language !== 'de' || clause === 0) return own;
  const part = words.filter((word) => word.clause === clause);
  const isLed = part[0]?.lower === 'dass' || endsInInfinitive(part);
  return isLed ? new Set([...own, ...(modifiers[clause - 1] ?? [])]) : own;
}

/** Whether a German clause ends in `zu verpachten` or `anzurufen`: the clause before governs it. */
export function endsInInfinitive(part: readonly Word[]): boolean {
  const last = part.at(-1)?.lower ?? '';
  if (part.at(-2)?.lower === 'zu') return /e?n$/u.test(last);
  return /^(?:ab|an|auf|aus|ein|vor|um|mit|nach)zu\p{L}{2,}n$/u.test(last);
}

/** Whether a word is joined by a hyphen: the `no` of `a no-smoking sign` denies nothing. */
function isHyphened(tokens: readonly Token[], at: number): boolean {
  const [hyphen, part] = tokens.slice(at + 1);
  return hyphen?.text === '-' && hyphen.glued && part?.glued === true;
}

function readable(raw: string, language: Language): string {
  const plain = withEquivalentPhrases(plainText(raw).replaceAll(/[*_`#]+/gu, ' '), language);
  const spelled =
    language === 'zh'
      ? withDigits(withWeekdays(plain)).replaceAll(DAY_PART, '$1 ')
      : withoutIdioms(plain, language);
  return withFigures(spelled, language);
}

/** `昨天下午` comes as one word, but names a day and a part of it. */
const DAY_PART =
  /((?:[今昨明后前]天|(?:周|星期|礼拜)[一二三四五六日天\d]))(?=[上下中]午|晚上?|早[上晨]|凌晨|傍晚)/gu;

interface WordParts {
  readonly at: number;
  readonly clause: number;
  readonly tokens: readonly Token[];
  readonly measures: Measures;
  readonly language: Language;
  readonly lexicon: Lexicon;
}

function parsedWord(token: Token, parts: WordParts): Word {
  const { at, clause, tokens, measures, language, lexicon } = parts;
  const lower = bareWord(token.lower);
  const before = tokens[at - 1];
  const opens = before === undefined || /^[.!?:"(;-]$/u.test(before.text);
  const isCapital = /^\p{Lu}/u.test(token.text);
  const isScale =
    lexicon.scales.has(lower) && SCALE_PLACES.some((by) => measures.taken.has(at + by));
  const kind = isScale
    ? 'Free'
    : kindOf(token, lower, { isMeasured: measures.taken.has(at), lexicon });
  return {
    text: token.text,
    lower,
    key: keyOf(lower, lexicon),
    stem: lexicon.stem(lower),
    whole: lexicon.stem(lower),
    lines: linesOf(lower, lexicon),
    kind,
    at,
    clause,
    isPassive: kind !== 'Value' && isPassiveAt(tokens, at, lexicon),
    isName: isCapital && !opens && language !== 'de' && language !== 'zh' && kind === 'Content',
  };
}

/** Offsets from a scale to its number: `12 kilometers long`, `aged 12`, `12 km de largo`. */
const SCALE_PLACES = [-1, 1, -2];

/** Maximum tokens from an auxiliary to its verb: `was not really paid`. */
const AUXILIARY_REACH = 2;

function isPassiveAt(tokens: readonly Token[], at: number, { passive }: Lexicon): boolean {
  if (!passive.participle.test(tokens[at]?.lower ?? '')) return false;
  const near = passive.isFar ? tokens : tokens.slice(Math.max(0, at - AUXILIARY_REACH), at);
  return near.some(({ lower }) => passive.auxiliary.has(lower));
}

/** Returns one key for all forms of a word and its synonyms. */
function keyOf(lower: string, { plain, stem }: Lexicon): string {
  const own = stem(lower);
  return plain.get(lower) ?? plain.get(own) ?? own;
}

function linesOf(lower: string, lexicon: Lexicon): readonly number[] {
  const names = new Set([lower, lexicon.stem(lower), keyOf(lower, lexicon)]);
  return [...names].flatMap((name) => lexicon.lines.get(name) ?? []);
}

function kindOf(
  token: Token,
  lower: string,
  { isMeasured, lexicon }: { isMeasured: boolean; lexicon: Lexicon },
): WordKind {
  if (isMeasured || token.kind === 'Number') return 'Value';
  if (lexicon.modifiers.has(lower) || token.lower.endsWith("n't")) return 'Modifier';
  if (isAllFree(lower, lexicon)) return 'Free';
  if (isModifierHan(lower, lexicon)) return 'Modifier';
  if (lexicon.free.has(lower) || lexicon.first.has(token.lower)) return 'Free';
  // A lone Latin letter says nothing.
  return /^[a-z]$/u.test(lower) ? 'Free' : 'Content';
}

/** Whether a word consists of function words: `都要` comes as one word. */
function isAllFree(lower: string, { free }: Lexicon): boolean {
  return /^\p{Script=Han}{2,}$/u.test(lower) && Array.from(lower).every((sign) => free.has(sign));
}

/** Whether a word consists of modifiers and function words: `尚未` and `只有`. */
function isModifierHan(lower: string, { free }: Lexicon): boolean {
  if (!/^\p{Script=Han}+$/u.test(lower)) return false;
  return Array.from(lower).every((sign) => free.has(sign) || TURN_SIGNS.has(sign));
}

/** Characters that negate or limit what follows; the rules of modifiers compare them. */
export const TURN_SIGNS: ReadonlySet<string> = new Set('不没未仅只');

function bareWord(lower: string): string {
  return lower.replace(/'(?:s|re|ve|ll|d|m)?$/u, '').replace(/^[ldjcmtsn]'(?=\p{L}{2})/u, '');
}

/** What separates two clauses: punctuation and conjunctions. */
const CLAUSE_MARK = /^[,;:()，；：、—]$/u;
const CLAUSE_WORDS: Readonly<Record<Language, ReadonlySet<string>>> = {
  en: new Set('and but while whereas although though or because so'.split(' ')),
  de: new Set('und aber während obwohl oder sondern weil'.split(' ')),
  es: new Set('y e pero mientras aunque o sino porque'.split(' ')),
  zh: new Set(['但', '但是', '而', '并且', '不过', '和', '或']),
};

/** Begins a relative clause, which is a clause of its own: `an orchid that was thought lost`. */
const RELATIVE = /^(?:that|which|who)$/u;
const AUXILIARY = /^(?:is|are|was|were|has|have|had|may|might|could|should)$/u;

/** Returns the clause of each token, counted from 0. */
function clausesOf(
  tokens: readonly Token[],
  { taken }: Measures,
  language: Language,
): readonly number[] {
  let clause = 0;
  return tokens.map((token, at) => {
    const parts =
      CLAUSE_MARK.test(token.text) ||
      CLAUSE_WORDS[language].has(token.lower) ||
      (RELATIVE.test(token.lower) && AUXILIARY.test(tokens[at + 1]?.lower ?? ''));
    if (parts && !taken.has(at)) clause += 1;
    return clause;
  });
}

/** Returns what the words of a clause and its phrases do to the statement. */
export function modifiersOf(
  tokens: readonly Token[],
  lower: string,
  lexicon: Lexicon,
): ReadonlySet<Modifier> {
  const modifiers = new Set<Modifier>();
  for (const token of tokens) {
    const modifier = lexicon.modifiers.get(bareWord(token.lower));
    if (modifier !== undefined) modifiers.add(modifier);
  }
  for (const [pattern, modifier] of lexicon.phrases)
    if (pattern.test(lower)) modifiers.add(modifier);
  return modifiers;
}
