/** Converts ranked passages for a context, and finds which of them a later one replaces. */
import type { PastPassage } from '../context/past-turns.ts';
import { endingOf, type Ending } from '../extraction/compare-with-known.ts';
import { lastingOf, type Lasting } from '../extraction/lasting.ts';
import { saysNothingLasting } from '../extraction/statement.ts';
import type { RankedPassage } from './rank-passages.ts';
import { haveOneKind } from './question-signs.ts';
import type { PastSession, PastTurn, Passage } from './past-session.ts';
import type { ReadText } from './replaced-memories.ts';
import { mayHaveOneSubject } from './sentence-subjects.ts';
import { NO_NUMBER, type TermIndex } from './term-index.ts';

/** Maximum passages that a context can hold, with some to spare; the rest is ignored. */
const PASSAGES_MAX = 2_000;
/** For this many of the best passages, the replacements are included too. */
const BROUGHT_ALONG_MAX = 5;
/** Only this many of the best passages are compared with each other. */
const COMPARED_MAX = 60;
/** A term identifies a topic if at most this many turns have it. */
const TELLING_TURNS_MAX = 6;
const SHARED_TERMS_MIN = 1;

/**
 * Returns the passages to fill a context with.
 * @param sessions in the order of the conversation
 */
export function pastPassages(
  sessions: readonly PastSession[],
  ranked: readonly RankedPassage[],
): readonly PastPassage[] {
  const firstPlaces = new Map<PastSession, number>();
  let places = 0;
  for (const session of sessions) {
    firstPlaces.set(session, places);
    // A gap of one, so that the last passage of a session is not next to the first of another.
    places += session.passages.length + 1;
  }
  const shown = ranked.slice(0, PASSAGES_MAX);
  const placeOf = ({ session, place }: RankedPassage) => (firstPlaces.get(session) ?? 0) + place;
  const replaced = replacements(shown.slice(0, COMPARED_MAX));
  const top = Math.max(Number.EPSILON, shown[0]?.score ?? 0);
  const passages = shown.map((each) => {
    const { turn, passage, place, score, wordShare, isAside, cosine } = each;
    const { id, sessionId, at, speaker, role, trust } = turn.turn;
    const replacement = replaced.get(each);
    return {
      turnId: id,
      sessionId,
      at,
      speaker: speaker ?? role,
      text: passage.text,
      place: placeOf(each),
      isFirst: place === turn.first,
      isLast: place === turn.end - 1,
      relevance: Math.min(1, Math.max(0, score / top)),
      wordShare: Math.min(1, wordShare),
      isAside,
      cosine,
      trust,
      replacedBy: (replacement?.by ?? []).map(placeOf),
      isReplacedInPart: replacement?.isInPart ?? false,
    };
  });
  return withReplacements(withoutRepeats(passages));
}

/** A shorter text, such as an answer, may be said often and mean another thing each time. */
const REPEATED_UNITS_MIN = 20;

/** The last time stands for all, unless another fits the question better than by this share. */
const NEAR_SHARE = 0.9;

/** Drops repetitions of what a speaker said several times in the same words. */
function withoutRepeats(passages: readonly PastPassage[]): readonly PastPassage[] {
  const several = textsOfSeveral(passages);
  if (several.size === 0) return passages;
  const repeated = new Map<string, PastPassage>();
  const dropped = new Set<PastPassage>();
  // Best first, so that what is known of a saying is at least as relevant as the next.
  for (const passage of passages) {
    if (!several.has(passage.text)) continue;
    const saying = `${passage.speaker}: ${passage.text}`;
    const known = repeated.get(saying);
    const isNear = passage.relevance >= (known?.relevance ?? 0) * NEAR_SHARE;
    const isLast = known === undefined || (isNear && known.place < passage.place);
    if (isLast) repeated.set(saying, passage);
    const other = isLast ? known : passage;
    if (other !== undefined) dropped.add(other);
  }
  return dropped.size === 0 ? passages : passages.filter((passage) => !dropped.has(passage));
}

/** Texts that are long enough to be repetitions; they stay in memory, so comparing them is fast. */
function textsOfSeveral(passages: readonly PastPassage[]): ReadonlySet<string> {
  const seen = new Set<string>();
  const several = new Set<string>();
  for (const { text } of passages) {
    if (text.length < REPEATED_UNITS_MIN) continue;
    if (seen.has(text)) several.add(text);
    else seen.add(text);
  }
  return several;
}

