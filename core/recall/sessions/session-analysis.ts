/**
 * What recall reads in the texts of a session, as columns of numbers: its passages, their terms and
 * what they offer. It takes most of the time of a first question, so it is saved; the texts
 * themselves stay in the turns.
 */
import { isQuestion } from '../../text/question.ts';
import type { TextAnalyzer } from '../../ports/text-analyzer.ts';
import { languageOf } from '../../text/language.ts';
import { amountsIn } from './amounts.ts';
import {
  givesAdvice,
  isCode,
  passageSigns,
  VALUE_KINDS,
  type PassageSigns,
} from '../question/answer-types.ts';
import { asksAboutOther, isOfSoftware, tellsOwnLife } from './assistant-as-person.ts';
import { recallTerms } from '../words/recall-terms.ts';
import { linedPassages } from './split-into-passages.ts';
import { styleSettled } from '../question/style-preferences.ts';

/**
 * Change this whenever `analyzeSession` returns something else for any text: other passages, signs
 * or amounts. The analyzer has a revision of its own.
 */
export const SESSION_ANALYSIS_REVISION = 9;

/** Signs of a passage, as bits of `SessionAnalysis.signs`. */
export const SIGNS = {
  hasNames: 1,
  isNumber: 2,
  isDate: 4,
  isTask: 8,
  isPreference: 16,
  isHarm: 32,
  isChange: 64,
  mayChange: 128,
} as const;
/** Other properties of a passage, as bits of `SessionAnalysis.forms`. */
export const FORMS = {
  startsLine: 1,
  code: 2,
  question: 4,
  advice: 8,
  ownLife: 16,
  asksAboutOther: 32,
  software: 64,
} as const;

/** The start of a passage whose text is not a piece of its turn, but one of `texts`. */
const NOT_A_PIECE = 0xffff_ffff;

export interface SessionAnalysis {
  /** Whether terms are compared whole, as English stems are, and not by their beginnings. */
  readonly isWhole: boolean;
  /** The terms of all passages, once each; other columns have their places in this list. */
  readonly words: readonly string[];
  /** By turn: the number of its passages; 0 for a turn without words. */
  readonly passages: Uint32Array;
  /** By passage: where its text begins in its turn, in UTF-16 code units, and its length. */
  readonly starts: Uint32Array;
  readonly units: Uint32Array;
  /** Texts of passages that join sentences with other white space than the turn has, in order. */
  readonly texts: readonly string[];
  /** By passage: bits of `FORMS`, of signs, and of the kinds of its values; how much it tells. */
  readonly forms: Uint8Array;
  readonly signs: Uint8Array;
  readonly kinds: Uint8Array;
  /** By passage: what it settles about writing, as the bits of `styleSettled`. */
  readonly writing: Uint16Array;
  readonly worths: Float64Array;
  /** By passage: the number of its terms. Then the terms of all passages, with repetitions. */
  readonly lengths: Uint32Array;
  readonly terms: Uint32Array;
  /** By passage: the number of its amounts. Then the amounts of all passages. */
  readonly amountCounts: Uint32Array;
  readonly amounts: Float64Array;
}

/** UTF-16 code units of a session that its language is detected from. */
const LANGUAGE_SAMPLE = 1_000;

/**
 * Reads the texts of the turns of one session.
 * @param contents in order; any may have no words
 * @param known the analysis of the first of them, which are not read again
 */
