import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TOMBSTONES_MAX } from '#core/records/subject-record.ts';
import { editedLines, tombstonesAfter } from '#core/memory-files/edited-lines.ts';
import { tombstoneOf } from '#core/memory-files/line-likeness.ts';
import { digest } from '#test/conformance/samples.ts';
import { AT, idsFrom, lineOf } from './tier-samples.ts';

const BEFORE = [
  lineOf('l1', 'Ann prefers tea.', { heading: 'Taste', trust: 'observed' }),
  lineOf('l2', 'Bob lives in Oslo.'),
  lineOf('l3', 'The launch is in May.'),
];

const parts = () => ({ newId: idsFrom('n'), digest, at: AT + 1 });
const written = (...texts: readonly string[]) => texts.map((text) => ({ heading: null, text }));
const stone = (text: string) => tombstoneOf(digest, text);

describe("a person's edit of MEMORY.md", () => {
  test('keeps the identity of a line that says the same, wherever it moves', () => {
    const { lines, added, removed, tombstones } = editedLines(
      BEFORE,
      [
        { heading: 'Where', text: '**Bob** lives in Oslo' },
        { heading: null, text: 'The launch is in May.' },
        { heading: 'Taste', text: 'ANN  prefers tea.' },
      ],
      parts(),
    );
    expect(lines).toEqual([
      { ...BEFORE[1], heading: 'Where', text: '**Bob** lives in Oslo' },
      BEFORE[2],
      { ...BEFORE[0], text: 'ANN  prefers tea.' },
    ]);
    expect([added, removed, tombstones]).toEqual([[], [], []]);
  });

  test('adds a new line as stated, without sources', () => {
    const edit = editedLines(
      BEFORE.slice(0, 1),
      written('Ann prefers tea.', 'Cy is new.'),
      parts(),
    );
    expect(edit.lines[1]).toEqual({
      id: 'n1',
      heading: null,
      text: 'Cy is new.',
      sources: [],
      trust: 'stated',
      at: AT + 1,
    });
    expect(edit.added).toEqual(['n1']);
  });

  test('leaves a tombstone for a removed line, but none of its words', () => {
    const edit = editedLines(BEFORE, written('Ann prefers tea.'), parts());
    expect(edit.removed).toEqual(BEFORE.slice(1));
    expect(edit.tombstones).toEqual([stone('Bob lives in Oslo.'), stone('The launch is in May.')]);
    expect(edit.tombstones.join(' ')).toMatch(/^[0-9a-f]{64} [0-9a-f]{64}$/u);
  });

  test('leaves no tombstone for a line whose words are only reordered', () => {
    const edit = editedLines(BEFORE, written('In Oslo lives Bob'), parts());
    expect(edit.tombstones).not.toContain(stone('Bob lives in Oslo.'));
  });

  test('removes the tombstone of a line written again, and forgets the oldest tombstones', () => {
    const known = [
      stone('Cy is new.'),
      ...Array.from({ length: TOMBSTONES_MAX - 1 }, (_, n) => `t${String(n)}`),
    ];
    const edit = editedLines(BEFORE, written('Cy is new.', 'Ann prefers tea.'), parts());
    const after = tombstonesAfter(known, edit, digest);
    expect(after).toHaveLength(TOMBSTONES_MAX);
    expect(after).not.toContain(stone('Cy is new.'));
    expect(after.slice(-2)).toEqual(edit.tombstones);
    expect(after[0]).toBe('t1');
  });

  test('keeps, adds or removes every line, and uses no id twice', () => {
    const texts = fc.array(fc.constantFrom('A one', 'B two', 'C three', 'D four', 'a one.'), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(texts, texts, (old, now) => {
        const before = old.map((text, index) => lineOf(`l${String(index)}`, text));
        const { lines, added, removed } = editedLines(before, written(...now), parts());
        const ids = lines.map(({ id }) => id);
        expect(lines.map(({ text }) => text)).toEqual(now);
        expect(new Set(ids).size).toBe(ids.length);
        const kept = ids.filter((id) => !added.includes(id));
        const gone = removed.map(({ id }) => id);
        expect([...kept, ...gone].toSorted()).toEqual(before.map(({ id }) => id).toSorted());
      }),
    );
  });
});

describe('a tombstone', () => {
  test.each([
    ['Ann prefers tea.', 'ann prefers TEA', true],
    ['Ann prefers tea.', 'Tea is what Ann prefers', true],
    ['Ann prefers tea.', 'Ann does not prefer tea.', false],
    ['Ann prefers tea.', 'Ann prefers coffee.', false],
    ['The budget is 1,000 EUR', 'The budget is 1000 EUR.', true],
    ['The budget is 1,000 EUR', 'The budget is 2,000 EUR', false],
    ['安喜欢喝茶。', '安喜欢喝茶', true],
    ['安喜欢喝茶。', '安喜欢喝咖啡。', false],
    ['…', '!', true],
  ])('for %j keeps out %j: %j', (deleted, text, isKept) => {
    expect(stone(deleted) === stone(text)).toBe(isKept);
  });
});
