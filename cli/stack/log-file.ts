/** A log file of an installation: JSON lines, with the one before it kept beside it. */
import { closeSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Log } from '#core/ports/platform.ts';
import { createLog, type LogOptions } from '#providers/node/log.ts';

/** A file that is as large becomes the one before, `<name>.1`; what was there goes. */
export const LOG_BYTES_MAX = 20 * 1024 * 1024;

export function openLogFile(file: string, level: LogOptions['level']): Log & Disposable {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  let descriptor: number | null = openSync(file, 'a', 0o600);
  let bytes = statSync(file).size;
  const write = (line: string): void => {
    // What ends last may still say something.
    if (descriptor === null) return;
    if (bytes >= LOG_BYTES_MAX) {
      closeSync(descriptor);
      renameSync(file, `${file}.1`);
      descriptor = openSync(file, 'a', 0o600);
      bytes = 0;
    }
    bytes += writeSync(descriptor, line);
  };
  return {
    ...createLog({ level, destination: { write } }),
    [Symbol.dispose]: () => {
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
  };
}
