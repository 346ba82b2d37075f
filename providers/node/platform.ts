/** Node's clock, hash, ids and log for the domain (core/ports/platform.ts). */
import { createHash } from 'node:crypto';

import { SILENT_LOG, type Log, type Platform } from '#core/ports/platform.ts';

import { createNewId } from './new-id.ts';

/** The platform of a process; without a log it says nothing. */
export function createPlatform({ log = SILENT_LOG }: { log?: Log } = {}): Platform {
  const clock = () => Date.now();
  return {
    clock,
    newId: createNewId({ clock }),
    digest: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
    log,
  };
}
