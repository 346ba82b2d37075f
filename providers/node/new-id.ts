/**
 * UUIDv7 (RFC 9562, 5.7) whose order is the order of their making within a process.
 *
 * Node's own `randomUUIDv7` is random within a millisecond. Here the 12 bits after the time are a
 * counter that starts at a random place in its lower half (6.2, method 1); when it overflows, or
 * the clock was set back, the time in the id runs ahead of the clock until that has caught up.
 */
import { randomBytes } from 'node:crypto';

import type { Clock, NewId } from '#core/ports/platform.ts';

const COUNTER_MAX = 0xfff;
const COUNTER_START_MAX = 0x7ff;
const VERSION_7 = 0x7000;
/** The two bits "10" that mark the layout of RFC 9562. */
const VARIANT = 0x80;
const VARIANT_MASK = 0x3f;

export interface NewIdOptions {
  readonly clock: Clock;
  /** Random bytes; the system's by default. */
  readonly random?: (bytes: number) => Buffer;
}

/** Makes ids that sort, as texts, in the order in which they were made. */
export function createNewId({ clock, random = randomBytes }: NewIdOptions): NewId {
  let time = 0;
  let counter = 0;
  return () => {
    const bytes = random(10);
    const now = clock();
    if (now > time) {
      time = now;
      counter = bytes.readUInt16BE(8) & COUNTER_START_MAX;
    } else if (counter < COUNTER_MAX) {
      counter += 1;
    } else {
      time += 1;
      counter = bytes.readUInt16BE(8) & COUNTER_START_MAX;
    }
    return format(time, counter, bytes.subarray(0, 8));
  };
}

function format(time: number, counter: number, tail: Buffer): string {
  tail.writeUInt8((tail.readUInt8(0) & VARIANT_MASK) | VARIANT, 0);
  const digits = [
    time.toString(16).padStart(12, '0'),
    (VERSION_7 | counter).toString(16),
    tail.toString('hex'),
  ].join('');
  const parts = [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ] as const;
  return parts.map(([from, to]) => digits.slice(from, to)).join('-');
}
