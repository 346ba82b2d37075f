/**
 * What a context shows of earlier turns: their best passages, in the order they were said, under
 * the day of each. A fact with its date costs fifteen tokens where its turn costs sixty.
 */
import type { Trust } from '../records/memory.ts';
import { type Fence, fenceAfter } from '../text/code-fence.ts';
import { linesOf, oneLine } from '../text/lines.ts';
import type { TokenCounter } from '../ports/token-counter.ts';

/** A part of an earlier turn, as it was said. */
export interface PastPassage {
  readonly turnId: string;
  readonly sessionId: string;
  /** When the turn was said, in milliseconds since the epoch. */
  readonly at: number;
  readonly speaker: string;
  readonly text: string;
  /** Sorts the passages of all sessions as they were said; no two have the same. */
  readonly place: number;
  /** Whether its turn begins, or ends, with it. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly relevance: number;
  /** What it has of the words of the question, 0 to 1, with its neighbors'. */
  readonly wordShare: number;
  /** With the question; null where one of them has no vector. */
  readonly cosine: number | null;
  readonly trust: Trust;
  /** Places of later passages that say otherwise of the same thing. */
  readonly replacedBy: readonly number[];
}

const ELLIPSIS = '…';
const EARLIER = ' (earlier)';
/** Tokens of the day and the break before it; of the mark, the speaker and the break of a turn. */
const DAY_TOKENS = 8;
const TURN_TOKENS = 4;
const ELLIPSIS_TOKENS = 1;
/** Passages that are passed over because they are too long, before the filling ends. */
const MISSES_MAX = 40;

/** Lines of the section: a day, then what was said on it, the oldest first. */
export function pastLines(passages: readonly PastPassage[]): readonly string[] {
  const lines: string[] = [];
  const places = new Set(passages.map(({ place }) => place));
  let before: PastPassage | null = null;
  for (const passage of passages.toSorted((a, b) => a.place - b.place)) {
    const day = dayOf(passage.at);
    if (before === null || day !== dayOf(before.at)) lines.push(day);
    const isSameTurn = before !== null && isOfTurn(before, passage);
    const text = indented(passage.text);
    // What replaces it stands further down.
    const mark = passage.replacedBy.some((place) => places.has(place)) ? EARLIER : '';
    if (isSameTurn && before !== null) {
      const gap = passage.place === before.place + 1 ? ' ' : ` ${ELLIPSIS} `;
      lines.push(`${lines.pop() ?? ''}${gap}${text}${mark}`);
    } else {
      const cut = passage.isFirst ? '' : `${ELLIPSIS} `;
      lines.push(`- ${oneLine(passage.speaker)}: ${cut}${text}${mark}`);
    }
    before = passage;
  }
  return lines;
}

/**
 * The best passages that fit the room, estimated passage by passage.
 * @param ranked the best first
 */
export function fillPast(
  ranked: readonly PastPassage[],
  room: number,
  tokens: TokenCounter,
): readonly PastPassage[] {
  const chosen: PastPassage[] = [];
  const turns = new Set<string>();
  const days = new Set<string>();
  let left = room;
  let misses = 0;
  for (const passage of ranked) {
    const turn = turnKey(passage);
    const day = dayOf(passage.at);
    const cost =
      tokens.count(passage.text) +
      (turns.has(turn) ? 0 : TURN_TOKENS) +
      (days.has(day) ? 0 : DAY_TOKENS) +
      (passage.isFirst ? 0 : ELLIPSIS_TOKENS);
    if (cost > left) {
      misses += 1;
      if (misses === MISSES_MAX) break;
      continue;
    }
    left -= cost;
    chosen.push(passage);
    turns.add(turn);
    days.add(day);
  }
  return chosen;
}

export function turnKey({ sessionId, turnId }: PastPassage): string {
  return JSON.stringify([sessionId, turnId]);
}

function isOfTurn(a: PastPassage, b: PastPassage): boolean {
  return a.turnId === b.turnId && a.sessionId === b.sessionId;
}

function dayOf(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/**
 * Line breaks stay, each line moved in, so that none looks like a heading or an entry of ours;
 * empty lines stay in code alone.
 */
export function indented(text: string): string {
  let fence: Fence = null;
  const kept: string[] = [];
  for (const line of linesOf(text)) {
    fence = fenceAfter(fence, line);
    const shown = line.trimEnd();
    if (shown !== '') kept.push(kept.length === 0 ? shown : `  ${shown}`);
    else if (fence !== null) kept.push('');
  }
  return kept.join('\n').trim();
}
