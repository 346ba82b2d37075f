/**
 * Checks reports: what a source only says that somebody says, or orders somebody to say, is not
 * stated. `Bob said the server was down` does not support `The server was down`.
 */
import type { Language } from '../text/language.ts';
import { wordSet } from '../text/word-lists.ts';
import { LEXICONS } from './lexicon/lexicon-by-language.ts';
import type { CitedClaim } from './cited-claim.ts';
import type { DropReason } from './drop-reason.ts';
import type { Sentence, Word } from './parsed-sentence.ts';
import { isFirstPerson } from './pronouns-and-nouns.ts';
import type { Matches } from './word-coverage.ts';

/** What somebody says, or is told to say, within a sentence. */
interface Report {
  /** Tokens of what is said, from the first to the one before the last. */
  readonly from: number;
  readonly to: number;
  /** Words that name who says it; empty for an order, a quotation or a pronoun. */
  readonly sayers: readonly Word[];
  readonly isOrder: boolean;
}

/** Finds a claim that states what a sentence only reports, or reports what it states. */
export function reportDiffers(judged: CitedClaim): DropReason | null {
  const { claim, cover, language } = judged;
  const own = reportsOf(claim, language);
  const isAsking = claim.words.some(({ lower }) => LEXICONS[language].saying.has(lower));
  const isOther = cover.places.some(({ sentence, matches }) => {
    const reports = [...reportsOf(sentence, language), ...quotesOf(sentence)];
    if (reports.length === 0) return false;
    const items = itemsOf(claim, sentence, matches);
    const parts = { items, own, sentence, isAsking: isAsking || own.length > 0 };
    return reports.some((report) => isOtherwise(report, parts));
  });
  return isOther ? 'AttributionDiffers' : null;
}

/** A word of the claim, and the words of the sentence that it may stand for. */
type Item = readonly [own: Word, stated: readonly Word[]];

/** Maximum places of one word in a sentence; further ones are not compared. */
const STATED_MAX = 16;

function itemsOf(claim: Sentence, sentence: Sentence, matches: Matches): readonly Item[] {
  const isExact = ({ kind }: Word): boolean => kind === 'Value' || kind === 'Modifier';
  const exact = Map.groupBy(
    sentence.words.filter(isExact),
    ({ kind, lower }) => `${kind} ${lower}`,
  );
  return claim.words.flatMap((word): Item[] => {
    const stated = isExact(word) ? exact.get(`${word.kind} ${word.lower}`) : matches.get(word);
    return stated === undefined || stated.length === 0 ? [] : [[word, stated.slice(0, STATED_MAX)]];
  });
}

interface Compared {
  readonly items: readonly Item[];
  readonly own: readonly Report[];
  readonly sentence: Sentence;
  /** Whether the claim reports something itself. */
  readonly isAsking: boolean;
}

function isOtherwise(report: Report, { items, own, sentence, isAsking }: Compared): boolean {
  const said = items.filter(([, stated]) => stated.every((word) => isIn(report, word)));
  const isReported = (word: Word): boolean => own.some((each) => isIn(each, word));
  const content = said.filter(([word]) => word.kind === 'Content');
  if (report.isOrder) return content.length > 0 && !content.some(([word]) => isReported(word));
  const isAboutSayer = beginsWithPronoun(report, sentence);
  if (report.sayers.length === 0) {
    return content.length > 1 && said.length === items.length && !isAsking && !isAboutSayer;
  }
  const isNamed = items.some(([, [word]]) => word !== undefined && report.sayers.includes(word));
  if (content.length > 0 && said.some(([word]) => !isReported(word))) {
    // `Carla checked the server` takes from the report only what `it` stands for.
    const beside = items.filter(
      ([word, stated]) =>
        word.clause === said[0]?.[0].clause && !stated.some((each) => isIn(report, each)),
    );
    const isOnlyThing = content.length === 1 && beside.length > 1;
    // `Helen said she moved` says who moved.
    if (!(isNamed && isAboutSayer) && !isOnlyThing) return !(isAsking && isNamed);
  }
  if (!isNamed) return content.length > 1;
  return items.some(
    ([word, stated]) =>
      word.kind !== 'Value' && isReported(word) && !stated.some((each) => isIn(report, each)),
  );
}

function isIn({ from, to }: Report, { at }: Word): boolean {
  return at >= from && at < to;
}

/** Whether what is said begins with a pronoun, which stands for who says it. */
function beginsWithPronoun({ from, to }: Report, { tokens }: Sentence): boolean {
  return tokens
    .slice(from, Math.min(to, from + PRONOUN_REACH))
    .some(({ lower }) => PRONOUNS.has(lower));
}

const PRONOUN_REACH = 3;
const PRONOUNS =
  wordSet(`he she they his her their i we my our er sie sein seine ihr ihre él ella ellos ellas
  su sus 他 她 自己`);

interface SayWords {
  /** Verbs of saying that do not vouch for what is said. */
  readonly verbs: ReadonlySet<string>;
  /** Forms that tell somebody to say something. */
  readonly orders: ReadonlySet<string>;
  /** Words before the sayer, as in `according to Bob`. */
  readonly by: ReadonlySet<string>;
  readonly that: ReadonlySet<string>;
}

