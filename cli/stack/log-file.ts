/** A log file of an installation: JSON lines, emptied at a start that finds it too large. */
import { closeSync, mkdirSync, openSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '#core/ports/platform.ts';
import { createLog, type LogOptions } from '#providers/node/log.ts';

const LOG_BYTES_MAX = 20 * 1024 * 1024;

export function openLogFile(file: string, level: LogOptions['level']): Log & Disposable {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const tooLarge = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES_MAX;
  const descriptor = openSync(file, tooLarge ? 'w' : 'a', 0o600);
  const log = createLog({ level, destination: { write: (line) => writeSync(descriptor, line) } });
  return {
    ...log,
    [Symbol.dispose]: () => {
      closeSync(descriptor);
    },
  };
}
