/** Reads times of day, in minutes after midnight. */
import { cardinalOf } from './number-word.ts';
import { lowerAt, type Token } from './words-and-marks.ts';

export interface ReadTime {
  /** Two if it may be in the morning or the afternoon. */
  readonly minutes: readonly number[];
  readonly length: number;
}

const HOUR = 60;
const HALF_DAY = 12 * HOUR;

/**
 * Returns the time that begins at a token, or null: `3pm`, `15:00`, `15 Uhr`, `noon`, `half past
 * three`.
 */
export function timeAt(tokens: readonly Token[], index: number): ReadTime | null {
  const word = lowerAt(tokens, index);
  if (word === 'noon' || word === 'midday') return { minutes: [HALF_DAY], length: 1 };
  if (word === 'midnight') return { minutes: [0], length: 1 };
  if (word === 'half' || word === 'quarter') return spokenTime(tokens, index);
  return clockTime(tokens, index);
}

function clockTime(tokens: readonly Token[], index: number): ReadTime | null {
  const first = tokens[index];
  const dotted = /^(\d{1,2})\.(\d\d)$/u.exec(first?.text ?? '');
  const hour = dotted === null ? hourOf(first) : Number(dotted[1]);
  if (hour === null || hour > 24) return null;
  let at = index + 1;
  let minute = dotted === null ? 0 : Number(dotted[2]);
  let explicit = false;
  if (
    lowerAt(tokens, at) === ':' &&
    /^\d\d$/u.test(lowerAt(tokens, at + 1)) &&
    isGlued(tokens, at)
  ) {
    minute = Number(lowerAt(tokens, at + 1));
    at += 2;
    explicit = true;
    if (lowerAt(tokens, at) === ':' && /^\d\d(?:\.\d+)?$/u.test(lowerAt(tokens, at + 1))) at += 2;
  }
  if (minute > 59) return null;
  const half = lowerAt(tokens, at);
  if (/^[ap]m$/u.test(half) && hour <= 12) {
    const whole = (hour % 12) * HOUR + minute + (half === 'pm' ? HALF_DAY : 0);
    return { minutes: [whole], length: at + 1 - index };
  }
  if (half === 'uhr' || half === "o'clock") {
    return { minutes: open(hour, minute, half === 'uhr'), length: at + 1 - index };
  }
  return explicit ? { minutes: open(hour, minute, false), length: at - index } : null;
}

/** Reads `half past three` and `quarter to four`. */
function spokenTime(tokens: readonly Token[], index: number): ReadTime | null {
  const side = lowerAt(tokens, index + 1);
  const hour = hourOf(tokens[index + 2]);
  if ((side !== 'past' && side !== 'to') || hour === null || hour > 12) return null;
  const part = lowerAt(tokens, index) === 'half' ? 30 : 15;
  const whole = hour * HOUR + (side === 'past' ? part : -part);
  return { minutes: open(0, whole, false), length: 3 };
}

function hourOf(token: Token | undefined): number | null {
  if (token === undefined) return null;
  if (token.kind === 'Number') return /^\d{1,2}$/u.test(token.text) ? Number(token.text) : null;
  const word = cardinalOf(token.lower);
  return word !== undefined && word >= 1 && word <= 12 ? word : null;
}

/** Returns both times if the half of the day is open, as for times up to 12:59. */
function open(hour: number, minute: number, whole: boolean): readonly number[] {
  const first = hour * HOUR + minute;
  return whole || first >= HALF_DAY + HOUR || first < HOUR
    ? [first]
    : [first, (first + HALF_DAY) % (2 * HALF_DAY)];
}

function isGlued(tokens: readonly Token[], index: number): boolean {
  return tokens[index]?.glued === true && tokens[index + 1]?.glued === true;
}
