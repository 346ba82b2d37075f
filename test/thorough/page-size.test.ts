/** Files keep the page size that they were created with, and the limits count bytes. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import type { PaidAnswer } from '#core/records/paid-answer.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { answerOf } from '#test/conformance/answer-suite.ts';
import { OPENING, temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const MIB = 1024 * 1024;
/** The size that new files have, and another. */
const PAGE_SIZES = [4_096, 16_384];
const ANSWERS = 48;

/** A file that was made with pages of a size. */
function makeFile(file: string, pageBytes: number): void {
  using database = new DatabaseSync(file);
  database.exec(`PRAGMA page_size = ${String(pageBytes)}; PRAGMA journal_mode = WAL; VACUUM`);
}

function largeAnswer(n: number): PaidAnswer {
  return answerOf('acme', { attemptId: `attempt-${String(n)}`, text: 'x'.repeat(MIB) });
}

describe.each(PAGE_SIZES)('a file with pages of %i bytes', (pageBytes) => {
  test('SQLITE-6: folds in its log before the log is much larger than 32 MiB', async () => {
    await using temporary = await temporaryFolder();
    const file = path.join(temporary.folder, 'varve.db');
    makeFile(file, pageBytes);
    await using store = await openSqliteStore({ file, ...OPENING });
    for (let n = 0; n < ANSWERS; n += 1) {
      await store.answers.put(largeAnswer(n));
    }
    const log = await stat(`${file}-wal`);
    expect(log.size).toBeGreaterThan(31 * MIB);
    expect(log.size).toBeLessThan(36 * MIB);
  });

  test('SQLITE-6: is full at its limit in bytes', async () => {
    await using temporary = await temporaryFolder();
    const file = path.join(temporary.folder, 'varve.db');
    makeFile(file, pageBytes);
    await using store = await openSqliteStore({ file, ...OPENING, fileBytesMax: 8 * MIB });
    const put = async () => {
      for (let n = 0; n < ANSWERS; n += 1) await store.answers.put(largeAnswer(n));
    };
    await expect(put()).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
    const kept = (await store.answers.ofBatch('acme', 'batch-1')).length;
    // Tables and indexes without rows take a page each, which is one or two of these answers.
    expect(kept).toBeGreaterThan(4);
    expect(kept).toBeLessThan(8);
  });
});
