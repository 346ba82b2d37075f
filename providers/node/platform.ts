/**
 * Node's clock, hash, ids and log for the domain (core/ports/platform.ts). Ids are UUIDs of version
 * 7 (RFC 9562), which sort by creation time.
 */
import {
  SILENT_LOG,
  type Log,
  type Platform,
  type Clock,
  type NewId,
} from '#core/ports/platform.ts';
import { NO_TRACING, type Tracing } from '#core/ports/tracing.ts';
import { hash, randomBytes } from 'node:crypto';

/** Random bytes requested at once: a call takes as long for these as for ten. */
const POOL_BYTES = 4_096;

/** Creates the platform of a process. */
export function createPlatform({
  log = SILENT_LOG,
  tracing = NO_TRACING,
}: { log?: Log; tracing?: Tracing | undefined } = {}): Platform {
  const clock = () => Date.now();
  return {
    clock,
    newId: createNewId({ clock, random: pooledRandom() }),
    digest: (text) => hash('sha256', text, 'hex'),
    log,
    tracing,
  };
}

/** Returns random bytes of the system from a pool, each byte once. */
function pooledRandom(): (bytes: number) => Buffer {
  let pool = Buffer.alloc(0);
  return (bytes) => {
    if (pool.length < bytes) pool = randomBytes(Math.max(POOL_BYTES, bytes));
    const given = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return given;
  };
}

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

/** Returns a function that makes ids that sort, as texts, in the order of their creation. */
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
