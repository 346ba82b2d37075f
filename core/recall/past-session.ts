/**
 * A session prepared for recall: its turns are split into passages, and their words analyzed once.
 */
import type { Turn } from '../records/turn.ts';
import type { TextAnalyzer } from '../ports/text-analyzer.ts';
import { languageOf } from '../text/language.ts';
import { linedPassages } from './split-into-passages.ts';
import { passageSigns, type PassageSigns } from './question-signs.ts';
import { termIndex, type TermIndex } from './term-index.ts';

/**
 * Function words of German, Spanish, Chinese and French; the analyzer already drops English ones.
 * In a conversation of a hundred turns, word counts do not identify them. Some are also listed as
 * the analyzer stems them: `tien` for `tiene`.
 */
const GERMAN = `
der die das den dem des ein eine einen einem einer eines und oder aber ist sind war waren wär nicht
ich du er sie es wir ihr mich mir dich dir sich uns euch ihm ihn ihnen mit von vom zu zum zur im in
am an auf für als auch dass daß wie wird werden wurde hat habe haben hatte hatten bei bis aus nach
noch schon so man nur wenn was wer wen wem wo wann warum welche welcher welches welchen welchem dann
denn doch ja nein mal mein meine meinen meinem meiner dein deine sein seine unser kein keine keinen
über unter vor hin her kann könnte muss soll will wollte sollte hier da dort jetzt sehr mehr viel
etwas alle alles andere um ob also ganz gar halt eben wieder immer nie
seit gegen sollen welch
`;
const SPANISH = `
el la los las lo un una uno unos unas y o u e pero es era fue ser está están estaba no sí yo tú
vos él ella ellos nosotros me te se nos le les mi mis tu tus su sus de del a al en por para con sin
sobre entre hasta desde que qué quién quien cuál cual cuánto cuándo cómo como dónde donde cuando si
ya muy más menos todo toda todos todas este esta esto ese esa eso aquel hay he ha han había tengo
tiene tener usted ustedes hacer hace hizo va voy ir también porque pues así
soy estoy cuánta tien desd dond sobr entr
`;
const CHINESE = `
的 了 是 我 你 您 他 她 它 们 在 有 和 就 不 也 都 吗 呢 吧 啊 把 给 这 那 哪 什么 怎么 我们 你们 他们
一个 这个 那个 哪个 没有 自己 还是 还有 的是 是什 是哪 了什 我的 你的 时候 我在 我是 是我 你还 么时 的时
`;
/** As the analyzer stems them. Words of other languages are left out: `son`, `car` and `pour`. */
const FRENCH = `
je il elle ell on nous vous ils elles lui leur leurs j n qu et ou donc ne le du au un une cet cett
ces notr votr nos vos qui quoi quel quell quels quand ou avec chez depui tres deja alor as ont avon
avez avait avai avaient sont etait etai etaient etre ete ce estc astu avaistu avezv avonsn
`;

/** In the form of analyzer terms: without diacritics. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  `${GERMAN} ${SPANISH} ${CHINESE} ${FRENCH}`
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036F]/gu, '')
    .trim()
    .split(/\s+/u),
);

/** Contractions that people type without an apostrophe, and their stems: `hes`, `theyr`. */
const TYPED: ReadonlySet<string> = new Set(
  (
    'im hes shes thats theres whats whos wheres hows ive weve youve theyve your youre ' +
    'theyr theyre dont doesnt didnt isnt arent wasnt hasnt havent hadnt wont cant ' +
    'couldnt wouldnt shouldnt'
  ).split(' '),
);

export interface PastTurn {
  readonly turn: Pick<
    Turn,
    'id' | 'sessionId' | 'at' | 'utcOffset' | 'role' | 'speaker' | 'content' | 'trust'
  > & {
    /** Whether this is a line that only restates turns, so that it replaces nothing they say. */
    readonly isRestated?: boolean;
  };
  /** Range of its passages in the session; the end is exclusive. */
  readonly first: number;
  readonly end: number;
  /** Number of terms of all its passages, with repetitions. */
  readonly length: number;
  /** Terms of the name of its speaker; empty if it has none. */
  readonly names: readonly string[];
}

export interface Passage {
  readonly text: string;
  /** Whether it begins a line of its turn. */
  readonly startsLine: boolean;
  /** Index of its turn in the session. */
  readonly turn: number;
  /**
   * Terms of its own words. A query for a speaker's name finds it too, but the name does not make
   * two passages alike.
   */
  readonly terms: readonly string[];
  readonly signs: PassageSigns;
  readonly vector: Float32Array | null;
}

export interface PastSession {
  readonly sessionId: string;
  readonly turns: readonly PastTurn[];
  readonly passages: readonly Passage[];
  readonly index: TermIndex;
}

/** A turn with the vectors of its passages, if it has vectors of the current embedder. */
export interface TurnToRecall {
  readonly turn: PastTurn['turn'];
  readonly vectors: readonly Float32Array[] | null;
}

/** Returns the terms that recall compares: analyzer terms without function words. */
export function recallTerms(analyzer: TextAnalyzer, text: string): readonly string[] {
  return analyzer.terms(text).filter((term) => !FUNCTION_WORDS.has(term) && !TYPED.has(term));
}

/** UTF-16 code units of a session that its language is detected from. */
const LANGUAGE_SAMPLE = 1_000;

function isEnglish(turns: readonly PastTurn[]): boolean {
  let sample = '';
  for (const { turn } of turns) {
    sample += `${turn.content.slice(0, LANGUAGE_SAMPLE - sample.length)}\n`;
    if (sample.length >= LANGUAGE_SAMPLE) break;
  }
  return languageOf(sample) === 'en';
}

/**
 * Prepares a session. @param given turns of one session in order; turns without words are dropped
 */
export function pastSession(
  sessionId: string,
  given: readonly TurnToRecall[],
  analyzer: TextAnalyzer,
): PastSession {
  const turns: PastTurn[] = [];
  const passages: Passage[] = [];
  const names: (readonly string[])[] = [];
  for (const { turn, vectors } of given) {
    const texts = linedPassages(turn.content);
    if (texts.length === 0) continue;
    const first = passages.length;
    // A query that names a speaker matches what that speaker said.
    const named = turn.speaker === null ? [] : recallTerms(analyzer, turn.speaker);
    let length = named.length;
    for (const [index, { text, startsLine }] of texts.entries()) {
      const terms = recallTerms(analyzer, text);
      length += terms.length;
      const vector = vectors?.[index] ?? null;
      const signs = passageSigns(text);
      passages.push({ text, startsLine, turn: turns.length, terms, signs, vector });
      names.push(index === 0 ? named : []);
    }
    turns.push({ turn, first, end: passages.length, length, names: named });
  }
  const index = termIndex(
    passages.map(({ turn, terms }, place) => ({ turn, terms, names: names[place] ?? [] })),
    isEnglish(turns),
  );
  return { sessionId, turns, passages, index };
}
