/**
 * Finds which memories of one answer a newer text replaces without saying so: the statements of the
 * older have ended by the rules of extraction, or the newer speaks of a change, repeats most words
 * of the older, and has a value of the same kind.
 */
import { endingOf } from '../extraction/compare-with-known.ts';
import { lastingOf, type Lasting } from '../extraction/lasting.ts';
import { saysNothingLasting } from '../extraction/statement.ts';
import { memoized } from '../text/memoized.ts';
import { haveOneKind, passageSigns, type PassageSigns } from './question-signs.ts';
import { mayHaveOneSubject } from './sentence-subjects.ts';

/** A text as far as the comparison reads it. */
export interface DatedText {
  readonly content: string;
  /** Since when it holds, in milliseconds since the epoch. */
  readonly at: number;
  /** Terms of the content, as a search compares them. */
  readonly terms: readonly string[];
}

export interface ComparedMemory extends DatedText {
  readonly id: string;
  /** The scope: memories of different scopes hold beside each other, by precedence. */
  readonly scope: string;
}

/** Share of the words of a memory that its replacement repeats; the rest is the old value. */
const REPEATED_SHARE_MIN = 0.6;

/** What the rules read in memories that answers hold again and again; these take about 8 MB. */
const readOf = memoized(
  (content) => ({ signs: passageSigns(content), lasting: lastingOf(content) }),
  { entriesMax: 2_048, unitsMax: 1_024 },
);

/**
 * Maps the id of each replaced memory to the ids of the newer ones that replace it.
 * @param memories those of one answer; the time grows with the square of their number
 */
export function replacedMemories(
  memories: readonly ComparedMemory[],
): ReadonlyMap<string, readonly string[]> {
  const read = memories.map((memory) => ({ ...memory, ...readOf(memory.content) }));
  const replaced = new Map<string, readonly string[]>();
  for (const older of read) {
    const newer = read.filter((other) => other.scope === older.scope && isReplacedBy(older, other));
    if (newer.length > 0)
      replaced.set(
        older.id,
        newer.map(({ id }) => id),
      );
  }
  return replaced;
}

/** Whether one of these texts replaces another, by the same rules. */
export function isReplaced(older: DatedText, others: readonly ReadText[]): boolean {
  const newer = others.filter(({ at }) => at > older.at);
  if (newer.length === 0) return false;
  const read = readText(older);
  return newer.some((other) => isReplacedBy(read, other));
}

/** A text with what the rules read in it. */
export interface ReadText extends DatedText {
  readonly signs: PassageSigns;
  readonly lasting: Lasting;
}

export function readText(text: DatedText): ReadText {
  return { ...text, ...readOf(text.content) };
}

function isReplacedBy(older: ReadText, newer: ReadText): boolean {
  if (newer.at <= older.at) return false;
  return endingOf(older.lasting, newer.lasting) === 'All' || isChangeOf(older, newer);
}

function isChangeOf(older: ReadText, newer: ReadText): boolean {
  if (!newer.signs.mayChange || !haveOneKind(older.signs, newer.signs)) return false;
  if (!mayHaveOneSubject(older.content, newer.content)) return false;
  const own = new Set(older.terms);
  const said = new Set(newer.terms);
  const repeated = own.intersection(said).size;
  if (own.size === 0 || repeated === said.size) return false;
  return repeated >= own.size * REPEATED_SHARE_MIN && !saysNothingLasting(newer.content);
}
