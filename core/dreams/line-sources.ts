/** What a new line of MEMORY.md rests on: ids of memories, turns, blocks and stated lines. */
import type { DreamQuestion } from '../ports/dream-model.ts';
import { LINE_SOURCES_MAX, type Document, type DocumentLine } from '../records/document.ts';
import { contentWords, sharedOf } from '../tiers/line-key.ts';

/** A line of a block that shares less with what rests on the block is about something else. */
const SUPPORT_SHARE_MIN = 0.2;

/** What stands behind one source of a dream. */
interface Support {
  readonly words: ReadonlySet<string>;
  readonly ids: readonly string[];
  readonly at: number;
}

export type SupportBook = ReadonlyMap<string, readonly Support[]>;

/**
 * Flattened, so that whoever follows a line finds what was said and not what was made of it: of a
 * line of MEMORY.md its own sources, of a block those of its lines; where somebody said it, the
 * line or the block itself.
 */
export function supportBook(
  question: DreamQuestion,
  base: readonly DocumentLine[],
  blocks: readonly Document[],
): SupportBook {
  const known = new Set([...question.memory, ...question.daily].map(({ id }) => id));
  const book = new Map<string, readonly Support[]>();
  for (const line of base) if (known.has(line.id)) book.set(line.id, [supportOf(line, line.id)]);
  for (const { id, lines } of blocks) {
    if (known.has(id))
      book.set(
        id,
        lines.map((line) => supportOf(line, id)),
      );
  }
  return book;
}

function supportOf({ text, sources, at }: DocumentLine, id: string): Support {
  return { words: contentWords(text), ids: sources.length === 0 ? [id] : sources, at };
}

/** The sources of a line and the newest time of them, the nearest first, at most so many. */
export function restsOn(
  text: string,
  cited: readonly string[],
  book: SupportBook,
): { readonly sources: string[]; readonly at: number | null } {
  const words = contentWords(text);
  const supports = cited.flatMap((id) => nearest(words, book.get(id) ?? []));
  const sources = [...new Set(supports.flatMap(({ ids }) => ids))].slice(0, LINE_SOURCES_MAX);
  const at = supports.length === 0 ? null : Math.max(...supports.map((each) => each.at));
  return { sources, at };
}

/** Those that share words with the line; all of them where none does. */
function nearest(words: ReadonlySet<string>, supports: readonly Support[]): readonly Support[] {
  const ranked = supports
    .map((support) => ({ support, share: sharedOf(words, support.words) }))
    .toSorted((one, other) => other.share - one.share);
  const near = ranked.filter(({ share }) => share >= SUPPORT_SHARE_MIN);
  return (near.length === 0 ? ranked : near).map(({ support }) => support);
}
