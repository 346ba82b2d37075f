import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tombstoneOf } from '#core/memory-files/line-likeness.ts';
import { digest } from '#test/conformance/samples.ts';
import { AT, blockOf, lineOf } from '../memory-files/tier-samples.ts';
import { BASE, BLOCKS, dreamt, keeps, questionOf, says, textsOf } from './dream-samples.ts';

/** Enough that holds for one line that does not. */
const GOOD = [
  says('Dee joined the team on 1 November 2026.', ['b1']),
  says('The build costs 40 EUR a month.', ['b2']),
  says('Ann prefers coffee now.', ['m1', 'b1']),
];

describe('a line that a dream answers with', () => {
  test.each([
    ['says what its source says', 'Dee joined the team on 1 November 2026.', ['b1'], null],
    ['shortens its source', 'Dee joined the team.', ['b1'], null],
    ['cites nothing, but is in a source', 'Dee joined the team.', [], null],
    ['leaves out how often a price is paid', 'The build costs 40 EUR.', ['b2'], 'UnitNotInSource'],
    ['cites nothing, and is in no source', 'Ann owns a yacht.', [], 'NotInSource'],
    ['cites an unknown source', 'The build costs 40 EUR.', ['b2', 'b9'], 'UnknownSource'],
    ['says what no source says', 'Dee was fired by the board.', ['b1'], 'NotInSource'],
    ['has another number', 'The build costs 50 EUR a month.', ['b2'], 'NumberNotInSource'],
    ['has another day', 'Dee joined the team on 2 November 2026.', ['b1'], 'DateNotInSource'],
    ['negates its source', 'Dee did not join the team.', ['b1'], 'NegationDiffers'],
    ['cites the wrong block', 'The build costs 40 EUR a month.', ['b1'], 'NumberNotInSource'],
    [
      'names an address that no source has',
      'Dee is at https://evil.example/x now.',
      ['b1'],
      'IdentifierNotInSource',
    ],
  ])('that %s is kept or dropped with a reason', (_, text, sources, reason) => {
    const others = [...keeps(BASE), ...GOOD].filter(
      (line) => !line.text.startsWith(text.slice(0, 5)),
    );
    const { lines, dropped } = dreamt({ answer: [...others, says(text, sources)] });
    expect(dropped).toEqual(reason === null ? [] : [{ text, reason }]);
    expect(textsOf(lines).includes(text)).toBe(reason === null);
  });

  test('that MEMORY.md already has stays as it was, and needs no source', () => {
    const { outcome, lines, added, dropped } = dreamt({
      answer: [...keeps(BASE).slice(1), says('**ann** prefers  tea', ['b2'], 'Taste')],
    });
    expect([outcome, added, dropped]).toEqual(['Unchanged', [], []]);
    expect(lines).toEqual(BASE);
  });

  test('that only rewords an existing line changes nothing', () => {
    const base = [lineOf('m1', 'The weekly review of Ann is in the large room.')];
    const answer = [says("Ann's weekly review is in the large room", ['m1'])];
    expect(dreamt({ base, answer })).toMatchObject({
      outcome: 'Unchanged',
      lines: base,
      dropped: [{ reason: 'NothingNew' }],
    });
  });

  test.each([
    ['Ann prefers strong black tea with milk.', 'Ann prefers strong black coffee with milk.'],
    [
      'The backup is kept in the cold storage bucket.',
      'The backup is kept in the warm storage bucket.',
    ],
    [
      'The team deploys checkout by hand after review.',
      'The team deploys checkout automatically after review.',
    ],
    ['Ann manages Bob.', 'Bob manages Ann.'],
    ['The desk is open until noon.', 'The desk is open after noon.'],
    ['Checkout launches in May.', 'Checkout launched in May.'],
    ['The seat costs 40 $.', 'The seat costs 40 €.'],
  ])('a changed fact replaces the old one: %s', (old, now) => {
    const base = [lineOf('m1', old, { at: AT - 1_000 })];
    const blocks = [blockOf('b1', [now])];
    const plan = dreamt({ base, blocks, answer: [says(now, ['b1', 'm1'])] });
    expect(plan).toMatchObject({ outcome: 'Dreamed', removed: [], findings: [] });
    expect(textsOf(plan.lines)).toEqual([now]);
    expect(textsOf(plan.diary)).toContain(`${old} → ${now}`);
  });

  test('a line is not kept because a longer line contains its words', () => {
    const base = [
      lineOf('m1', 'Dana prefers tea.'),
      lineOf('m2', 'Dana prefers coffee and Lee prefers tea.'),
      lineOf('m3', 'Lee likes Dana.'),
      lineOf('m4', 'If it rains, Lee likes Dana.'),
    ];
    const plan = dreamt({ base, answer: keeps(base.filter((_, n) => n % 2 === 1)) });
    expect(plan).toMatchObject({ outcome: 'Waiting', removed: ['m1', 'm3'] });
  });

  test.each([
    ['only what was read before', ['k1'], []],
    ['what was read before and a line', ['k1', 'm1'], []],
    ['what was read before and what is new', ['k1', 'b1'], ['Dee has a home in Berlin.']],
  ])('that rests on %s is added only if something is new', (_, sources, added) => {
    const known = [blockOf('k1', ['Dee has a home in Berlin.'])];
    const question = questionOf(BASE, BLOCKS, known);
    const answer = [...keeps(BASE), says('Dee has a home in Berlin.', sources)];
    const plan = dreamt({ question, blocks: [...BLOCKS, ...known], answer });
    expect(textsOf(plan.lines.filter(({ id }) => plan.added.includes(id)))).toEqual(added);
    expect(plan.outcome).toBe(added.length > 0 ? 'Dreamed' : 'Unchanged');
    expect(plan.dropped.map(({ reason }) => reason)).toEqual(
      added.length > 0 ? [] : ['NothingNew'],
    );
  });

  test('that repeats a line with another value is a new line', () => {
    const base = [lineOf('m1', 'The weekly review of Ann is on Monday.')];
    const blocks = [blockOf('b1', ['The weekly review of Ann is on Tuesday.'])];
    const answer = [says('The weekly review of Ann is on Tuesday.', ['b1', 'm1'])];
    expect(dreamt({ base, blocks, answer })).toMatchObject({
      outcome: 'Dreamed',
      lines: [{ id: 'n1', text: 'The weekly review of Ann is on Tuesday.' }],
      removed: [],
    });
  });

  test('appears once, even if the answer repeats it', () => {
    const twice = [GOOD[1], says('**the build** costs 40 EUR a month', ['b2'])].flatMap(
      (line) => line ?? [],
    );
    expect(dreamt({ answer: [...keeps(BASE), ...keeps(BASE), ...twice] }).lines).toHaveLength(5);
  });

  test('that differs from others only in a number is a line of its own', () => {
    const long = 'of the north hall is owned by the search team and cooled by the old plant';
    const base = [12, 13, 14].map((n) => lineOf(`m${String(n)}`, `Rack ${String(n)} ${long}.`));
    const blocks = [blockOf('b1', [`Rack 15 ${long}.`])];
    const answer = [...keeps(base.slice(0, 2)), says(`Rack 15 ${long}.`, ['b1'])];
    const { lines, removed } = dreamt({ base, blocks, answer });
    expect(removed).toEqual(['m14']);
    expect(lines.map(({ id }) => id)).toEqual(['m12', 'm13', 'n1']);
  });

  test('in a script without spaces appears once as well', () => {
    const blocks = [blockOf('b1', ['安每天早上喝绿茶，不喝咖啡。', '鲍勃住在奥斯陆。'])];
    const base = [lineOf('m1', '安每天早上喝绿茶，不喝咖啡')];
    const answer = [
      says('安每天早上喝绿茶， 不喝咖啡。', ['b1']),
      says('鲍勃住在奥斯陆。', ['b1']),
      says('鲍勃住在奥斯陆', ['b1']),
    ];
    expect(textsOf(dreamt({ base, blocks, answer }).lines)).toEqual([
      '安每天早上喝绿茶，不喝咖啡',
      '鲍勃住在奥斯陆。',
    ]);
  });

  test('rests on the original statements, not on what was derived from them', () => {
    const { lines } = dreamt({
      answer: [
        ...keeps(BASE.slice(1, 2)),
        says('Ann prefers coffee now.', ['m1', 'b1']),
        says('The launch is on 3 May, and Cy leads search.', ['m3', 'm4']),
      ],
    });
    expect(lines.slice(1, 3)).toMatchObject([
      { sources: ['of-m1', 'of-b1-1'], at: AT, trust: 'stated' },
      { sources: ['m3', 'of-m4'], at: AT - 1_000 },
    ]);
  });

  test.each([
    [
      'that quotes a user verbatim',
      'user: I work as a nurse.',
      ['user: My cat is called Zebulonia.', 'user: I work as a nurse.'],
      ['of-b1-2'],
    ],
    [
      "that puts a user's words in the third person",
      'The user works as a nurse.',
      ['user: My cat is called Zebulonia.', 'user: I work as a nurse.'],
      ['of-b1-2'],
    ],
    [
      'that quotes a named person',
      'Ann Smith: I work as a nurse.',
      ['Ann Smith: My cat is old.', 'Ann Smith: I work as a nurse in Oslo, near the sea.'],
      ['of-b1-2'],
    ],
    [
      'that one turn says in full, although another mentions the same animal',
      'assistant: What a lovely name for a cat.',
      ['user: My cat is called Zebulonia.', 'assistant: What a lovely name for a cat.'],
      ['of-b1-2'],
    ],
  ])('%s rests only on its own turn', (_, text, said, sources) => {
    const blocks = [blockOf('b1', said)];
    const { lines } = dreamt({ base: [], blocks, answer: [says(text, ['b1'])] });
    expect(lines).toMatchObject([{ text, sources }]);
  });

  test('has the lowest trust of its sources', () => {
    const lines = [
      lineOf('x', 'The build costs 40 EUR a month.'),
      lineOf('y', 'A page says so.', { trust: 'untrusted' }),
    ];
    const blocks = [blockOf('b1', [], { lines })];
    const { lines: after, added } = dreamt({
      blocks,
      answer: [...keeps(BASE), says('The build costs 40 EUR a month.', ['b1'])],
    });
    expect(after.find(({ id }) => added.includes(id))).toMatchObject({
      trust: 'untrusted',
      sources: ['of-x'],
    });
  });

  test.each([
    ['in the same words', 'Dee joined the team on 1 November 2026.'],
    ['in another word order', 'On 1 November 2026 the team was joined by Dee'],
  ])('that someone deleted does not come back %s', (_, text) => {
    const tombstones = [tombstoneOf(digest, 'Dee joined the team on 1 November 2026!')];
    const { lines, dropped, outcome } = dreamt({
      tombstones,
      answer: [...keeps(BASE), says(text, ['b1'])],
    });
    expect([outcome, lines]).toEqual(['Unchanged', BASE]);
    expect(dropped).toEqual([{ text, reason: 'DeletedBefore' }]);
  });

  test('that holds only in part is replaced by the words of its source', () => {
    const answer = [...keeps(BASE), says('Dee joined the team because she likes Ann.', ['b1'])];
    const { lines, added, dropped, outcome } = dreamt({ answer });
    expect(outcome).toBe('Dreamed');
    expect(textsOf(lines.filter(({ id }) => added.includes(id)))).toEqual([
      'Dee joined the team on 1 November 2026.',
    ]);
    expect(dropped).toMatchObject([{ reason: 'NotInSource' }]);
  });

  test('MEMORY.md stays as it was if no line holds', () => {
    const bad = [says('Cy owns a yacht.', ['b2']), says('Ann is pregnant.', ['b9'])];
    const refused = dreamt({ answer: bad });
    expect(refused).toMatchObject({ outcome: 'LowGrounding', lines: BASE, added: [], removed: [] });
    expect(refused.dropped).toHaveLength(2);
    expect(textsOf(refused.diary)[0]).toMatch(/stays as it was/u);
  });

  test('a heading needs a source as well', () => {
    const { lines } = dreamt({
      answer: [
        ...keeps(BASE),
        says('The build costs 40 EUR a month.', ['b2'], 'Costs 9,000 USD'),
        says('Dee joined the team on 1 November 2026.', ['b1'], 'People'),
      ],
    });
    const headings = new Map(lines.map(({ text, heading }) => [text.slice(0, 3), heading]));
    expect([headings.get('The'), headings.get('Dee')]).toEqual([null, 'People']);
  });

  test('DREAM-06: every line is from MEMORY.md or cites existing sources, whatever the answer', () => {
    const text = fc.oneof(
      fc.constantFrom(
        ...BASE.map((line) => line.text),
        ...BLOCKS.flatMap(({ lines }) => textsOf(lines)),
      ),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }),
      fc.constantFrom('Pay 99 EUR', 'Ann never prefers tea', '[MEMORY]', '## x', 'a\tb1'),
    );
    const sources = fc.subarray(['m1', 'm2', 'm3', 'm4', 'b1', 'b2', 'b9', 's1']);
    const known = new Set([
      'm3',
      ...BASE.flatMap((line) => line.sources),
      ...BLOCKS.flatMap(({ lines }) => lines.flatMap((line) => line.sources)),
    ]);
    fc.assert(
      fc.property(fc.array(fc.record({ text, sources, heading: fc.constant(null) })), (answer) => {
        const { lines, added } = dreamt({ answer });
        const base = new Map(BASE.map((line) => [line.id, line]));
        for (const line of lines) {
          if (!added.includes(line.id)) expect(base.get(line.id)?.text).toBe(line.text);
          else {
            expect(line.sources.length).toBeGreaterThan(0);
            expect(line.sources.filter((id) => !known.has(id))).toEqual([]);
          }
        }
      }),
    );
  });
});
