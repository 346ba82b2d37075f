import { describe, expect, test } from 'vitest';
import { dailyFiles, dreamBlocks, hasDreamed } from '#core/dreams/daily-files.ts';
import { blockOf } from '../tiers/tier-samples.ts';

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
  ])(
    'DREAM-01: a look-back of %j reads the last ones there are',
    (lookbackDays, window, earlier) => {
      expect(dailyFiles(paths, { day: '2026-11-21', lookbackDays })).toEqual({ window, earlier });
    },
  );

  test('DREAM-01: no more than a month of earlier ones is looked at', () => {
    const many = Array.from({ length: 60 }, (_, n) =>
      path(`2025-${n < 31 ? '01' : '02'}-${String((n % 31) + 1).padStart(2, '0')}`),
    );
    const { window, earlier } = dailyFiles(many, { day: '2026-01-01', lookbackDays: 1 });
    expect([window.length, earlier.length]).toEqual([1, 31]);
    expect(earlier[0]).toBe(many.toSorted().at(-2));
  });
});

describe('the blocks of a dream', () => {
  const at = (day: number) => Date.UTC(2026, 10, day, 12);
  const late = blockOf('late', ['After the dream.'], { at: at(20), version: 2 });
  const dreamed = blockOf('dreamed', ['Known.'], { at: at(20), dreamedAt: at(20) + 1 });
  const today = blockOf('today', ['New.'], { at: at(21) });
  const old = blockOf('old', ['Never read.'], { at: at(19) });
  const ids = (blocks: readonly { readonly id: string }[]) => blocks.map(({ id }) => id);

  test('DREAM-01: those that came after the last dream are new, however old their file', () => {
    const { fresh, known } = dreamBlocks([today], [[dreamed, late], [old]]);
    expect([ids(fresh), ids(known)]).toEqual([['late', 'today'], []]);
    expect([hasDreamed([dreamed, late]), hasDreamed([late])]).toEqual([true, false]);
  });

  test('DREAM-01: after nights without a dream all since the last one are new', () => {
    const missed = blockOf('missed', ['Missed.'], { at: at(20) });
    const before = blockOf('before', ['Read.'], { at: at(18), dreamedAt: at(18) });
    expect(ids(dreamBlocks([today], [[missed], [old], [before]]).fresh)).toEqual([
      'old',
      'missed',
      'today',
    ]);
  });

  test('DREAM-01: a subject that never dreamed begins with its look-back', () => {
    expect(ids(dreamBlocks([today], [[old]]).fresh)).toEqual(['today']);
  });

  test('DREAM-01: within the look-back what was read before explains the rest', () => {
    const { fresh, known } = dreamBlocks([dreamed, late, today], []);
    expect([ids(fresh), ids(known)]).toEqual([['late', 'today'], ['dreamed']]);
  });

  test('DREAM-05: a block without a word is none', () => {
    const blank = blockOf('blank', [' ', '\t'], { at: at(21) });
    expect(dreamBlocks([blank, blockOf('empty', [], { at: at(21) })], []).fresh).toEqual([]);
  });

  test('DREAM-01: they come in the order of files and numbers', () => {
    const numbered = [10, 2, 9].map((version) =>
      blockOf(`v${String(version)}`, ['x'], { at: at(21), version }),
    );
    expect(ids(dreamBlocks([...numbered, late], []).fresh)).toEqual(['late', 'v2', 'v9', 'v10']);
  });
});
