/** Ids of new records: UUIDs of version 7 (RFC 9562), which sort by the time of their making. */
import type { Clock, NewId } from '#core/ports/platform.ts';
import { randomBytes } from 'node:crypto';

const COUNTER_MAX = 0xfff;
const COUNTER_START_MAX = 0x7ff;
const VERSION_7 = 0x7000;
/** The two bits "10" that mark the layout of RFC 9562. */
const VARIANT = 0x80;
const VARIANT_MASK = 0x3f;

interface NewIdOptions {
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
