/** What a person's edit of MEMORY.md means: which lines stayed, came and went. */
import type { Digest } from '../hash.ts';
import type { NewId } from '../ports/platform.ts';
import type { DocumentLine } from '../records/document.ts';
import { TOMBSTONES_MAX } from '../records/subject-record.ts';
import { lineKey, tombstoneOf } from './line-key.ts';
import type { WrittenLine } from './memory-md.ts';

export interface Edit {
  /** All lines as they stand after it. */
  readonly lines: readonly DocumentLine[];
  /** Ids of lines that are new. */
  readonly added: readonly string[];
  /** Lines that are gone. */
  readonly removed: readonly DocumentLine[];
  /** Of the lines that are gone, and of none that stands there all the same. */
  readonly tombstones: readonly string[];
}

interface EditParts {
  readonly newId: NewId;
  readonly digest: Digest;
  /** When it was made, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * A line with the same text keeps its id and sources, wherever it moves; the editor is the source
 * of a new line.
 */
export function editedLines(
  before: readonly DocumentLine[],
  after: readonly WrittenLine[],
  { newId, digest, at }: EditParts,
): Edit {
  const open = Map.groupBy(before, ({ text }) => lineKey(text));
  const added: string[] = [];
  const kept = new Set<string>();
  const lines = after.map(({ heading, text, isFixed }): DocumentLine => {
    const known = open.get(lineKey(text))?.shift();
    if (known !== undefined) {
      kept.add(known.id);
      return { ...known, heading, text, isFixed };
    }
    const id = newId();
    added.push(id);
    return { id, heading, text, sources: [], trust: 'stated', at, isFixed };
  });
  const removed = before.filter(({ id }) => !kept.has(id));
  const standing = new Set(lines.map(({ text }) => tombstoneOf(digest, text)));
  const gone = new Set(removed.map(({ text }) => tombstoneOf(digest, text)));
  return { lines, added, removed, tombstones: [...gone.difference(standing)] };
}

/**
 * The tombstones of a subject after an edit, newest last, at most `TOMBSTONES_MAX`. A line that a
 * person writes again is allowed again.
 */
export function tombstonesAfter(
  known: readonly string[],
  { lines, tombstones }: Pick<Edit, 'lines' | 'tombstones'>,
  digest: Digest,
): readonly string[] {
  const standing = new Set(lines.map(({ text }) => tombstoneOf(digest, text)));
  const fresh = new Set(tombstones);
  const kept = known.filter((hash) => !standing.has(hash) && !fresh.has(hash));
  return [...kept, ...tombstones].slice(-TOMBSTONES_MAX);
}
