/** Finds which memories of one answer a newer text replaces without saying so. */
import { endingOf } from '../extraction/compare-with-known.ts';
import { newerValues } from './newer-value.ts';
import { isLikelyChange, readText, type DatedText, type ReadText } from './likely-change.ts';

export interface ComparedMemory extends DatedText {
  readonly id: string;
  /** The scope: memories of different scopes hold beside each other, by precedence. */
  readonly scope: string;
}

/**
 * Maps the id of each replaced memory to the ids of the newer ones that replace it.
 * @param memories those of one answer; the time grows with the square of their number
 */
export function replacedMemories(
  memories: readonly ComparedMemory[],
): ReadonlyMap<string, readonly string[]> {
  const counts = new Map<string, number>();
  for (const term of memories.flatMap(({ terms }) => [...new Set(terms)])) {
    counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  // Counted in all of them for each of two, as terms of turns are in two sessions.
  const textsWith = (term: string) => counts.get(term) ?? 0;
  const read = memories.map((memory) => ({ ...memory, ...readText(memory, textsWith) }));
  const replaced = newValues(memories);
  for (const older of read) {
    const newer = read.filter((other) => other.scope === older.scope && isReplacedBy(older, other));
    const ids = [...(replaced.get(older.id) ?? []), ...newer.map(({ id }) => id)];
    if (ids.length > 0) replaced.set(older.id, [...new Set(ids)]);
  }
  return replaced;
}

/** `The timeout is 45 seconds` replaces `The timeout is 30 seconds`, as it does in MEMORY.md. */
function newValues(memories: readonly ComparedMemory[]): Map<string, readonly string[]> {
  const replaced = new Map<string, readonly string[]>();
  for (const ofScope of Map.groupBy(memories, ({ scope }) => scope).values()) {
    const lines = ofScope.map(({ content, at }) => ({ text: content, at }));
    // Their statements are compared by `isReplacedBy`.
    for (const [older, newer] of newerValues(lines, false)) {
      const [ended, by] = [ofScope[older], ofScope[newer]];
      if (ended !== undefined && by !== undefined) replaced.set(ended.id, [by.id]);
    }
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

function isReplacedBy(older: ReadText, newer: ReadText): boolean {
  if (newer.at <= older.at) return false;
  return endingOf(older.lasting, newer.lasting) === 'All' || isLikelyChange(older, newer);
}
