/** Limits the size of MEMORY.md, and chooses what moves to the archive if it is larger. */
import type { DreamModel } from '../ports/dream-model.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import { LINES_PER_DOCUMENT_MAX, type DocumentLine } from '../records/document.ts';
import { isProtected } from '../memory-files/keep-mark.ts';
import { memoryText } from '../memory-files/memory-md.ts';

/**
 * Maximum cl100k tokens of MEMORY.md. Agents load the whole file, but some only the first 25 KB,
 * about 6,000 tokens of English, and silently cut the rest (openclaw#142393).
 */
export const MEMORY_TOKENS_MAX = 5_000;

/** Minimum cl100k tokens of MEMORY.md that a model must be able to write to dream. */
export const MEMORY_TOKENS_MIN = 500;

/** Tokens of an answer per token of MEMORY.md: a citation can be as long as its line. */
export const ANSWER_TOKENS_PER_MEMORY_TOKEN = 2;
/** Tokens for a short diary and the names of both sections. */
export const DIARY_TOKENS_MAX = 600;

/** Returns how many tokens of MEMORY.md a model can rewrite in one answer. */
export function memoryTokensMax({ outputTokensMax }: Pick<DreamModel, 'outputTokensMax'>): number {
  const room = Math.floor((outputTokensMax - DIARY_TOKENS_MAX) / ANSWER_TOKENS_PER_MEMORY_TOKEN);
  return Math.max(0, Math.min(MEMORY_TOKENS_MAX, room));
}

interface Fitted {
  readonly lines: readonly DocumentLine[];
  /** Lines without room, oldest first. */
  readonly archived: readonly DocumentLine[];
}

interface FitTools {
  /** Whether a line is new: new lines leave only if nothing else is left. */
  readonly isNew: (line: DocumentLine) => boolean;
  readonly tokens: TokenCounter;
  readonly tokensMax: number;
}

/** Removes the oldest lines first, but never old lines that a person protects. */
export function fittedMemory(
  lines: readonly DocumentLine[],
  { isNew, tokens, tokensMax }: FitTools,
): Fitted {
  const free = lines.filter((line) => isNew(line) || !isProtected(line));
  const leaving = free.toSorted((one, other) => {
    const age = Number(isNew(one)) - Number(isNew(other)) || one.at - other.at;
    return age || (one.id < other.id ? -1 : 1);
  });
  const staying = new Set(lines);
  const headings = new Set(lines.map(({ heading }) => heading));
  const sizeOf = (text: string): number => tokens.count(text);
  const sizes = new Map(
    lines.map((line) => [line, sizeOf(memoryText([{ ...line, heading: null }]))]),
  );
  const frame = [...headings].map((heading) => sizeOf(`## ${heading ?? ''}\n\n`));
  // The sum of the parts is slightly more than the whole. Counting the whole again after every line
  // would not be linear.
  const parts = [...frame, ...sizes.values()].reduce((sum, own) => sum + own, 0);
  let size = Math.min(parts, sizeOf(memoryText(lines)));
  const archived: DocumentLine[] = [];
  for (const line of leaving) {
    if (size <= tokensMax && staying.size <= LINES_PER_DOCUMENT_MAX) break;
    staying.delete(line);
    archived.push(line);
    size -= sizes.get(line) ?? 0;
  }
  return { lines: lines.filter((line) => staying.has(line)), archived };
}
