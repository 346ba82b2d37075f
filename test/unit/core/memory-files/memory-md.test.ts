import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  HEADING_LENGTH_MAX,
  LINE_LENGTH_MAX,
  LINES_PER_DOCUMENT_MAX,
} from '#core/records/document.ts';
import { groupedByHeading } from '#core/memory-files/daily-and-diary-text.ts';
import { memoryText, readMemoryText, type WrittenLine } from '#core/memory-files/memory-md.ts';
import { oneLine } from '#core/text/lines.ts';

const line = (text: string, heading: string | null = null): WrittenLine => ({ heading, text });

const WORDS = fc
  .array(
    fc.oneof(
      fc.constantFrom('# ', '## ', '- ', '* ', '---', '```', '# Daily Memory: ', '\\', '1. ', '  '),
      fc.string({ unit: 'grapheme', maxLength: 10 }),
    ),
    { minLength: 1, maxLength: 5 },
  )
  .map((parts) => oneLine(parts.join('')))
  .filter((text) => text !== '' && text.isWellFormed() && !text.includes('\0'));
const LINES = fc
  .array(
    fc.record({
      heading: fc.option(WORDS.map((text) => text.slice(0, 40).trim() || 'x')),
      text: WORDS,
    }),
    { maxLength: 12 },
  )
  .map((lines) => lines.filter(({ heading }) => heading?.isWellFormed() ?? true));

describe('MEMORY.md', () => {
  test('TIER-04: consists of bullets grouped under headings', () => {
    const lines = [line('Ann leads search.', 'People'), line('Open.'), line('Bob left.', 'People')];
    expect(memoryText(lines)).toBe('- Open.\n\n## People\n\n- Ann leads search.\n- Bob left.\n');
    expect(memoryText([])).toBe('');
  });

  test('keeps all lines through writing and reading', () => {
    fc.assert(
      fc.property(LINES, (lines) => {
        expect(readMemoryText(memoryText(lines))).toEqual(groupedByHeading(lines));
        expect(new Set(groupedByHeading(lines))).toEqual(new Set(lines));
      }),
    );
  });

  test('groups lines by heading in order of first use, with unheaded lines first', () => {
    const lines = [line('a', 'A'), line('b', 'B'), line('c', 'A'), line('d'), line('e', 'B')];
    const texts = groupedByHeading(lines).map(({ text }) => text);
    expect(texts).toEqual(['d', 'a', 'c', 'b', 'e']);
    expect(groupedByHeading(groupedByHeading(lines))).toEqual(groupedByHeading(lines));
  });

  test('is read in full, whatever bullets people use', () => {
    const text = [
      '\u{feff}# Memory',
      '* star',
      '+ plus\r',
      '  - nested',
      '    goes on',
      'plain paragraph',
      'and another',
      '',
      '---',
      '1. first',
      '- [ ] a task',
      '##   Work ##',
      '-',
      '- dash\u{a0}here',
      '######',
      'after an empty heading',
    ].join('\n');
    expect(readMemoryText(text)).toEqual([
      line('star', 'Memory'),
      line('plus', 'Memory'),
      line('nested goes on', 'Memory'),
      line('plain paragraph', 'Memory'),
      line('and another', 'Memory'),
      line('1. first', 'Memory'),
      line('[ ] a task', 'Memory'),
      line('dash here', 'Work'),
      line('after an empty heading'),
    ]);
  });

  test('treats a number sign in a closed fence as text, but in an open fence as a heading', () => {
    expect(readMemoryText('- run\n```sh\n# install\nnpm ci\n```\n- done')).toEqual(
      ['run', '```sh', '# install', 'npm ci', '```', 'done'].map((text) => line(text)),
    );
    expect(readMemoryText('```\n# Work\n- a')).toEqual([line('```'), line('a', 'Work')]);
  });

  test('loses no word that is not markup', () => {
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[ \t*+-]{0,3}[a-z ]{0,12}$/u)), (rows) => {
        const words = (texts: readonly string[]) => texts.join(' ').match(/[a-z]+/gu) ?? [];
        const read = readMemoryText(rows.join('\n')).map(({ text }) => text);
        expect(words(read)).toEqual(words(rows));
      }),
    );
  });

  test.each<[string, text: string, code: string, place?: string]>([
    ['a line', `\n${'x'.repeat(LINE_LENGTH_MAX + 1)}`, 'CONTENT_TOO_LONG', 'line 2 of'],
    ['a line of several rows', `- a\n${`  ${'y'.repeat(1_000)}\n`.repeat(4)}`, 'CONTENT_TOO_LONG'],
    ['a heading', `## ${'x'.repeat(HEADING_LENGTH_MAX + 1)}\n- a`, 'CONTENT_TOO_LONG', 'line 2 of'],
    ['too many lines', '- a\n'.repeat(LINES_PER_DOCUMENT_MAX + 1), 'CONTENT_TOO_LONG'],
    ['a text', 'x\n'.repeat(2_100_000), 'CONTENT_TOO_LONG'],
    ['half a surrogate pair', 'x\u{d800}', 'INVALID_INPUT'],
    ['NUL', 'a\0b', 'INVALID_INPUT'],
  ])('refuses %s that no record can hold', (_, text, code, place = '') => {
    const message = expect.stringContaining(place) as string;
    expect(() => readMemoryText(text)).toThrow(expect.objectContaining({ code, message }));
  });

  test('accepts the longest line and heading and the most lines', () => {
    const text = `## ${'h'.repeat(HEADING_LENGTH_MAX)}\n- ${'x'.repeat(LINE_LENGTH_MAX)}`;
    expect(readMemoryText(text)).toHaveLength(1);
    expect(readMemoryText('- a\n'.repeat(LINES_PER_DOCUMENT_MAX))).toHaveLength(
      LINES_PER_DOCUMENT_MAX,
    );
  });
});
