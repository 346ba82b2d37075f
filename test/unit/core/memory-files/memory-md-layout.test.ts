/** A person's MEMORY.md stays byte for byte around lines that are added and removed. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { layoutLines, laidOut, readLayout } from '#core/memory-files/memory-md-layout.ts';

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

const texts = (text: string): readonly string[] => layoutLines(text).map((line) => line.text);

describe('the lines of a handwritten file', () => {
  test('contain its text, without comments, front matter and marks', () => {
    expect(
      layoutLines(FILE).map(({ heading, text, isFixed = false }) => [heading, text, isFixed]),
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

  test('are read without row numbers, and only fixed ones are marked as fixed', () => {
    const [tea, oslo] = readLayout(FILE);
    expect(tea).toEqual({ heading: 'Team', text: 'Ann prefers tea.' });
    expect(oslo).toEqual({ heading: 'Team', text: 'Bob lives in Oslo.', isFixed: true });
  });

  test.each([
    [
      'is removed with only its own rows',
      ['* Ann prefers tea.\n', ''],
      (lines: Lines) => lines.slice(1),
    ],
    [
      'is added after all others under its heading',
      ['> said by Bob\n', '> said by Bob\n\n- Cy left.\n'],
      (lines: Lines) => [...lines, { heading: 'Team', text: 'Cy left.' }],
    ],
    [
      'is added under a heading at the end if it has none',
      ['on Fridays.\n', 'on Fridays.\n\n## Notes\n\n- Cy left.\n'],
      (lines: Lines) => [...lines, { heading: null, text: 'Cy left.' }],
    ],
    [
      'is added under a new heading at the end',
      ['on Fridays.\n', 'on Fridays.\n\n## Food\n\n- Cy eats rice.\n'],
      (lines: Lines) => [...lines, { heading: 'Food', text: 'Cy eats rice.' }],
    ],
  ])('one of them %s', (_, [before, after], change) => {
    for (const eol of ['\n', '\r\n']) {
      const file = FILE.replaceAll('\n', eol);
      const [from, to] = [before, after].map((part = '') => part.replaceAll('\n', eol));
      expect(laidOut(file, change(layoutLines(file))).text).toBe(
        file.replace(from ?? '', to ?? ''),
      );
    }
  });
});

const KEEP = '<!-- keep -->';

describe('the rows of a file', () => {
  const shown = (file: string) =>
    layoutLines(file).map(({ heading, text, isFixed, from }) => {
      const under = heading === null ? '' : `${heading}: `;
      return `${String(from)} ${under}${text}${isFixed === true ? ' *' : ''}`;
    });

  // Each line with its first row, and a star where a dream leaves it as it is.
  test.each<[string, file: string, lines: string[]]>([
    ['front matter is not a line', '---\nname: Ann\n---\nx', ['3 x']],
    ['front matter may end in dots, with spaces', '---  \n"name" :\n...\t\nx', ['3 x']],
    ['front matter needs an end', '---\nname: Ann\nx', ['1 name: Ann', '2 x']],
    ['front matter needs a field', '---\n- a\n---\n- b', ['1 a', '3 b']],
    ['front matter must come first', 'x\n---\nname: Ann\n---\ny', ['4 name: Ann: y']],
    ['a comment is not a line', '  <!-- a\n- b\n-->  \nx', ['3 x']],
    ['a comment followed by words is a line', '<!-- a --> x', ['0 <!-- a --> x']],
    ['two comments in a row are a line', '<!-- a --> <!-- b -->', ['0 <!-- a --> <!-- b -->']],
    ['an unclosed comment is a line', '<!-- a\n- b', ['0 <!-- a', '1 b']],
    ['fenced code stays as it is', '```\n- a\n```\n- b', ['1 - a *', '3 b']],
    ['a fence ends with its own mark', '~~~\n```\na\n~~~\nb', ['1 ``` *', '2 a *', '4 b']],
    ['an unclosed fence is text', '```\n- a', ['0 ```', '1 a']],
    ['a fence may be empty', '```\n```\n- b', ['2 b']],
    ['a table stays as it is', '| a |\n|---|\n| b |\n\nx', ['0 | a | *', '2 | b | *', '4 x']],
    ['a table may end the file', '| a |\n|:-:|\n| b |', ['0 | a | *', '2 | b | *']],
    ['a table needs a divider', '| a |\n| b |', ['0 | a |', '1 | b |']],
    ['a divider needs bars', '| a |\n---\nx', ['2 | a |: x']],
    ['a divider needs a row with bars above it', 'a\n| - |\nx', ['0 a', '1 | - |', '2 x']],
    ['an underlined row is a heading', '   T\n===\nx\nU\n---  \ny', ['2 T: x', '5 U: y']],
    ['an item above dashes is not a heading', '- a\n---\n- b', ['0 a', '2 b']],
    ['dashes below a heading are not an underline', '# T\n---\n- a', ['2 T: a']],
    ['an underline without text is not a heading', '===\n---\na', ['0 ===', '2 a']],
    ['an indented underline is code', 'T\n    ---\nx', ['0 T', '1 --- *', '2 x']],
    ['an indented heading is code', '    # T\n---\ny', ['0 # T *', '2 y']],
    ['indented code stays as it is', '    x\n\ty', ['0 x *', '1 y *']],
    ['an indented row continues its item', '- a\n    x', ['0 a x']],
    [
      'an item and what follows a gap stay as they are',
      '- a\n\n    x\n- b',
      ['0 a *', '2 x *', '3 b'],
    ],
    ['only the code after a list stays as it is', '- a\nb\n    x', ['0 a', '1 b', '2 x *']],
    ['numbered items stay as they are', '1. a\n    x\n12) b', ['0 a x *', '2 b *']],
    ['a decimal number is not an item', '1.5 x', ['0 1.5 x']],
    [
      'quotes and markup stay as they are',
      '  > a\n<b>x</b>\n</b>',
      ['0 > a *', '1 <b>x</b> *', '2 </b> *'],
    ],
    ['a less-than sign is not markup', 'a < b', ['0 a < b']],
    [
      'nested items stay as they are',
      '- a\n  - b\n    - c\n  - d\n- e',
      ['0 a *', '1 b *', '2 c *', '3 d *', '4 e'],
    ],
    ['a tab also nests an item', '- a\n\t- b\n  - c\n- d', ['0 a *', '1 b *', '2 c *', '3 d']],
    ['an item with a quote stays as it is', '- a\n  > q\n- c', ['0 a *', '1 > q *', '2 c']],
    ['items with gaps are plain lines', '  - a\n\n- b\n\nc', ['0 a', '2 b', '4 c']],
    ['a keep mark applies to the next line', `- a\n${KEEP}\n\n- b`, ['0 a', `1 b ${KEEP}`]],
    ['a keep mark applies to the next heading', `${KEEP}\n# T\n- a`, [`2 T ${KEEP}: a`]],
    ['a keep mark before a comment has no effect', `${KEEP}\n<!-- a -->\n- b`, ['2 b']],
    ['a keep mark before code has no effect', `${KEEP}\n\`\`\`\nx\n\`\`\``, ['2 x *']],
    ['a keep mark before another one has no effect', `${KEEP}\n${KEEP}\n- a`, [`1 a ${KEEP}`]],
    ['a keep mark at the end has no effect', `- a\n${KEEP}\n`, ['0 a']],
  ])('%s', (_, file, lines) => {
    expect(shown(file)).toEqual(lines);
  });
});

describe('lines are written into a file', () => {
  // Lines with the heading that each is given, and with the one that it then stands under.
  test.each<[string, file: string | undefined, given: string, text: string, standing?: string]>([
    ['that was never written', undefined, ':a T:b', '- a\n\n## T\n\n- b\n'],
    ['without rows', '', ':a', '- a\n'],
    ['without rows, under a heading', '', 'T:a', '## T\n\n- a\n'],
    ['that receives none', '', '', ''],
    ['whose last row has no line break', '- a', ':a :b', '- a\n- b\n'],
    ['with old-style line breaks', '- a\r- b', ':a :b :c', '- a\r- b\r- c\r'],
    ['with a byte order mark', '\u{feff}- a\n', ':b', '\u{feff}- b\n'],
    ['with only a byte order mark', '\u{feff}', ':a', '\u{feff}- a\n'],
    ['that loses all lines', '\u{feff}- a\n', '', '\u{feff}'],
    ['with its own bullets', '+ a\n\n\n', ':a :b', '+ a\n+ b\n\n\n'],
    ['separately from a paragraph', 'a\n', ':a :b', 'a\n\n- b\n'],
    ['and the rest stays separate', 'a\n- b\nc\n', ':a :c', 'a\n\nc\n'],
    ['with one gap only', 'a\n\n- b\nc\n', ':a :c', 'a\n\nc\n'],
    ['and items need no gap', 'a\n- b\n- c\n', ':a :c', 'a\n- c\n'],
    ['and headings need no gap', 'a\n- b\n# C\nc\n', ':a C:c', 'a\n# C\nc\n'],
    ['and the first line needs no gap', '- a\nb\n', ':b', 'b\n'],
    ['and a keep mark is removed with its line', `${KEEP}\n- a\n- b\n`, ':b', '- b\n'],
    ['before a keep mark', `- a\n${KEEP}\n`, ':a :b', `- a\n- b\n\n${KEEP}\n`],
    ['after a comment', '- a\n\n<!-- c -->\n', ':a :b', '- a\n\n<!-- c -->\n\n- b\n'],
    ['once if one of two duplicates is removed', '- a\n- a\n- b\n', ':a :b', '- a\n- b\n'],
    ['under their own headings', '# A\n- a\n# B\n- a\n', 'B:a', '# A\n# B\n- a\n'],
    [
      'without moving them to another heading',
      '# A\n- a\n# B\n- b\n',
      'B:a B:b',
      '# A\n- a\n# B\n- b\n',
      'A:a B:b',
    ],
    [
      'known headings before new ones',
      '# A\n- a\n# B\n- b\n',
      'D:d A:a B:b C:c A:x D:e',
      '# A\n- a\n- x\n\n# B\n- b\n\n## D\n\n- d\n- e\n\n## C\n\n- c\n',
      'A:a A:x B:b D:d D:e C:c',
    ],
    ['under a marked heading', `${KEEP}\n# T\n`, 'T:b', `${KEEP}\n# T\n\n- b\n`, `T ${KEEP}:b`],
    ['under a heading without lines', '# A\n# B\n', 'A:x', '# A\n\n- x\n\n# B\n'],
    [
      'under the last of two equal headings',
      '# A\n- a\n# A\n- b\n',
      'A:a A:b A:c',
      '# A\n- a\n# A\n- b\n- c\n',
    ],
    ['under the title', '\n# T\n\n', ':x', '\n# T\n\n- x\n\n', 'T:x'],
    [
      'under the title beside the lines there',
      '# T\n- b\n\n## A\n- a\n',
      'T:b A:a :x',
      '# T\n- b\n- x\n\n## A\n- a\n',
      'T:b T:x A:a',
    ],
    [
      'behind the sections of a file with a title',
      '# T\n\n## A\n- a\n',
      'A:a :x :y',
      '# T\n\n## A\n- a\n\n## Notes\n\n- x\n- y\n',
      'A:a Notes:x Notes:y',
    ],
    [
      'behind the sections of a file without a title',
      '## A\n- a\n## B\n- b\n',
      'A:a B:b :x',
      '## A\n- a\n## B\n- b\n\n## Notes\n\n- x\n',
      'A:a B:b Notes:x',
    ],
    [
      'in the section of earlier ones',
      '# T\n\n## Notes\n\n- x\n\n## A\n- a\n',
      'Notes:x A:a :y',
      '# T\n\n## Notes\n\n- x\n- y\n\n## A\n- a\n',
      'Notes:x Notes:y A:a',
    ],
    ['above the title', 'a\n\n# T\n- b\n', ':a T:b :x', 'a\n\n- x\n\n# T\n- b\n', ':a :x T:b'],
  ])('%s', (_, file, given, text, standing = given) => {
    const lines = given.split(' ').flatMap((each) => {
      const [heading, said = ''] = each.split(':');
      return said === '' ? [] : [{ heading: heading || null, text: said }];
    });
    const laid = laidOut(file, lines);
    expect(laid.text).toBe(text);
    const under = laid.lines.map(({ heading, text: said }) => `${heading ?? ''}:${said}`);
    expect(under.join(' ')).toBe(standing);
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
  test('is reproduced byte for byte from its own lines', () => {
    fc.assert(
      fc.property(FILES, (file) => {
        expect(laidOut(file, layoutLines(file)).text).toBe(file);
      }),
      { numRuns: 300 },
    );
  });

  test('keeps every remaining row while lines are added and removed', () => {
    fc.assert(
      fc.property(FILES, ADDED, fc.func(fc.boolean()), (file, added, goes) => {
        const laid = layoutLines(file);
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
