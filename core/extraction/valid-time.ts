/**
 * Decides what a newer text says that holds now and for good. What it announces replaces nothing
 * before its day, and what it tells of a limited time replaces nothing that holds in general.
 */
import { once } from '../once.ts';
import type { SaidAt } from '../said-at.ts';
import { dayOf } from '../text/day.ts';
import { oneOf } from '../text/pattern.ts';
import { announcedDay, mayAnnounce } from './announced-day.ts';
import { isForATime, mayBeForATime } from './for-a-time.ts';
import { takesChangeBack } from './rules/taken-back.ts';
import { ownSentences } from './statement.ts';

export interface SaidText extends SaidAt {
  readonly text: string;
}

/** A sentence with what it tells of other times. */
interface DatedSentence {
  readonly text: string;
  /** The day from which it says that something will hold; 0 if it announces none. */
  readonly announced: number;
  readonly isForATime: boolean;
}

/** What a text tells of other times, read on first use and kept for many comparisons. */
export interface SaidTimes {
  readonly text: string;
  /** The day on which it was said, as `dayOf` counts. */
  readonly day: number;
  /** Whether the text may tell of another time at all. */
  readonly isOfOtherTime: () => boolean;
  readonly sentences: () => readonly DatedSentence[];
  /** The last day that it announces; 0 if it announces none. */
  readonly lastAnnounced: () => number;
  /** Whether it may end what is only announced. */
  readonly mayEndAnnounced: () => boolean;
}

export function saidTimes(said: SaidText): SaidTimes {
  const { text } = said;
  const sentences = once(() =>
    ownSentences(text).map((each) => ({
      text: each,
      announced: announcedDay(each, said) ?? 0,
      isForATime: isForATime(each),
    })),
  );
  return {
    text,
    day: dayOf(said),
    isOfOtherTime: once(() => mayTellOfOtherTime(text)),
    sentences,
    lastAnnounced: once(() =>
      mayAnnounce(text) ? Math.max(0, ...sentences().map(({ announced }) => announced)) : 0,
    ),
    mayEndAnnounced: once(() => takesChangeBack(text) || ENDS.test(text)),
  };
}

/** A quick check before the sentences are read one by one. */
export function mayTellOfOtherTime(text: string): boolean {
  return mayBeForATime(text) || mayAnnounce(text);
}

/**
 * Returns a newer text without what it says for another time. Of two texts about a limited time, or
 * about what is to come, the newer one replaces the older.
 * @param older null for any text that holds in general
 * @param today the day on which they are compared, as `dayOf` counts
 */
export function holdingPart(
  newer: SaidTimes,
  older: SaidTimes | null,
  today: number = newer.day,
): string {
  if (!newer.isOfOtherTime()) return newer.text;
  const isBeforeForATime = once(() => older?.sentences().some((each) => each.isForATime) === true);
  const expected = once(() => older?.lastAnnounced() ?? 0);
  const sentences = newer.sentences();
  const holding = sentences.flatMap(({ text, announced, isForATime: isShort }) => {
    if (announced > today && announced > expected()) return [];
    return isShort && !isBeforeForATime() ? lastingClauses(text) : [text];
  });
  const isWhole =
    holding.length === sentences.length &&
    holding.every((each, at) => each === sentences[at]?.text);
  return isWhole ? newer.text : holding.join(' ');
}

/** Returns the clauses of a sentence beside the one about a limited time; none if that is all. */
function lastingClauses(sentence: string): readonly string[] {
  const clauses = sentence.split(JOINT);
  const lasting = clauses.filter((each) => !isForATime(each));
  return lasting.length === clauses.length ? [] : lasting;
}

/** Joins clauses of which one may hold without the other. */
const JOINT = /[,，;；]\s?(?:so|and|but|also|und|aber|y|pero|así que)\s|[;；]/iu;

/** Words of a change, which may also end what is only announced. */
const ENDS = new RegExp(
  String.raw`(?<!\p{L})${oneOf(`
    not, never, instead, no longer, any ?more, cancel\\p{L}*, off, \\p{L}+n['’]t, nicht,
    kein\\p{L}*, abgesagt, stattdessen, no, ya no, en vez de
  `)}(?!\p{L})|[不没]|取消`,
  'iu',
);

/**
 * Whether an older text announces something for a day that a newer one precedes: "I work at Bosch"
 * does not end "from May on I work at Siemens", but "I am not joining Siemens" does.
 */
export function isAhead(older: SaidTimes, newer: SaidTimes): boolean {
  const announced = older.lastAnnounced();
  if (announced === 0 || newer.mayEndAnnounced()) return false;
  return announced > newer.day && newer.lastAnnounced() === 0;
}
