/** Converts ranked passages for a context, and finds which of them a later one replaces. */
import { shownSpeaker, type PastPassage } from '../../context/past-turns.ts';
import { endingOf, statesAgain, type Ending } from '../../extraction/compare-with-known.ts';
import { givesAnotherValue } from '../../extraction/newer-value.ts';
import { isAmong, jokedTurns } from '../../extraction/joked-turns.ts';
import { ownPassagesOf } from '../../extraction/own-words.ts';
import { takesChangeBack } from '../../extraction/rules/changes-taken-back.ts';
import { saidTimes } from '../../extraction/valid-time.ts';
import {
  isOfUser,
  statementsAndCorrectionsOf,
} from '../../extraction/statements-and-corrections.ts';
import { leastTrust } from '../../trust.ts';
import { memoized } from '../../text/memoized.ts';
import { once, oncePer } from '../../once.ts';
import { isPastEvent } from '../../text/past-event.ts';
import { setsTask, TASK_SHARE, tellsTask } from '../../extraction/open-tasks.ts';
import type { RankedPassage } from './rank-past-turns.ts';
import type { PastSession, PastTurn, Passage } from '../sessions/past-session.ts';
import { areTwoPeople, isLine, personOf } from '../sessions/speakers.ts';
import { haveOneKind } from '../question/answer-types.ts';
import { signsAt } from '../sessions/session-analysis.ts';
import { numberIn, hashedTerm, type TermIndex } from '../words/term-index.ts';
import { isRestatedToUser, CONFIRMING, repetitionsLater } from './repetitions-last.ts';
import {
  asHolding,
  isTaskDone,
  likelyEnding,
  mayEndAnother,
  mayReplace,
  noteReadingOf,
  textReadingOf,
  type ReadText,
} from '../outdated/likely-correction.ts';

/** For this many of the best passages, the replacements are included too. */
const BROUGHT_ALONG_MAX = 8;
/** Only this many of the best passages are compared with each other. */
const COMPARED_MAX = 60;

/** One of the best passages with what the rules find in it. */
export interface ReadPassage extends ReadText {
  readonly passage: PastPassage;
  /** False for a line that restates a turn, and for what nobody states. */
  readonly mayReplace: boolean;
}

export interface PastPassages {
  /** Best first. */
  readonly passages: readonly PastPassage[];
  /** What users and files say in the best of them; a named speaker may be anybody. */
  readonly said: readonly ReadPassage[];
}

interface ForQuestion {
  /** Sessions whose `I` may be another one than the caller's user. */
  readonly ofOthers?: ReadonlySet<PastSession>;
  /** Whether the question asks for open tasks, which need none of its words. */
  readonly forTasks?: boolean;
  /** The day on which the question is asked, as `dayOf` counts. */
  readonly today?: number;
}

/**
 * Returns the passages to fill a context with.
 * @param sessions in the order of the conversation
 */
