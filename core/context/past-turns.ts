/**
 * Selects and prints earlier turns for a context: their best passages in the order of the
 * conversation, under their days. A fact with its date costs about 15 tokens, a whole turn about
 * 60.
 */
import { TurnRole, type Turn } from '../records/turn.ts';
import type { Trust } from '../trust.ts';
import {
  beginsWithFence,
  type CodeFence,
  endsWithFence,
  fenceAfter,
  openFenceIn,
} from '../text/code-fence.ts';
import type { SaidAt } from '../said-at.ts';
import { dayOf, dayTextOf } from '../text/day.ts';
import { linesOf, oneLine } from '../text/lines.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import { cannotStandAlone } from '../text/dependent-sentence.ts';
import { strongestOf, type Ending } from '../extraction/compare-with-known.ts';
import { HOLDS, markOf, mayBeEarlierMark } from './outdated-mark.ts';

/** A passage of an earlier turn, verbatim. */
export interface PastPassage extends SaidAt {
  readonly turnId: string;
  readonly sessionId: string;
  readonly speaker: string;
  readonly text: string;
  /** Unique sort key that orders the passages of all sessions as they were said. */
  readonly place: number;
  /** Whether the passage is the first, or the last, of its turn. */
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** UTF-16 code units of all passages of its turn. */
  readonly turnUnits: number;
  /** Whether it begins a line of its turn; false if absent. */
  readonly startsLine?: boolean;
  /** Whether no space is between it and the passage before; false if absent. */
  readonly isGlued?: boolean;
  readonly relevance: number;
  /** Share of the question's words that the passage and its neighbors contain, 0 to 1. */
  readonly wordShare: number;
  /** The same for a search, which ignores passages that are only next to a match. */
  readonly hitShare: number;
  /** Cosine with the question; null if either has no vector. */
  readonly cosine: number | null;
  readonly trust: Trust;
  /** Places of later passages that contradict this one. */
  readonly outdatedBy: readonly number[];
  /** Whether it also says something that the later passages do not end. */
  readonly isOutdatedInPart: boolean;
  /** The later passage that likely follows it, though no rule says what it ends. */
  readonly followedBy?: {
    readonly place: number;
    /** Whether that one may well give a newer value; a context then points to its day. */
    readonly mayCorrect: boolean;
  };
  /** How much of it newer memories end; the text then gets a mark. */
  readonly endedByMemory?: Ending;
  /** True for a passage of one of the latest turns, which may be shown whole. */
  readonly isOfLatest?: boolean;
  /** True if nothing in it fits the question; it only gets room that is left. */
  readonly isUnrelated?: boolean;
}

const ELLIPSIS = '…';
/** Tokens of a day line with its line break, and of a turn's speaker and line break. */
const DAY_TOKENS = 5;
const TURN_TOKENS = 3;
const ELLIPSIS_TOKENS = 1;
/** Filling stops after this many passages that are too long for the room. */
const MISSES_MAX = 40;

/**
 * Returns the lines of the section: each day, then its passages, oldest first. A day has its year
 * where the year is new: `2026-03-02`, then `04-14`.
 */
export function pastTurnLines(passages: readonly PastPassage[]): readonly string[] {
  const lines: string[] = [];
  let before: PastPassage | null = null;
  let dayBefore = '';
  const dayAt = new Map(passages.map((passage) => [passage.place, dayTextOf(passage)]));
  for (const passage of passages.toSorted(byDayAndPlace)) {
    const day = dayTextOf(passage);
    if (day !== dayBefore) lines.push(shortDay(day, dayBefore));
    dayBefore = day;
    const isSameTurn = before !== null && isOfTurn(before, passage);
    const text = indented(passage.text);
    // Also if the passage that replaces it has no room.
    const ended = strongestOf([endedByPassages(passage), passage.endedByMemory ?? 'None']);
    const { followedBy } = passage;
    const later = followedBy?.mayCorrect === true ? dayAt.get(followedBy.place) : undefined;
    const mark =
      ended === 'None' && later !== undefined
        ? mayBeEarlierMark(shortDay(later, day))
        : markOf({ ...HOLDS, ended });
    const marked = noted(text, mark);
    if (isSameTurn && before !== null) {
      const gap = gapBetween(before, passage);
      lines.push(`${lines.pop() ?? ''}${gap}${marked}`);
    } else {
      const begin = beginsWithFence(text) ? BREAK : ' ';
      const cut = passage.isFirst ? '' : ` ${ELLIPSIS}`;
      lines.push(`${oneLine(passage.speaker)}:${cut}${begin}${marked}`);
    }
    before = passage;
  }
  // A turn that leaves its code open must not take what follows into it.
  return lines.map(withCodeClosed);
}

/** Returns how much of a passage later ones end. */
export function endedByPassages({ outdatedBy, isOutdatedInPart }: PastPassage): Ending {
  if (outdatedBy.length === 0) return 'None';
  return isOutdatedInPart ? 'Some' : 'All';
}

const YEAR_UNITS = '2026-'.length;