/**
 * Puts the replacement of a best passage directly behind it, so that the outdated value does not
 * appear alone if there is room for both.
 */
function withReplacements(passages: readonly PastPassage[]): readonly PastPassage[] {
  const order = new Set<PastPassage>();
  for (const [rank, passage] of passages.entries()) {
    order.add(passage);
    if (rank >= BROUGHT_ALONG_MAX || passage.replacedBy.length === 0) continue;
    const replacing = new Set(passage.replacedBy);
    const newer = passages.find(({ place }) => replacing.has(place));
    if (newer !== undefined) order.add(newer);
  }
  return [...order];
}

/** What users say in the best passages, as it was read. A named speaker may be anybody. */
export function saidByUsers(ranked: readonly RankedPassage[]): readonly ReadText[] {
  return ranked
    .slice(0, COMPARED_MAX)
    .filter(({ turn: { turn } }) => turn.role === 'user' && turn.speaker === null)
    .map(({ passage, turn: { turn } }) => {
      const { text: content, terms, signs } = passage;
      return { content, at: turn.at, terms, signs, lasting: lastingIn(passage) };
    });
}

/** The later passages that contradict one on its topic, and whether the rest of it holds. */
interface Replacement {
  readonly by: readonly RankedPassage[];
  readonly isInPart: boolean;
}

function replacements(best: readonly RankedPassage[]): ReadonlyMap<RankedPassage, Replacement> {
  const found = new Map<RankedPassage, Replacement>();
  const said = best.filter(({ turn }) => turn.turn.role === 'user');
  for (const older of said) {
    const endings = said.map((newer) => ({ newer, ending: endingBy(older, newer) }));
    const by = endings.filter(({ ending }) => ending !== 'None').map(({ newer }) => newer);
    const isInPart = endings.every(({ ending }) => ending !== 'All');
    if (by.length > 0) found.set(older, { by, isInPart });
  }
  return found;
}

/**
 * How much of an older passage a newer one ends, both by users. People speak for themselves alone.
 */
function endingBy(older: RankedPassage, newer: RankedPassage): Ending {
  if (!isLater(newer, older) || older.passage.text === newer.passage.text) return 'None';
  const [ofOlder, ofNewer] = [personOf(older.turn), personOf(newer.turn)];
  if (ofOlder !== null && ofNewer !== null && ofOlder !== ofNewer) return 'None';
  const ending = endingOf(lastingIn(older.passage), lastingIn(newer.passage));
  if (ending !== 'None') return ending;
  const isOneSession = older.turn.turn.sessionId === newer.turn.turn.sessionId;
  return !isOneSession && isChangeOf(older, newer) ? 'All' : 'None';
}

/** Null for a turn that names nobody, and for a line of a file, which names its file. */
function personOf({ turn: { speaker, sessionId } }: PastTurn): string | null {
  return speaker === sessionId ? null : speaker;
}

function isLater(newer: RankedPassage, older: RankedPassage): boolean {
  const [before, after] = [older.turn.turn, newer.turn.turn];
  if (before.sessionId !== after.sessionId) return after.at > before.at;
  return newer.passage.turn > older.passage.turn;
}

function isChangeOf(older: RankedPassage, newer: RankedPassage): boolean {
  if (!newer.passage.signs.isChange || !haveOneKind(older.passage.signs, newer.passage.signs))
    return false;
  if (!mayHaveOneSubject(older.passage.text, newer.passage.text)) return false;
  const mine = new Set(older.passage.terms);
  const shared = new Set(newer.passage.terms.filter((term) => mine.has(term)));
  const telling = [...shared].filter((term) => turnsWith(term, older, newer) <= TELLING_TURNS_MAX);
  return telling.length >= SHARED_TERMS_MIN && !saysNothingLasting(newer.passage.text);
}

/** Parsed once per passage, which stays with its session between questions. */
const lastingRead = new WeakMap<Passage, Lasting>();

function lastingIn(passage: Passage): Lasting {
  const known = lastingRead.get(passage);
  if (known !== undefined) return known;
  const read = lastingOf(passage.text);
  lastingRead.set(passage, read);
  return read;
}

function turnsWith(term: string, older: RankedPassage, newer: RankedPassage): number {
  return turnsHaving(older.session.index, term) + turnsHaving(newer.session.index, term);
}

function turnsHaving({ numbers, frequency }: TermIndex, term: string): number {
  return frequency[numbers.get(term) ?? NO_NUMBER] ?? 0;
}