export function pastPassages(
  sessions: readonly PastSession[],
  ranked: readonly RankedPassage[],
  { ofOthers = NO_SESSIONS, forTasks = false, today }: ForQuestion = {},
): PastPassages {
  const firstPlaces = new Map<PastSession, number>();
  let places = 0;
  for (const session of sessions) {
    firstPlaces.set(session, places);
    // A gap of one, so that the last passage of a session is not next to the first of another.
    places += session.passages.length + 1;
  }
  const { ranked: shown, later } = repetitionsLater(ranked);
  const placeOf = ({ session, place }: Pick<RankedPassage, 'session' | 'place'>) =>
    (firstPlaces.get(session) ?? 0) + place;
  const jokeOf = jokesAmong(shown);
  const best = saidByUsers(shown, ofOthers, today).map((each) => ({
    ...each,
    isJoke: jokeOf(each.ranked) !== null,
  }));
  const readAt = new Map(best.map((each) => [placeOf(each.ranked), each.read]));
  const ofUsers = replacements(best);
  const replaced = new Map([...ofUsers, ...echoes(shown, ofUsers, { said: best, ofOthers })]);
  const top = Math.max(Number.EPSILON, shown[0]?.score ?? 0);
  const past = shown.map((each): PastPassage => {
    const { turn, turnUnits, passage, place, score, cosine, follower } = each;
    const { id, sessionId, at, utcOffset, trust } = turn.turn;
    const joke = jokeOf(each);
    const replacement = joke === null ? replaced.get(each) : { by: [], isInPart: false };
    const isOutdated = replacement !== undefined;
    const retracted = joke === null ? [] : [(firstPlaces.get(each.session) ?? 0) + joke];
    const { wordShare, hitShare } = forTasks ? sharesForTasks(each, !isOutdated) : sharesOf(each);
    const said = {
      turnId: id,
      sessionId,
      at,
      utcOffset,
      speaker: shownSpeaker(turn.turn),
      text: passage.text,
      startsLine: passage.startsLine,
      isGlued: passage.isGlued,
      place: placeOf(each),
      isFirst: place === turn.first,
      isLast: place === turn.end - 1,
      turnUnits,
      relevance: Math.min(1, Math.max(0, score / top)),
      wordShare,
      hitShare,
      cosine,
      trust,
      outdatedBy: isOutdated ? [...replacement.by.map(placeOf), ...retracted] : NO_PLACES,
      isOutdatedInPart: isOutdated && replacement.isInPart,
      ...(follower === undefined
        ? {}
        : {
            followedBy: {
              place: placeOf(follower),
              mayCorrect:
                follower.mayCorrect &&
                follower.session !== each.session &&
                mayCorrect(readAt.get(placeOf(follower)), readAt.get(placeOf(each))),
            },
          }),
    };
    return later.has(each) ? { ...said, isUnrelated: true } : said;
  });
  return {
    passages: withReplacements(withoutRepeats(past, ofOthers)),
    said: best.flatMap(({ ranked: each, rank, read, isOfAnother, isJoke }) => {
      const { turn } = each.turn;
      const passage = past[rank];
      if (passage === undefined || isOfAnother || personOf(each.turn) !== null) return [];
      const isStated = leastTrust([turn.trust, 'stated']) === 'stated';
      return [{ ...read, passage, mayReplace: isStated && !isJoke && turn.isRestated !== true }];
    }),
  };
}

/**
 * Whether what a user said in another session, and likely follows a passage, may give a newer
 * value: one of the same kind that holds by now. A passage that itself tells of a change mostly
 * gives the newest value, and what happened once stays true.
 */
function mayCorrect(newer: ReadText | undefined, older: ReadText | undefined): boolean {
  if (newer === undefined || older === undefined || older.signs.mayChange) return false;
  if (isPastEvent(older.content) || isPastEvent(newer.content)) return false;
  return haveOneKind(older.signs, asHolding(newer, null).signs);
}

function sharesOf({ wordShare, hitShare }: RankedPassage): Shares {
  return { wordShare: Math.min(1, wordShare), hitShare: Math.min(1, hitShare) };
}

type Shares = Pick<PastPassage, 'wordShare' | 'hitShare'>;

/** Keeps a text with all words of such a question, `I like open windows`, below the tasks. */
const OTHER_SHARE = 0.9;

/** As `sharesOf`, for a question that an open task answers best. */
function sharesForTasks(ranked: RankedPassage, isOpen: boolean): Shares {
  const { wordShare, hitShare } = sharesOf(ranked);
  const { turn, passage } = ranked;
  const sets = isLine(turn) ? setsTask : tellsTask;
  const isTask = isOpen && turn.turn.role === 'user' && sets(passage.text);
  const shareOf = (own: number): number =>
    isTask ? TASK_SHARE + (1 - TASK_SHARE) * own : OTHER_SHARE * own;
  return { wordShare: shareOf(wordShare), hitShare: shareOf(hitShare) };
}

const NO_SESSIONS: ReadonlySet<PastSession> = new Set();
const NO_PLACES: readonly number[] = [];

/**
 * Minimum length of a repetition: a shorter text, such as an answer, may mean a new thing, unless
 * it is a whole statement ("I live in Lyon.").
 */