function shortDay(day: string, before: string): string {
  const isSameYear = day.slice(0, YEAR_UNITS) === before.slice(0, YEAR_UNITS);
  return isSameYear ? day.slice(YEAR_UNITS) : day;
}

/** Sessions of several days overlap, and what was said on a later day stands further down. */
function byDayAndPlace(a: PastPassage, b: PastPassage): number {
  return dayOf(a) - dayOf(b) || a.place - b.place;
}

/** A line break inside an entry; code needs one before its fence. */
const BREAK = '\n  ';

/** Adds a note, such as a mark, behind a text; behind code, on a line of its own. */
function noted(text: string, note: string): string {
  return note !== '' && endsWithFence(text) ? `${text}${BREAK}${note.trimStart()}` : text + note;
}

function withCodeClosed(entry: string): string {
  const open = openFenceIn(entry);
  return open === null ? entry : `${entry}${BREAK}${open}`;
}

/**
 * Returns an entry of a context or a list: its label, such as `- user: `, the text with its lines
 * indented and its code closed, and a note behind it.
 */
export function entryOf(label: string, text: string, note = ''): string {
  const shown = indented(text);
  const begin = beginsWithFence(shown) && label !== '' ? `${label.trimEnd()}${BREAK}` : label;
  return noted(withCodeClosed(`${begin}${shown}`), note);
}

/** Returns what separates two passages of a turn; lists, tables and code keep their lines. */
function gapBetween(
  before: PastPassage,
  { place, startsLine = false, isGlued = false }: PastPassage,
): string {
  const isNext = place === before.place + 1;
  if (isNext && isGlued) return '';
  const left = isNext ? '' : ` ${ELLIPSIS}`;
  return `${left}${startsLine ? BREAK : ' '}`;
}

/** Tokens left for passages, and how many of them passages with the lowest trust may take. */
interface PastRoom {
  readonly all: number;
  readonly untrusted: number;
}

/** Counts the tokens of passages by tools and strangers, without marks and days. */
export function untrustedTokens(passages: readonly PastPassage[], tokens: TokenCounter): number {
  return passages
    .filter(({ trust }) => trust === 'untrusted')
    .reduce((sum, { text }) => sum + tokens.count(text), 0);
}

/** The turn of the best open passage is shown whole if it takes at most this share of the room. */
const WHOLE_TURN_SHARE = 0.2;

/**
 * Returns the best passages that fit the room, by an estimate for each. A passage that cannot stand
 * alone comes with the passage before it, code with the sentence that introduces it and the other
 * way round, and the best one with the rest of a short turn.
 * @param ranked best first
 */
export function fillPast(
  ranked: readonly PastPassage[],
  room: PastRoom,
  tokens: TokenCounter,
): readonly PastPassage[] {
  const chosen: PastPassage[] = [];
  const turns = new Set<string>();
  const days = new Set<number>();
  let left = room.all;
  let leftUntrusted = room.untrusted;
  let misses = 0;
  const open = new Map(ranked.map((passage) => [passage.place, passage]));
  const sizeOf = (passages: readonly PastPassage[]): number =>
    passages.reduce((sum, { text }) => sum + tokens.count(text), 0);
  for (const passage of ranked) {
    if (!open.has(passage.place)) continue;
    const isUntrusted = passage.trust === 'untrusted';
    const whole = passage === ranked[0] ? wholeTurn(passage, open) : [];
    const wholeMax = Math.min(room.all * WHOLE_TURN_SHARE, isUntrusted ? leftUntrusted : left);
    const isShort = whole.length > 0 && sizeOf(whole) <= wholeMax;
    const shown = isShort ? whole : withItsCode(withWhatItRestsOn(passage, open), open);
    const size = sizeOf(shown);
    if (isUntrusted && size > leftUntrusted) continue;
    const turn = turnKey(passage);
    const day = dayOf(passage);
    const cost =
      size +
      (turns.has(turn) ? 0 : TURN_TOKENS) +
      (days.has(day) ? 0 : DAY_TOKENS) +
      (shown[0]?.isFirst === true ? 0 : ELLIPSIS_TOKENS);
    if (cost > left) {
      misses += 1;
      if (misses === MISSES_MAX) break;
      continue;
    }
    left -= cost;
    if (isUntrusted) leftUntrusted -= size;
    chosen.push(...shown);
    for (const { place } of shown) open.delete(place);
    turns.add(turn);
    days.add(day);
  }
  return chosen;
}

/** Returns the passages of a turn in order, as far as none between them is missing. */
function wholeTurn(
  passage: PastPassage,
  open: ReadonlyMap<number, PastPassage>,
): readonly PastPassage[] {
  const ofTurn = (place: number): PastPassage | undefined => {
    const other = open.get(place);
    return other !== undefined && isOfTurn(other, passage) ? other : undefined;
  };
  const whole = [passage];
  for (let before = ofTurn(passage.place - 1); before !== undefined;) {
    whole.unshift(before);
    before = ofTurn(before.place - 1);
  }
  for (let after = ofTurn(passage.place + 1); after !== undefined;) {
    whole.push(after);
    after = ofTurn(after.place + 1);
  }
  return whole;
}

/** Maximum passages to add before one that depends on the passage before it. */
const RESTS_ON_MAX = 2;

