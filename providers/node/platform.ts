/** Node's clock, hash, ids and log for the domain (core/ports/platform.ts). */
import { hash, randomBytes } from 'node:crypto';

import { SILENT_LOG, type Log, type Platform } from '#core/ports/platform.ts';

import { createNewId } from './new-id.ts';

/** Bytes asked of the system at once: one call takes as long for these as for ten. */
const POOL_BYTES = 4_096;

/** The platform of a process; without a log it says nothing. */
export function createPlatform({ log = SILENT_LOG }: { log?: Log } = {}): Platform {
  const clock = () => Date.now();
  return {
    clock,
    newId: createNewId({ clock, random: pooledRandom() }),
    digest: (text) => hash('sha256', text, 'hex'),
    log,
  };
}

/** Random bytes of the system, each given out once. */
function pooledRandom(): (bytes: number) => Buffer {
  let pool = Buffer.alloc(0);
  return (bytes) => {
    if (pool.length < bytes) pool = randomBytes(Math.max(POOL_BYTES, bytes));
    const given = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return given;
  };
}
