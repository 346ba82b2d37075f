/** A person's MEMORY.md stays byte for byte around the lines that come and go. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { laidLines, laidOut } from '#core/memory-files/memory-md-layout.ts';

const FILE = [
  '---',
  'title: Ann',
  '---',
  '# Memory',
  '<!-- written by hand -->',
  '',
  'Team',
  '====',
  '* Ann prefers tea.',
  '* Bob lives in Oslo.',
  '  - since 2024',
  '\t- with a cat',
  '',
  '1. Clone it.',
  '2. Build it.',
  '',
  '```sh',
  '# install',
  '- npm ci',
  '```',
  '| Name | Role |',
  '|------|:----:|',
  '| Ann  | lead |',
  '> said by Bob',
  '',
  '<!-- keep -->',
  '### Rules',
  'No deploys on Fridays.',
  '',
].join('\n');

const texts = (text: string): readonly string[] => laidLines(text).map((line) => line.text);

describe('the lines of a file that a person wrote', () => {
  test('are what it says, without comments, front matter and marks', () => {
    expect(
      laidLines(FILE).map(({ heading, text, isFixed = false }) => [heading, text, isFixed]),
    ).toEqual([
      ['Team', 'Ann prefers tea.', false],
      ['Team', 'Bob lives in Oslo.', true],
      ['Team', 'since 2024', true],
      ['Team', 'with a cat', true],
      ['Team', 'Clone it.', true],
      ['Team', 'Build it.', true],
      ['Team', '# install', true],
      ['Team', '- npm ci', true],
      ['Team', '| Name | Role |', true],
      ['Team', '| Ann | lead |', true],
      ['Team', '> said by Bob', true],
      ['Rules <!-- keep -->', 'No deploys on Fridays.', false],
    ]);
  });

  test.each([
    ['goes with its rows alone', ['* Ann prefers tea.\n', ''], (lines: Lines) => lines.slice(1)],
    [
      'comes behind all under its heading',
      ['> said by Bob\n', '> said by Bob\n\n- Cy left.\n'],
      (lines: Lines) => [...lines, { heading: 'Team', text: 'Cy left.' }],
    ],
    [
      'comes under the title where it has no heading',
      ['by hand -->\n', 'by hand -->\n\n- Cy left.\n'],
      (lines: Lines) => [...lines, { heading: null, text: 'Cy left.' }],
    ],
    [
      'comes under a new heading behind all',
      ['on Fridays.\n', 'on Fridays.\n\n## Food\n\n- Cy eats rice.\n'],
      (lines: Lines) => [...lines, { heading: 'Food', text: 'Cy eats rice.' }],
    ],
  ])('one of them %s', (_, [before, after], change) => {
    for (const eol of ['\n', '\r\n']) {
      const file = FILE.replaceAll('\n', eol);
      const [from, to] = [before, after].map((part = '') => part.replaceAll('\n', eol));
      expect(laidOut(file, change(laidLines(file))).text).toBe(file.replace(from ?? '', to ?? ''));
    }
  });
});

type Lines = readonly { readonly heading: string | null; readonly text: string }[];

const WORD = fc.constantFrom('tea', 'Oslo', 'a|b', '`x`', '**now**', 'café', '中文', '[ ] do');
const TEXT = fc.array(WORD, { minLength: 1, maxLength: 3 }).map((words) => `${words.join(' ')} %`);
const INDENT = fc.constantFrom('', '', '  ', '    ', '\t');
const BLOCKS = fc.oneof(
  fc
    .tuple(INDENT, fc.constantFrom('- ', '* ', '+ ', '1. ', '12) '), TEXT)
    .map((row) => [row.join('')]),
  TEXT.map((text) => [text]),
  TEXT.map((text) => [`- ${text}`, `  goes ${text}`]),
  TEXT.map((text) => [`## ${text}`]),
  TEXT.map((text) => [text, '----']),
  TEXT.map((text) => ['```js', `- ${text}`, '# no heading', '', '| a | b |', '```']),
  TEXT.map((text) => ['~~~', '1. one', '```', `<!-- ${text} -->`, '~~~']),
  TEXT.map((text) => ['| a | b |', '|---|:-:|', `| ${text} | c |`]),
  TEXT.map((text) => [`> ${text}`, '> - listed']),
  TEXT.map((text) => ['<!--', `- ${text}`, '-->']),
  TEXT.map((text) => [`- ${text} <!-- keep -->`]),
  fc.constantFrom(['---'], ['<!-- keep -->'], ['<!-- note -->'], ['<b>%</b>'], ['', ''], ['\\# %']),
);
const FILES = fc
  .record({
    blocks: fc.array(fc.tuple(BLOCKS, fc.boolean()), { maxLength: 12 }),
    eol: fc.constantFrom('\n', '\r\n', '\r'),
    isEnded: fc.boolean(),
    isTitled: fc.boolean(),
  })
  .map(({ blocks, eol, isEnded, isTitled }) => {
    const rows = blocks.flatMap(([block, isApart], at) => {
      const own = block.map((row) => row.replaceAll('%', String(at)));
      return isApart ? [...own, ''] : own;
    });
    const front = isTitled ? ['---', 'name: Ann', 'tags: [x]', '---'] : [];
    return [...front, ...rows].join(eol) + (isEnded ? eol : '');
  });
const ADDED = fc.array(
  fc.record({ heading: fc.option(fc.constantFrom('New', 'tea 1', 'Oslo 2')), text: TEXT }),
  { maxLength: 3 },
);
const words = (text: string) => text.split(/\r\n|\r|\n/u).filter((row) => row.trim() !== '');

describe('any file', () => {
  test('is laid out from its own lines byte for byte', () => {
    fc.assert(
      fc.property(FILES, (file) => {
        expect(laidOut(file, laidLines(file)).text).toBe(file);
      }),
      { numRuns: 300 },
    );
  });

  test('keeps every row of what stays while lines come and go', () => {
    fc.assert(
      fc.property(FILES, ADDED, fc.func(fc.boolean()), (file, added, goes) => {
        const laid = laidLines(file);
        const stays = laid.filter((line) => line.isFixed === true || !goes(line.from));
        const { text, lines } = laidOut<Lines[number]>(file, [...stays, ...added]);
        expect([...texts(text)].toSorted()).toEqual(
          [...stays, ...added].map((line) => line.text).toSorted(),
        );
        expect(lines.map((line) => line.text)).toEqual(texts(text));
        const gone = new Set(laid.filter((line) => !stays.includes(line)).flatMap(rowsIn));
        const own = words(rowsWithout(file, gone));
        const rest = words(text);
        let at = 0;
        for (const row of rest) if (row === own[at]) at += 1;
        expect(own.slice(at)).toEqual([]);
        expect(rest.length - own.length).toBeLessThanOrEqual(added.length * 2);
        expect(laidOut(text, lines).text).toBe(text);
      }),
      { numRuns: 300 },
    );
  });
});

function rowsIn({ from, end }: { readonly from: number; readonly end: number }): number[] {
  return Array.from({ length: end - from }, (_, at) => from + at);
}

function rowsWithout(file: string, gone: ReadonlySet<number>): string {
  const rows = file.split(/\r\n|\r|\n/u);
  return rows.filter((_, at) => !gone.has(at)).join('\n');
}
