/** What a person's edit of MEMORY.md changed: which lines stayed, came and went. */
import type { Digest } from '../hash.ts';
import type { NewId } from '../ports/platform.ts';
import type { DocumentLine } from '../records/document.ts';
import { TOMBSTONES_MAX } from '../records/subject-record.ts';
import { lineKey, tombstoneOf } from './line-likeness.ts';
import type { WrittenLine } from './memory-md.ts';

interface Edit {
  /** All lines after the edit. */
  readonly lines: readonly DocumentLine[];
  /** Ids of new lines. */
  readonly added: readonly string[];
  /** Deleted lines. */
  readonly removed: readonly DocumentLine[];
  /** Tombstones of the deleted lines, except for lines that still appear elsewhere. */
  readonly tombstones: readonly string[];
}

interface EditParts {
  readonly newId: NewId;
  readonly digest: Digest;
  /** When the edit was made, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * Compares an edit with the lines before it. A line with unchanged text keeps its id and sources,
 * wherever it moves. The source of a new line is the editor.
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
 * Returns the tombstones of a subject after an edit, newest last, at most `TOMBSTONES_MAX`. Writing
 * a deleted line again removes its tombstone.
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
