/** What the diary says about a block that was set aside. */
import { expect, test } from 'vitest';
import { setAsideDiaryEntry } from '#core/dreams/dream-diary.ts';
import { Document } from '#core/records/document.ts';
import { AT, blockOf } from '../memory-files/tier-samples.ts';

test('the diary names a block that is set aside by its place, not by its text', () => {
  const block = blockOf('b1', ['Ann said so.'], { version: 3 });
  const ids = { block: 'd1', line: 'l1' };
  const diary = setAsideDiaryEntry(block, { ids, day: '2026-11-24', at: AT });
  expect(Document.parse({ ...diary, version: 1 })).toMatchObject({
    path: 'memory/dreams/2026-11-24.md',
    kind: 'Diary',
    key: 'aside/b1',
    lines: [{ sources: ['b1'], trust: 'verified' }],
  });
  expect(diary.lines[0]?.text).toMatch(/^Block 3 of memory\/2026-11-21\.md is set aside: /u);
  expect(JSON.stringify(diary)).not.toContain('Ann said so.');
});
