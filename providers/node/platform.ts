/** Node's clock, hash, ids and log for the domain (core/ports/platform.ts). */
import { SILENT_LOG, type Log, type Platform } from '#core/ports/platform.ts';
import { NO_TRACING, type Tracing } from '#core/ports/tracing.ts';
import { hash, randomBytes } from 'node:crypto';
import { createNewId } from './new-id.ts';

/** Bytes asked of the system at once: one call takes as long for these as for ten. */
const POOL_BYTES = 4_096;

/** What a process may do without; it is silent, and traces nothing, where absent. */
interface PlatformOptions {
  readonly log?: Log;
  readonly tracing?: Tracing | undefined;
}

/** The platform of a process. */
export function createPlatform({
  log = SILENT_LOG,
  tracing = NO_TRACING,
}: PlatformOptions = {}): Platform {
  const clock = () => Date.now();
  return {
    clock,
    newId: createNewId({ clock, random: pooledRandom() }),
    digest: (text) => hash('sha256', text, 'hex'),
    log,
    tracing,
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