const SAY: Readonly<Record<Language, SayWords>> = {
  en: {
    verbs: wordSet('say says said saying claims claimed thinks thought believes believed'),
    orders: wordSet('say write tell claim pretend answer reply state respond output print'),
    by: wordSet('according'),
    that: wordSet('that : "'),
  },
  de: {
    verbs: wordSet('sagt sagte sagten meint meinte behauptet behauptete glaubt glaubte'),
    orders: wordSet('sag sage schreib schreibe antworte behaupte sagen schreiben'),
    by: wordSet('laut'),
    that: wordSet('dass daß : "'),
  },
  es: {
    verbs: wordSet('dice dijo dicen dijeron cree creía afirma afirmó'),
    orders: wordSet('di dile escribe responde afirma contesta decir'),
    by: wordSet('según'),
    that: wordSet('que : "'),
  },
  zh: {
    verbs: wordSet('说 声称 认为 觉得'),
    orders: wordSet('说 写 写道 回答 回复'),
    by: wordSet('据'),
    that: wordSet(''),
  },
};

/** Words that end what somebody says. */
const ENDS = wordSet('; ； but however whereas aber doch sondern pero sino 但 但是 不过 而');
/** Maximum tokens from a verb of saying to `that`: `write in the summary that`. */
const THAT_REACH = 7;

/** Maximum words of saying that are read in one sentence. */
const REPORTS_MAX = 16;

function reportsOf(sentence: Sentence, language: Language): readonly Report[] {
  const { tokens, words } = sentence;
  const { verbs, orders, by, that } = SAY[language];
  const endAt = (from: number): number => {
    const end = tokens.findIndex(({ lower }, at) => at > from && ENDS.has(lower));
    return end < 0 ? tokens.length : end;
  };
  const thatAt = (from: number): number =>
    tokens.findIndex(({ lower }, at) => at > from && at <= from + THAT_REACH && that.has(lower));
  const isSaying = (lower: string): boolean =>
    by.has(lower) || verbs.has(lower) || orders.has(lower);
  const places = tokens.flatMap(({ lower }, at) => (isSaying(lower) ? at : []));
  return places.slice(0, REPORTS_MAX).flatMap((at): readonly Report[] => {
    const lower = tokens[at]?.lower ?? '';
    if (by.has(lower)) return byReport(sentence, at, endAt(at));
    const isVerb = verbs.has(lower);
    const clause = words.find((word) => word.at === at)?.clause;
    const before = words.filter((word) => word.at < at && word.clause === clause);
    const isOwn = before.some((word) => isFirstPerson(word, language));
    const sayers = before.filter(({ kind }) => kind === 'Content');
    const isSaid = sayers.length > 0 || before.some(({ lower: own }) => PRONOUNS.has(own));
    const found = thatAt(at);
    if (isVerb && isSaid) {
      if (isOwn) return [];
      const isDirect = found < 0 || found > at + 2;
      return [{ from: (isDirect ? at : found) + 1, to: endAt(at), sayers, isOrder: false }];
    }
    if (!orders.has(lower) || isSaid || isOwn) return [];
    if (language === 'zh' ? clause === 0 && at > 1 : found < 0) return [];
    return [{ from: Math.max(at, found) + 1, to: tokens.length, sayers: [], isOrder: true }];
  });
}

/** Maximum tokens of who says it, as in `according to the head of sales,`. */
const SAYER_REACH = 6;

/** Reads `according to Bob, …`, which may also stand behind what is said. */
function byReport({ tokens, words }: Sentence, at: number, end: number): readonly Report[] {
  const clause = words.find((word) => word.at > at)?.clause;
  const behind = words.filter((word) => word.at > at && word.clause === clause);
  const comma = tokens.findIndex(({ text }, place) => place > at && /^[,，]$/u.test(text));
  // In German, the verb follows the name: `laut Petra ist das Lager leer`.
  const isNear = comma >= 0 && comma - at <= SAYER_REACH && tokens[at]?.lower !== 'laut';
  const ends = tokens.findIndex(({ text }, place) => place > at + 1 && !/^\p{Lu}/u.test(text));
  const until = isNear ? comma : Math.max(at + 2, ends);
  const sayers = behind.filter((word) => word.kind === 'Content' && word.at < until);
  return sayers.length === 0 ? [] : [{ from: until, to: end, sayers, isOrder: false }];
}

/** Minimum tokens of a quotation that is more than a title. */
const QUOTED_MIN = 5;

function quotesOf({ tokens }: Sentence): readonly Report[] {
  const marks = tokens.flatMap(({ text }, at) => (text === '"' ? at : []));
  return marks.slice(0, 2 * REPORTS_MAX).flatMap((from, index): Report[] => {
    const to = marks[index + 1];
    if (index % 2 !== 0 || to === undefined || to - from < QUOTED_MIN) return [];
    return [{ from, to, sayers: [], isOrder: false }];
  });
}
