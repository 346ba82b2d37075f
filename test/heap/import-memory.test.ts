import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { readInput } from '#cli/import/read-input.ts';
import { END_TIME, folderOf } from '#test/unit/import/input-folder.ts';

const FILE_MEBIBYTES = 32;

/** Far below the file; what is measured is held after a collection. */
const HELD_MEBIBYTES_MAX = 16;

const MEBIBYTE = 1024 * 1024;

/** Collects what nothing holds: between collections any reader holds what it has read. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc !== 'function') throw new TypeError('Expected V8 to expose its collector.');
  return () => void gc();
}

test('IMPORT-19: JSON Lines of any size need the memory of a few lines', async () => {
  const path = join(folderOf({}), 'long.jsonl');
  const line = `${JSON.stringify({ role: 'user', content: 'word '.repeat(800) })}\n`;
  const block = line.repeat(Math.floor(MEBIBYTE / line.length));
  const file = openSync(path, 'w');
  for (let written = 0; written < FILE_MEBIBYTES; written += 1) writeSync(file, block);
  closeSync(file);

  const collect = collector();
  collect();
  const before = process.memoryUsage();
  let items = 0;
  let held = 0;
  for await (const _ of readInput(path, { endTime: END_TIME })) {
    items += 1;
    if (items % 1_000 !== 0) continue;
    collect();
    const now = process.memoryUsage();
    held = Math.max(held, now.arrayBuffers - before.arrayBuffers);
  }
  expect(items).toBe(FILE_MEBIBYTES * Math.floor(MEBIBYTE / line.length));
  expect(held / MEBIBYTE).toBeLessThan(HELD_MEBIBYTES_MAX);
});
