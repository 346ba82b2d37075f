/**
 * Checks reports: what a source only says that somebody says, or orders somebody to say, is not
 * stated. `Bob said the server was down` does not support `The server was down`.
 */
import type { Language } from '../text/language.ts';
import { wordSet } from '../text/stop-words.ts';
import { LEXICONS } from './lexicon/lexicons.ts';
import type { CitedClaim } from './cited-claim.ts';
import type { DropReason } from './drop-reason.ts';
import type { Sentence, Word } from './passage.ts';
import { isSelfOf } from './sentence-parts.ts';

/** What somebody says, or is told to say, within a sentence. */
interface Report {
  /** Tokens of what is said, from the first to the one before the last. */
  readonly from: number;
  readonly to: number;
  /** Words that name who says it; empty for an order. */
  readonly sayers: readonly Word[];
  readonly isOrder: boolean;
}

/** Finds a claim that states what a sentence only reports, or reports what it states. */
export function reportDiffers(judged: CitedClaim): DropReason | null {
  const { claim, cover, language } = judged;
  const own = reportsOf(claim, language);
  const isOther = cover.places.some(({ sentence }, at) => {
    const reports = [...reportsOf(sentence, language), ...quotesOf(sentence)];
    return reports.some((report) => {
      const matches = cover.matches[at] ?? new Map<Word, readonly Word[]>();
      return isOtherwise(report, own, { judged, sentence, matches });
    });
  });
  return isOther ? 'AttributionDiffers' : null;
}

interface Compared {
  readonly judged: CitedClaim;
  readonly sentence: Sentence;
  readonly matches: ReadonlyMap<Word, readonly Word[]>;
}

function isOtherwise(
  report: Report,
  own: readonly Report[],
  { judged, sentence, matches }: Compared,
): boolean {
  const { claim, language } = judged;
  const isIn = ({ from, to }: Report, { at }: Word): boolean => at >= from && at < to;
  const items = claim.words.flatMap((word): [Word, readonly Word[]][] => {
    const stated =
      word.kind === 'Value' || word.kind === 'Modifier'
        ? sentence.words.filter(({ kind, lower }) => kind === word.kind && lower === word.lower)
        : (matches.get(word) ?? []);
    return stated.length === 0 ? [] : [[word, stated]];
  });
  const names = (words: readonly Word[]): boolean =>
    items.some(([, [word]]) => word !== undefined && words.includes(word));
  const said = items.filter(([, stated]) => stated.every((word) => isIn(report, word)));
  const isReported = (word: Word): boolean => own.some((each) => isIn(each, word));
  const content = said.filter(([word]) => word.kind === 'Content');
  if (report.isOrder) {
    return content.length > 0 && !content.some(([word]) => isReported(word));
  }
  const isAsked =
    claim.words.some(({ lower }) => LEXICONS[language].saying.has(lower)) || own.length > 0;
  if (report.sayers.length === 0)
    return content.length > 1 && said.length === items.length && !isAsked;
  if (said.some(([word]) => !isReported(word))) {
    // `Helen said she moved` says who moved.
    const isOfSayer = names(report.sayers) && isAboutSayer(report, sentence);
    // `Carla checked the server` takes from the report only what `it` stands for.
    const [[thing] = []] = said;
    const beside = items.filter(
      ([word, stated]) =>
        word.clause === thing?.clause && !stated.some((each) => isIn(report, each)),
    );
    const isOnlyThing = content.length === 1 && beside.length > 1;
    if (!isOfSayer && !isOnlyThing && content.length > 0) {
      return !(isAsked && names(report.sayers));
    }
  }
  if (own.length === 0 || !names(report.sayers)) return content.length > 1 && !names(report.sayers);
  return items.some(
    ([word, stated]) =>
      word.kind !== 'Value' && isReported(word) && !stated.some((each) => isIn(report, each)),
  );
}

/** Whether what is said begins with a pronoun, which stands for who says it. */
function isAboutSayer({ from, to }: Report, { tokens }: Sentence): boolean {
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

function reportsOf(sentence: Sentence, language: Language): readonly Report[] {
  const { tokens, words } = sentence;
  const { verbs, orders, by, that } = SAY[language];
  const endAt = (from: number): number => {
    const end = tokens.findIndex(({ lower }, at) => at > from && ENDS.has(lower));
    return end < 0 ? tokens.length : end;
  };
  const thatAt = (from: number): number =>
    tokens.findIndex(({ lower }, at) => at > from && at <= from + THAT_REACH && that.has(lower));
  return tokens.flatMap(({ lower }, at): Report[] => {
    if (by.has(lower)) return byReport(sentence, at, endAt(at));
    const isVerb = verbs.has(lower);
    if (!isVerb && !orders.has(lower)) return [];
    const clause = words.find((word) => word.at === at)?.clause;
    const before = words.filter((word) => word.at < at && word.clause === clause);
    const isOwn = before.some((word) => isSelfOf(word, language));
    const sayers = before.filter(({ kind }) => kind === 'Content');
    const isSaid = sayers.length > 0 || before.some(({ lower: own }) => PRONOUNS.has(own));
    const found = thatAt(at);
    if (isVerb && isSaid) {
      if (isOwn || sayers.length === 0) return [];
      const isDirect = found < 0 || found > at + 2;
      return [{ from: (isDirect ? at : found) + 1, to: endAt(at), sayers, isOrder: false }];
    }
    if (!orders.has(lower) || isSaid || isOwn) return [];
    if (language === 'zh' ? clause === 0 && at > 1 : found < 0) return [];
    return [{ from: Math.max(at, found) + 1, to: tokens.length, sayers: [], isOrder: true }];
  });
}

/** Reads `according to Bob, …`, which may also stand behind what is said. */
function byReport({ tokens, words }: Sentence, at: number, end: number): readonly Report[] {
  const clause = words.find((word) => word.at > at)?.clause;
  const behind = words.filter((word) => word.at > at && word.clause === clause);
  const comma = tokens.findIndex(({ text }, place) => place > at && /^[,，]$/u.test(text));
  const until = comma < 0 ? at + 3 : comma;
  const sayers = behind.filter((word) => word.kind === 'Content' && word.at < until);
  return sayers.length === 0 ? [] : [{ from: until, to: end, sayers, isOrder: false }];
}

/** Minimum tokens of a quotation that is more than a title. */
const QUOTED_MIN = 5;

function quotesOf({ tokens }: Sentence): readonly Report[] {
  const marks = tokens.flatMap(({ text }, at) => (text === '"' ? at : []));
  return marks.flatMap((from, index): Report[] => {
    const to = marks[index + 1];
    if (index % 2 !== 0 || to === undefined || to - from < QUOTED_MIN) return [];
    return [{ from, to, sayers: [], isOrder: false }];
  });
}