/** @param open passages that are not chosen yet, by their place */
function withWhatItRestsOn(
  passage: PastPassage,
  open: ReadonlyMap<number, PastPassage>,
): readonly PastPassage[] {
  const shown = [passage];
  let first = passage;
  while (shown.length <= RESTS_ON_MAX && !first.isFirst && cannotStandAlone(first.text)) {
    const before = open.get(first.place - 1);
    if (before === undefined) break;
    shown.unshift(before);
    first = before;
  }
  return shown;
}

/** Introduces what follows: `This is how I run my backup:`. */
const INTRODUCES = /[:：]$/u;

/**
 * Adds the code that the last passage introduces, and the sentence that introduces the first one.
 * @param open passages that are not chosen yet, by their place
 */
function withItsCode(
  shown: readonly PastPassage[],
  open: ReadonlyMap<number, PastPassage>,
): readonly PastPassage[] {
  const [first, last] = [shown[0], shown.at(-1)];
  if (first === undefined || last === undefined) return shown;
  const before = beginsWithFence(first.text) ? open.get(first.place - 1) : undefined;
  const after = INTRODUCES.test(last.text) ? open.get(last.place + 1) : undefined;
  const intro = before !== undefined && isOfTurn(before, first) && INTRODUCES.test(before.text);
  const code = after !== undefined && isOfTurn(after, last) && beginsWithFence(after.text);
  return [...(intro ? [before] : []), ...shown, ...(code ? [after] : [])];
}

/** A turn longer than the limit yields to others after it has taken this share of the limit. */
const LONG_TURN_YIELD_SHARE = 0.4;
/** A token has at least one byte, and a UTF-16 code unit at most three bytes in UTF-8. */
const TOKENS_PER_UNIT_MAX = 3;

/**
 * Reorders the passages so that a turn longer than the limit, such as a pasted document, takes no
 * more than its share until all other passages that fit the question have been tried.
 * @param ranked best first
 */
export function longTurnsLater(
  ranked: readonly PastPassage[],
  limit: number,
  tokens: TokenCounter,
): readonly PastPassage[] {
  // Only long turns are counted: counting thousands of passages would take most of the time.
  const parts = ranked.filter(
    ({ isFirst, isLast, turnUnits }) =>
      !(isFirst && isLast) && turnUnits * TOKENS_PER_UNIT_MAX > limit,
  );
  if (parts.length === 0) return ranked;
  const later = new Set<PastPassage>();
  for (const ofTurn of Map.groupBy(parts, turnKey).values()) {
    const units = ofTurn.reduce((sum, { text }) => sum + text.length, 0);
    if (units * TOKENS_PER_UNIT_MAX <= limit) continue;
    const sizes = ofTurn.map(({ text }) => tokens.count(text));
    if (sizes.reduce((sum, size) => sum + size, 0) <= limit) continue;
    let taken = 0;
    for (const [at, passage] of ofTurn.entries()) {
      if (taken >= LONG_TURN_YIELD_SHARE * limit) later.add(passage);
      taken += sizes[at] ?? 0;
    }
  }
  if (later.size === 0) return ranked;
  const others = ranked.filter((passage) => !later.has(passage));
  const unrelated = others.filter(({ isUnrelated }) => isUnrelated === true);
  const fitting = others.filter(({ isUnrelated }) => isUnrelated !== true);
  return [...fitting, ...later, ...unrelated];
}

/**
 * Identifies a turn, whose id is unique only within its session. The length shows where the
 * session's id ends.
 */
export function turnKey({ sessionId, turnId }: Pick<PastPassage, 'sessionId' | 'turnId'>): string {
  return `${String(sessionId.length)}:${sessionId}${turnId}`;
}

function isOfTurn(a: PastPassage, b: PastPassage): boolean {
  return a.turnId === b.turnId && a.sessionId === b.sessionId;
}

/**
 * Indents every line, so that none reads as a heading or an entry of the context. Keeps line
 * breaks; keeps empty lines only in code.
 */
export function indented(text: string): string {
  let fence: CodeFence = null;
  const kept: string[] = [];
  for (const line of linesOf(text)) {
    fence = fenceAfter(fence, line);
    const shown = line.trimEnd();
    if (shown !== '') kept.push(kept.length === 0 ? shown : `  ${shown}`);
    else if (fence !== null) kept.push('');
  }
  return kept.join('\n').trim();
}

const ROLES: ReadonlySet<string> = new Set(TurnRole.options);

/** A name that begins otherwise may be read as a heading, a fence, a list entry or a day. */
const NAME_START = /^\p{L}/u;

/**
 * Returns who spoke, as a context shows it at the start of a line. A user who calls himself
 * `assistant` or `## Question` is shown as `user "assistant"` and `user "## Question"`:
 * participants of a chat choose their names.
 */
export function shownSpeaker({ speaker, role }: Pick<Turn, 'speaker' | 'role'>): string {
  const name = oneLine(speaker ?? role).trim();
  const isRole = name !== role && ROLES.has(name.toLowerCase());
  return isRole || !NAME_START.test(name) ? `${role} "${name}"` : name;
}