const REPEATED_UNITS_MIN = 20;

/** The latest repetition is kept if its relevance is at least this share of the best one's. */
const NEAR_SHARE = 0.9;

/** Drops repetitions of what a speaker said several times in the same words. */
function withoutRepeats(
  passages: readonly PastPassage[],
  ofOthers: ReadonlySet<PastSession>,
): readonly PastPassage[] {
  const several = textsOfSeveral(passages);
  if (several.size === 0) return passages;
  // Others say `I` of themselves.
  const others = new Set([...ofOthers].map(({ sessionId }) => sessionId));
  const repeated = new Map<string, PastPassage>();
  const dropped = new Set<PastPassage>();
  // Best first, so that the known repetition is at least as relevant as the next one.
  for (const passage of passages) {
    if (!several.has(passage.text)) continue;
    const isOfOther = others.has(passage.sessionId);
    const saying = JSON.stringify([isOfOther, passage.speaker, passage.text]);
    const known = repeated.get(saying);
    const isNear = passage.relevance >= (known?.relevance ?? 0) * NEAR_SHARE;
    // Said again after another value, it holds again.
    const isAgain = known?.outdatedBy.some((place) => place < passage.place) === true;
    const isLast = known === undefined || ((isNear || isAgain) && known.place < passage.place);
    if (isLast) repeated.set(saying, passage);
    const other = isLast ? known : passage;
    if (other !== undefined) dropped.add(other);
  }
  return dropped.size === 0 ? passages : passages.filter((passage) => !dropped.has(passage));
}