export function analyzeSession(
  contents: readonly string[],
  analyzer: TextAnalyzer,
  known: SessionAnalysis | null = null,
): SessionAnalysis {
  const places = new Map(known?.words.map((word, place) => [word, place]));
  const termsOf = (text: string): readonly number[] =>
    recallTerms(analyzer, text).map((term) => {
      const place = places.get(term) ?? places.size;
      if (place === places.size) places.set(term, place);
      return place;
    });
  const passagesOf = contents.slice(known?.passages.length).map((content) => {
    let after = 0;
    return linedPassages(content).map(({ text, startsLine }) => {
      const start = content.indexOf(text, after);
      if (start >= 0) after = start + text.length;
      const form =
        (startsLine ? FORMS.startsLine : 0) |
        (isCode(text) ? FORMS.code : 0) |
        (isQuestion(text) ? FORMS.question : 0) |
        (givesAdvice(text) ? FORMS.advice : 0) |
        (tellsOwnLife(text) ? FORMS.ownLife : 0) |
        (asksAboutOther(text) ? FORMS.asksAboutOther : 0) |
        (isOfSoftware(text) ? FORMS.software : 0);
      const signs = passageSigns(text);
      const amounts = signs.isNumber ? amountsIn(text) : [];
      return { text, start, form, signs, amounts, terms: termsOf(text) };
    });
  });
  const all = passagesOf.flat();
  const passages = [...(known?.passages ?? []), ...passagesOf.map(({ length }) => length)];
  const added: SessionAnalysis = {
    isWhole: isEnglish(contents.filter((_, at) => passages[at] !== 0)),
    words: [...places.keys()],
    passages: Uint32Array.from(passages),
    starts: Uint32Array.from(all, ({ start }) => (start < 0 ? NOT_A_PIECE : start)),
    units: Uint32Array.from(all, ({ text }) => text.length),
    texts: all.flatMap(({ start, text }) => (start < 0 ? [text] : [])),
    forms: Uint8Array.from(all, ({ form }) => form),
    signs: Uint8Array.from(all, ({ signs }) => signBits(signs)),
    kinds: Uint8Array.from(all, ({ signs }) =>
      signs.kinds.reduce((bits, kind) => bits | (1 << VALUE_KINDS.indexOf(kind)), 0),
    ),
    writing: Uint16Array.from(all, ({ text }) => styleSettled(text)),
    worths: Float64Array.from(all, ({ signs }) => signs.worth),
    lengths: Uint32Array.from(all, ({ terms }) => terms.length),
    terms: Uint32Array.from(all.flatMap(({ terms }) => terms)),
    amountCounts: Uint32Array.from(all, ({ amounts }) => amounts.length),
    amounts: Float64Array.from(all.flatMap(({ amounts }) => amounts)),
  };
  return known === null ? added : joined(known, added);
}

/** Joins what was read of a session's first turns with what was read of those after them. */
function joined(known: SessionAnalysis, added: SessionAnalysis): SessionAnalysis {
  return {
    ...added,
    texts: [...known.texts, ...added.texts],
    starts: new Uint32Array([...known.starts, ...added.starts]),
    units: new Uint32Array([...known.units, ...added.units]),
    forms: new Uint8Array([...known.forms, ...added.forms]),
    signs: new Uint8Array([...known.signs, ...added.signs]),
    kinds: new Uint8Array([...known.kinds, ...added.kinds]),
    writing: new Uint16Array([...known.writing, ...added.writing]),
    worths: new Float64Array([...known.worths, ...added.worths]),
    lengths: new Uint32Array([...known.lengths, ...added.lengths]),
    terms: new Uint32Array([...known.terms, ...added.terms]),
    amountCounts: new Uint32Array([...known.amountCounts, ...added.amountCounts]),
    amounts: new Float64Array([...known.amounts, ...added.amounts]),
  };
}

function isEnglish(contents: readonly string[]): boolean {
  let sample = '';
  for (const content of contents) {
    sample += `${content.slice(0, LANGUAGE_SAMPLE - sample.length)}\n`;
    if (sample.length >= LANGUAGE_SAMPLE) break;
  }
  return languageOf(sample) === 'en';
}

function signBits(signs: PassageSigns): number {
  return Object.entries(SIGNS).reduce(
    (bits, [sign, bit]) => (signs[sign as keyof typeof SIGNS] ? bits | bit : bits),
    0,
  );
}

/** Returns the signs of a passage. @param place the passage, by its number in the session */
export function signsAt(
  { signs, kinds, worths }: Pick<SessionAnalysis, 'signs' | 'kinds' | 'worths'>,
  place: number,
): PassageSigns {
  const bits = signs[place] ?? 0;
  const has = Object.entries(SIGNS).map(([sign, bit]) => [sign, (bits & bit) > 0] as const);
  return {
    ...(Object.fromEntries(has) as Record<keyof typeof SIGNS, boolean>),
    kinds: VALUE_KINDS.filter((_, kind) => ((kinds[place] ?? 0) & (1 << kind)) > 0),
    worth: worths[place] ?? 0,
  };
}

/** Returns the texts of the passages of all turns. @param contents the turns that were analyzed */
export function passageTexts(
  { passages, starts, units, texts }: SessionAnalysis,
  contents: readonly string[],
): readonly string[] {
  const others = texts.values();
  const found: string[] = [];
  for (const [turn, content] of contents.entries()) {
    const end = found.length + (passages[turn] ?? 0);
    while (found.length < end) {
      const start = starts[found.length] ?? 0;
      const text =
        start === NOT_A_PIECE
          ? (others.next().value ?? '')
          : content.slice(start, start + (units[found.length] ?? 0));
      found.push(text);
    }
  }
  return found;
}
