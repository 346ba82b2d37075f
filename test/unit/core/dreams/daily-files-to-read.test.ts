import { describe, expect, test } from 'vitest';
import { byPlace, dailyFiles, isFresh, isKnown } from '#core/dreams/daily-files-to-read.ts';
import { SET_ASIDE_AT } from '#core/records/document.ts';
import { blockOf } from '../memory-files/tier-samples.ts';

const path = (day: string): string => `memory/${day}.md`;
const days = (...list: readonly string[]): readonly string[] => list.map(path);

describe('the daily files of a dream', () => {
  const paths = [
    'MEMORY.md',
    'memory/archive.md',
    'memory/dreams/2026-11-20.md',
    ...days('2026-11-22', '2026-11-09', '2026-11-20', '2026-11-21'),
  ];

  test.each([
    [1, days('2026-11-21'), days('2026-11-20', '2026-11-09')],
    [2, days('2026-11-20', '2026-11-21'), days('2026-11-09')],
    [9, days('2026-11-09', '2026-11-20', '2026-11-21'), []],
  ])('a look-back of %j days reads the latest existing files', (lookbackDays, window, earlier) => {
    expect(dailyFiles(paths, { day: '2026-11-21', lookbackDays })).toEqual({ window, earlier });
  });

  test('at most 31 earlier files are considered', () => {
    const many = Array.from({ length: 60 }, (_, n) =>
      path(`2025-${n < 31 ? '01' : '02'}-${String((n % 31) + 1).padStart(2, '0')}`),
    );
    const { window, earlier } = dailyFiles(many, { day: '2026-01-01', lookbackDays: 1 });
    expect([window.length, earlier.length]).toEqual([1, 31]);
    expect(earlier[0]).toBe(many.toSorted().at(-2));
  });
});

describe('a block', () => {
  const TEXT = ['Ann said so.'];

  test.each<[string, readonly string[], number | null, [boolean, boolean]]>([
    ['that no dream has read is new', TEXT, null, [true, false]],
    ['that a dream has processed is known', TEXT, 7, [false, true]],
    ['that was set aside is neither new nor known', TEXT, SET_ASIDE_AT, [false, false]],
  ])('%s', (_, lines, dreamedAt, expected) => {
    const block = blockOf('b1', lines, { dreamedAt });
    expect([isFresh(block), isKnown(block)]).toEqual(expected);
  });

  test.each([[[' ', '\t']], [[]]])('without a word is neither new nor known: %j', (lines) => {
    const blank = { lines: blockOf('b1', lines).lines };
    expect(isFresh({ ...blank, dreamedAt: null })).toBe(false);
    expect(isKnown({ ...blank, dreamedAt: 7 })).toBe(false);
  });

  test('is ordered by file and number', () => {
    const at = Date.UTC(2026, 10, 22);
    const later = [10, 2, 9].map((version) =>
      blockOf(`v${String(version)}`, ['x'], { at, version }),
    );
    const ids = [...later, blockOf('before', ['x'])].toSorted(byPlace).map(({ id }) => id);
    expect(ids).toEqual(['before', 'v2', 'v9', 'v10']);
  });
});