/** Returns texts that occur several times and mean the same each time. */
function textsOfSeveral(passages: readonly PastPassage[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const several = new Set<string>();
  const read = new Set<string>();
  for (const { text } of passages) {
    if (!seen.has(text)) seen.add(text);
    else if (!read.has(text)) {
      read.add(text);
      if (isWholeAlone(text)) several.add(text);
    }
  }
  return several;
}

function isWholeAlone(text: string): boolean {
  return text.length >= REPEATED_UNITS_MIN || isStatement(text);
}

/** Few short texts are said often. */
const isStatement = memoized((text) => statementsAndCorrectionsOf(text).statements.length > 0, {
  entriesMax: 1_024,
  unitsMax: REPEATED_UNITS_MIN,
});

/**
 * Puts the replacement of a best passage directly before it, so that where only one of them fits,
 * it is not the outdated one. The very best passage stays first, as there is room for both.
 */
function withReplacements(passages: readonly PastPassage[]): readonly PastPassage[] {
  const best = passages.slice(0, BROUGHT_ALONG_MAX);
  if (best.every(({ outdatedBy }) => outdatedBy.length === 0)) return passages;
  const order = new Set<PastPassage>();
  for (const [rank, passage] of passages.entries()) {
    if (rank === 0) order.add(passage);
    if (rank < BROUGHT_ALONG_MAX && passage.outdatedBy.length > 0) {
      const replacing = new Set(passage.outdatedBy);
      const newer = passages.find(({ place }) => replacing.has(place));
      if (newer !== undefined) order.add(newer);
    }
    order.add(passage);
  }
  return [...order];
}

/** The later passages that contradict a passage on its topic, and whether the rest of it holds. */
interface Replacement {
  readonly by: readonly RankedPassage[];
  readonly isInPart: boolean;
}

interface SaidPassage {
  readonly ranked: RankedPassage;
  /** Its place among all that are shown. */
  readonly rank: number;
  readonly read: ReadText;
  /** Whether it says something of an `I` who may be another one than the caller's user. */
  readonly isOfAnother: boolean;
  /** Whether its speaker at once calls it a joke, so that it replaces nothing. */
  readonly isJoke: boolean;
}

/** Returns a function for the first passage of the turn that calls a passage a joke; else null. */
function jokesAmong(ranked: readonly RankedPassage[]): (each: RankedPassage) => number | null {
  const compared = new Set(ranked.slice(0, COMPARED_MAX).map(({ session }) => session));
  return ({ session, passage }) => {
    const joked = compared.has(session) ? jokesIn(session).get(passage.turn) : undefined;
    if (joked === undefined || !isAmong(passage.text, joked.sentences)) return null;
    return session.turns[joked.by]?.first ?? null;
  };
}

/** Found once: a session stays between questions. */
const jokesIn = oncePer(({ turns }: PastSession) => jokedTurns(turns.map(({ turn }) => turn)));

/** Reads what users and files say in the best passages. */
function saidByUsers(
  ranked: readonly RankedPassage[],
  ofOthers: ReadonlySet<PastSession>,
  today: number | undefined,
): readonly Omit<SaidPassage, 'isJoke'>[] {
  return ranked.slice(0, COMPARED_MAX).flatMap((each, rank) => {
    if (!each.isByPerson) return [];
    if (!isLine(each.turn) && !isOwnIn(each.turn.turn)(each.passage.text)) return [];
    const isOfAnother = ofOthers.has(each.session) && isOfUser(each.passage.text);
    return { ranked: each, rank, read: { ...asRead(each), today }, isOfAnother };
  });
}

/** Read once: a turn stays with its session between questions. */
const isOwnIn = oncePer(({ content }: PastTurn['turn']) => ownPassagesOf(content));

function replacements(said: readonly SaidPassage[]): ReadonlyMap<RankedPassage, Replacement> {
  const found = new Map<RankedPassage, Replacement>();
  const enders = said.filter(
    ({ ranked, read, isJoke }) =>
      !isJoke && ranked.turn.turn.isRestated !== true && mayReplace(read),
  );
  for (const older of said) {
    // Any later text may say that a task is done.
    const later = older.read.task() === null ? enders : said;
    const endings = later.map((newer) => ({ newer, ending: endingBy(older, newer) }));
    const by = endings.filter(({ ending }) => ending !== 'None').map(({ newer }) => newer.ranked);
    const isInPart = endings.every(({ ending }) => ending !== 'All');
    if (by.length > 0) found.set(older.ranked, { by, isInPart });
  }
  const read = new Map(said.map((each) => [each.ranked, each]));
  return new Map([...found].filter(([older]) => !isRestored(older, found, read)));
}

/**
 * Whether a passage holds again, because a later one takes back all that ended it: `I moved to
 * York. I did not move, I still live in Leeds` leaves `I live in Leeds` as it is.
 */
function isRestored(
  older: RankedPassage,
  found: ReadonlyMap<RankedPassage, Replacement>,
  read: ReadonlyMap<RankedPassage, SaidPassage>,
): boolean {
  const { by = [] } = found.get(older) ?? {};
  const known = read.get(older)?.read;
  return by.every((ender) => {
    const last = found.get(ender);
    if (known === undefined || last === undefined || last.isInPart) return false;
    return last.by.some((each) => {
      const said = found.has(each) ? undefined : read.get(each)?.read;
      if (said === undefined) return false;
      return (
        statesAgain(known.lasting, said.lasting) ||
        (takesChangeBack(said.content) && !by.includes(each))
      );
    });
  });
}

/**
 * Finds replies that only repeat an outdated statement of the turn that they answer, and those that
 * tell the user again what the user said: `As you said, you live in Bristol, so try the harbor`.
 */
function echoes(
  ranked: readonly RankedPassage[],
  ofUsers: ReadonlyMap<RankedPassage, Replacement>,
  {
    said,
    ofOthers,
  }: { readonly said: readonly SaidPassage[]; readonly ofOthers: ReadonlySet<PastSession> },
): readonly (readonly [RankedPassage, Replacement])[] {
  const outdated = [...ofUsers].filter(([, { isInPart }]) => !isInPart);
  if (outdated.length === 0) return [];
  return ranked.slice(0, COMPARED_MAX).flatMap((reply) => {
    if (reply.isByPerson || reply.turn.turn.role !== 'assistant') return [];
    const { session, passage } = reply;
    const repeated = outdated.find(
      ([answered]) =>
        answered.session === session &&
        answered.passage.turn === passage.turn - 1 &&
        isRepeatedIn(passage, answered.passage),
    );
    if (repeated !== undefined) return [[reply, repeated[1]] as const];
    const told = outdated.find(([older]) => isToldOf(reply, older, ofOthers));
    // Said again since, it holds again.
    const isHeld = told !== undefined && said.some((each) => holdsAgain(each, reply, ofUsers));
    // What the assistant adds still holds.
    return told === undefined || isHeld ? [] : [[reply, { ...told[1], isInPart: true }] as const];
  });
}

/** Whether a reply tells the person of its session what the same person has said. */
function isToldOf(
  { session, passage }: RankedPassage,
  said: RankedPassage,
  ofOthers: ReadonlySet<PastSession>,
): boolean {
  const isOne =
    said.session === session || ![session, said.session].some((each) => ofOthers.has(each));
  const { text, terms } = said.passage;
  const isOwn = personOf(said.turn) === null && isOfUser(text);
  return isOne && isOwn && isRestatedToUser(passage.text, text, terms);
}

function holdsAgain(
  { ranked }: SaidPassage,
  { passage }: RankedPassage,
  outdated: ReadonlyMap<RankedPassage, Replacement>,
): boolean {
  const { text, terms } = ranked.passage;
  return !outdated.has(ranked) && isRestatedToUser(passage.text, text, terms);
}

function isRepeatedIn({ terms }: Passage, said: Passage): boolean {
  const own = new Set(said.terms);
  const told = terms.filter((term) => !CONFIRMING.has(term));
  return told.length > 0 && told.every((term) => own.has(term));
}

/**
 * Returns how much of a user's passage a newer one ends. People speak only for themselves.
 */
function endingBy(older: SaidPassage, newer: SaidPassage): Ending {
  const before = older.ranked;
  const after = newer.ranked;
  if (!isLater(after, before) || before.passage.text === after.passage.text) return 'None';
  if (areTwoPeople(before.turn, after.turn)) return 'None';
  const isOfAnother = older.isOfAnother || newer.isOfAnother;
  if (isOfAnother && before.session !== after.session) return 'None';
  if (isTaskDone(older.read, newer.read)) return 'All';
  if (after.turn.turn.isRestated === true) return 'None';
  const holding = asHolding(newer.read, older.read);
  if (givesAnotherValue(older.read, holding)) return 'All';
  if (!mayEndAnother(holding)) return 'None';
  const ending = endingOf(older.read.lasting, holding.lasting);
  if (ending !== 'None') return ending;
  const isOneSession = before.turn.turn.sessionId === after.turn.turn.sessionId;
  return isOneSession ? 'None' : likelyEnding(older.read, holding);
}

/** By time, since sessions may come late; in one session by its order, since clocks go back. */
function isLater(newer: RankedPassage, older: RankedPassage): boolean {
  const [before, after] = [older.turn, newer.turn];
  const isOneSession = before.turn.sessionId === after.turn.sessionId;
  if (after.since !== before.since || !isOneSession) return after.since > before.since;
  return newer.passage.turn > older.passage.turn;
}

/** Read once: a passage stays with its session between questions. */
const readingOf = oncePer(({ text }: Passage, { session, place, turn }: RankedPassage) => {
  const read = isLine(turn) ? noteReadingOf : textReadingOf;
  const times = once(() => saidTimes({ text, at: turn.since }));
  return { ...read(text, signsAt(session.columns, place)), times };
});

function asRead(ranked: RankedPassage): ReadText {
  const { session, passage, turn } = ranked;
  const textsWith = (term: string) => turnsHaving(session.index, term);
  const said = {
    content: passage.text,
    at: turn.since,
    terms: once(() => new Set(passage.terms)),
  };
  return { ...said, textsWith, ...readingOf(ranked.passage, ranked) };
}

function turnsHaving(index: TermIndex, term: string): number {
  return index.frequency[numberIn(index, hashedTerm(term))] ?? 0;
}
