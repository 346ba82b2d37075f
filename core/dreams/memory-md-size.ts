/** How large MEMORY.md may be, and what leaves it for the archive where it is larger. */
import type { DreamModel } from '../ports/dream-model.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import { LINES_PER_DOCUMENT_MAX, type DocumentLine } from '../records/document.ts';
import { isProtected } from '../memory-files/keep-mark.ts';
import { memoryText } from '../memory-files/memory-md.ts';

/**
 * cl100k tokens of MEMORY.md. Agents load the file whole, and some no further than 25 KB, which
 * are about 6,000 tokens of English: what outgrows that has its end cut silently (openclaw#142393).
 */
export const MEMORY_TOKENS_MAX = 5_000;

/** A model that can write no more of MEMORY.md than this does not dream. */
export const MEMORY_TOKENS_MIN = 500;

/** Tokens of an answer for each token of MEMORY.md: a citation takes up to as many as its line. */
export const ANSWER_TOKENS_PER_MEMORY_TOKEN = 2;
/** A short diary, and the names of both sections. */
export const DIARY_TOKENS_MAX = 600;

/** Tokens of MEMORY.md that a model can rewrite within one answer. */
export function memoryTokensMax({ outputTokensMax }: Pick<DreamModel, 'outputTokensMax'>): number {
  const room = Math.floor((outputTokensMax - DIARY_TOKENS_MAX) / ANSWER_TOKENS_PER_MEMORY_TOKEN);
  return Math.max(0, Math.min(MEMORY_TOKENS_MAX, room));
}

export interface Fitted {
  readonly lines: readonly DocumentLine[];
  /** What has no room, oldest first. */
  readonly archived: readonly DocumentLine[];
}

interface FitTools {
  /** Lines that are new leave only where nothing else is left. */
  readonly isNew: (line: DocumentLine) => boolean;
  readonly tokens: TokenCounter;
  readonly tokensMax: number;
}

/** The oldest lines leave first; those that a person protects never do. */
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
  // Parts come to a little more than the whole, and counting them again with every line would not
  // be linear.
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
