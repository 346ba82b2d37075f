import { describe, expect, test } from 'vitest';
import {
  DIARY_TOKENS_MAX,
  fittedMemory,
  MEMORY_TOKENS_MAX,
  memoryTokensMax,
} from '#core/dreams/memory-md-size.ts';
import { LINES_PER_DOCUMENT_MAX } from '#core/records/document.ts';
import { memoryText } from '#core/memory-files/memory-md.ts';
import { AT, lineOf } from '../memory-files/tier-samples.ts';
import { BASE, WORDS } from './dream-samples.ts';

const SIZE = WORDS.count(memoryText(BASE));
const idsOf = (lines: readonly { id: string }[]) => lines.map(({ id }) => id);

function fitted(tokensMax: number, isNew: readonly string[] = []) {
  const tools = { tokens: WORDS, tokensMax, isNew: ({ id }: { id: string }) => isNew.includes(id) };
  const { lines, archived } = fittedMemory(BASE, tools);
  return [idsOf(lines), idsOf(archived)];
}

describe('a MEMORY.md', () => {
  test('that just fits stays whole', () => {
    expect(fitted(SIZE)).toEqual([['m1', 'm2', 'm3', 'm4'], []]);
  });

  test('that is a token too large loses its oldest line, and the next one only if necessary', () => {
    expect(fitted(SIZE - 1)).toEqual([['m1', 'm2', 'm3'], ['m4']]);
    expect(fitted(SIZE - 5)).toEqual([
      ['m2', 'm3'],
      ['m4', 'm1'],
    ]);
  });

  test('loses new lines last, however old their content is', () => {
    expect(fitted(SIZE - 1, ['m4'])).toEqual([['m2', 'm3', 'm4'], ['m1']]);
    expect(fitted(0, ['m4', 'm1'])).toEqual([[], ['m2', 'm3', 'm4', 'm1']]);
  });

  test('with too many lines loses the oldest, and orders lines of one age by id', () => {
    const many = Array.from({ length: LINES_PER_DOCUMENT_MAX + 2 }, (_, n) =>
      lineOf(`l${String(9_999 - n)}`, 'a', { at: AT }),
    );
    const tools = { tokens: WORDS, tokensMax: 1_000_000, isNew: () => false };
    const { lines, archived } = fittedMemory(many, tools);
    expect(lines).toHaveLength(LINES_PER_DOCUMENT_MAX);
    expect(idsOf(archived)).toEqual(idsOf(many.slice(-2).toReversed()));
    const full = many.slice(2);
    expect(fittedMemory(full, tools).archived).toEqual([]);
  });
});

test.each([
  ['a model with a short answer writes half of what the diary leaves', 2_601, 1_000],
  ['a model with a long answer writes all of MEMORY.md', 1_000_000, MEMORY_TOKENS_MAX],
  ['a model whose answer only has room for a diary writes nothing', DIARY_TOKENS_MAX - 2, 0],
])('%s', (_, outputTokensMax, expected) => {
  expect(memoryTokensMax({ outputTokensMax })).toBe(expected);
});
