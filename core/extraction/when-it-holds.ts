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
  /** The day on which it is compared, as `dayOf` counts; the day when it was said if absent. */
  readonly today?: number | undefined;
}

/** A quick check before the sentences are read one by one. */
export function mayTellOfOtherTime(text: string): boolean {
  return mayBeForATime(text) || mayAnnounce(text);
}

/**
 * Returns a newer text without what it says for another time. Of two texts about a limited time, or
 * about what is to come, the newer one replaces the older.
 * @param older null for any text that holds in general
 */
export function holdingPart(newer: SaidText, older: SaidText | null): string {
  if (!mayTellOfOtherTime(newer.text)) return newer.text;
  const before = once(() => (older === null ? [] : ownSentences(older.text)));
  const expected = once(() => (older === null ? 0 : lastAnnounced(older)));
  const today = newer.today ?? dayOf(newer);
  const sentences = ownSentences(newer.text);
  const holding = sentences.flatMap((each): readonly string[] => {
    const day = announcedDay(each, newer) ?? 0;
    if (day > today && day > expected()) return [];
    return isForATime(each) && !before().some(isForATime) ? lastingClauses(each) : [each];
  });
  const isWhole =
    holding.length === sentences.length && holding.every((each, at) => each === sentences[at]);
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
export function isAhead(older: SaidText, newer: SaidText): boolean {
  if (!mayAnnounce(older.text) || takesChangeBack(newer.text) || ENDS.test(newer.text))
    return false;
  return lastAnnounced(older) > dayOf(newer) && lastAnnounced(newer) === 0;
}

/** Returns the last day that a text announces; 0 if it announces none. */
function lastAnnounced(said: SaidText): number {
  if (!mayAnnounce(said.text)) return 0;
  const days = ownSentences(said.text).map((each) => announcedDay(each, said) ?? 0);
  return Math.max(0, ...days);
}
