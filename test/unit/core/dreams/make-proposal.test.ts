import { describe, expect, test } from 'vitest';
import { DEFAULT_DREAM } from '#core/policy/policy-defaults.ts';
import { MEMORY_TOKENS_MAX, memoryTokensMax } from '#core/dreams/memory-md-size.ts';
import { isUnchanged } from '#core/dreams/compare-lines.ts';
import { DIARY_LINES_MAX } from '#core/records/proposal.ts';
import { memoryText, readMemoryText } from '#core/memory-files/memory-md.ts';
import { AT, blockOf, lineOf } from '../memory-files/tier-samples.ts';
import { BASE, BLOCKS, dreamt, keeps, questionOf, says, textsOf, WORDS } from './dream-samples.ts';

const ALL = { ...DEFAULT_DREAM, removedLinesPercentMax: 100 };
const DEE = says('Dee joined the team on 1 November 2026.', ['b1']);
const COFFEE = says('Ann prefers coffee now.', ['b1', 'm1'], 'Taste');

describe('what a dream proposes', () => {
  test('all of MEMORY.md again, with lines added and replaced', () => {
    const plan = dreamt({ answer: [COFFEE, ...keeps(BASE.slice(1)), DEE] });
    expect(plan.outcome).toBe('Dreamed');
    expect(plan.lines).toMatchObject([
      BASE[1],
      BASE[2],
      BASE[3],
      { id: 'n2', heading: null, text: 'Dee joined the team on 1 November 2026.' },
      { id: 'n1', heading: 'Taste', text: 'Ann prefers coffee now.' },
    ]);
    expect([plan.added, plan.removed, plan.archived]).toEqual([['n1', 'n2'], [], []]);
  });

  test('nothing if the answer repeats MEMORY.md, in any order', () => {
    const plan = dreamt({ answer: keeps(BASE).toReversed() });
    expect(plan).toMatchObject({ outcome: 'Unchanged', lines: BASE, findings: [] });
  });

  test('changed headings come with other lines, but are no change on their own', () => {
    const answer = keeps(BASE).map((line) => ({ ...line, heading: 'Facts' }));
    const renamed = dreamt({ answer });
    expect(renamed).toMatchObject({ outcome: 'Unchanged', lines: BASE });
    expect(isUnchanged(renamed, { lines: BASE })).toBe(true);
    const plan = dreamt({ answer: [...answer, DEE] });
    expect(plan.outcome).toBe('Dreamed');
    expect(plan.lines.map(({ heading }) => heading)).toEqual([null, ...BASE.map(() => 'Facts')]);
    expect(isUnchanged(plan, { lines: BASE })).toBe(false);
  });

  test('lines are in the order of the file, so that saving it unchanged is no edit', () => {
    const answer = [COFFEE, ...keeps(BASE.slice(1)), { ...DEE, heading: 'Taste' }];
    const { lines } = dreamt({ answer });
    expect(lines.map(({ heading }) => heading)).toEqual([null, null, null, 'Taste', 'Taste']);
    const shown = readMemoryText(memoryText(lines));
    expect(shown).toEqual(lines.map(({ heading, text }) => ({ heading, text })));
  });

  test.each([
    [30, 1, 'Dreamed', []],
    [30, 2, 'Waiting', ['TooManyRemoved']],
    [20, 1, 'Waiting', ['TooManyRemoved']],
    [0, 1, 'Waiting', ['TooManyRemoved']],
    [100, 3, 'Dreamed', []],
  ] as const)(
    'a limit of %j percent and %j of 4 lines left out: %s',
    (removedLinesPercentMax, left, outcome, findings) => {
      const plan = dreamt({
        answer: keeps(BASE.slice(left)),
        guards: { ...DEFAULT_DREAM, removedLinesPercentMax },
      });
      expect(plan).toMatchObject({ outcome, findings });
      expect(plan.removed).toEqual(BASE.slice(0, left).map(({ id }) => id));
      expect(textsOf(plan.lines)).toEqual(textsOf(BASE.slice(left)));
    },
  );

  test('a limit on added lines and a required approval hold the dream back', () => {
    const answer = [...keeps(BASE), DEE];
    const none = { ...DEFAULT_DREAM, addedLinesMax: 0 };
    expect(dreamt({ answer, guards: none }).findings).toEqual(['TooManyAdded']);
    const asked = { ...DEFAULT_DREAM, approval: 'Required' as const };
    expect(dreamt({ answer, guards: asked })).toMatchObject({
      outcome: 'Waiting',
      findings: ['ApprovalRequired'],
    });
    expect(dreamt({ answer: keeps(BASE), guards: asked })).toMatchObject({
      outcome: 'Unchanged',
      findings: [],
    });
  });

  test('an empty MEMORY.md has no lines to remove', () => {
    const plan = dreamt({
      base: [],
      answer: [DEE],
      guards: { ...DEFAULT_DREAM, removedLinesPercentMax: 0 },
    });
    expect(plan).toMatchObject({ outcome: 'Dreamed', findings: [], added: ['n1'] });
  });

  test('a line that cites everything replaces only the line it is about', () => {
    const answer = [says('Ann prefers coffee now.', ['b1', 'm1', 'm2', 'm3', 'm4'])];
    const plan = dreamt({ answer });
    expect(plan).toMatchObject({ outcome: 'Waiting', findings: ['TooManyRemoved'] });
    expect(plan.removed).toEqual(['m2', 'm3', 'm4']);
  });

  test('a line stays where it was if its replacement does not hold', () => {
    const answer = [
      ...keeps(BASE.slice(0, 1)),
      says('Bob lives in 7 houses in Oslo.', ['m2', 'b1']),
      ...keeps(BASE.slice(2)),
      DEE,
      says('The build costs 40 EUR a month.', ['b2']),
      COFFEE,
    ];
    const plan = dreamt({ answer: answer.filter(({ text }) => text !== 'Ann prefers tea.') });
    expect(plan.dropped).toMatchObject([{ reason: 'NumberNotInSource' }]);
    expect([plan.outcome, plan.removed]).toEqual(['Dreamed', []]);
    expect(textsOf(plan.lines)[0]).toBe('Bob lives in Oslo.');
  });

  test('the second of two lines joined into one counts as removed', () => {
    const base = [lineOf('m1', 'Ann lives in Bonn.'), lineOf('m2', 'Ann works in Bonn.')];
    const answer = [says('Ann lives and works in Bonn.', ['m1', 'm2'])];
    const joined = (removedLinesPercentMax: number) =>
      dreamt({ base, answer, guards: { ...DEFAULT_DREAM, removedLinesPercentMax } });
    expect(joined(50)).toMatchObject({
      outcome: 'Dreamed',
      removed: [],
      lines: [{ sources: ['of-m1', 'of-m2'] }],
    });
    expect(joined(49)).toMatchObject({ outcome: 'Waiting', findings: ['TooManyRemoved'] });
  });

  test('all but one of the lines that a single line replaces count as removed', () => {
    const of = 'tea chess maps trains rain bread hats bikes'.split(' ');
    const base = of.map((thing, n) => lineOf(`m${String(n)}`, `Ann prefers ${thing}.`));
    const blocks = [blockOf('b1', ['Ann prefers coffee.', 'Ann prefers jazz.'])];
    const all = base.map(({ id }) => id);
    const one = says('Ann prefers coffee.', ['b1', ...all]);
    const plan = dreamt({ base, blocks, answer: [one] });
    expect(plan).toMatchObject({ outcome: 'Waiting', findings: ['TooManyRemoved'], removed: [] });
    const two = [one, says('Ann prefers jazz.', ['b1', ...all])];
    const guarded = (removedLinesPercentMax: number, answer: typeof two) =>
      dreamt({ base, blocks, answer, guards: { ...DEFAULT_DREAM, removedLinesPercentMax } })
        .outcome;
    // Of eight lines seven count, where two came six.
    expect([guarded(88, [one]), guarded(87, [one])]).toEqual(['Dreamed', 'Waiting']);
    expect([guarded(75, two), guarded(74, two)]).toEqual(['Dreamed', 'Waiting']);
  });

  test('a line that another line contains counts as removed, and the diary says so', () => {
    const base = [
      lineOf('m1', 'Dana prefers tea.'),
      lineOf('m2', 'Dana prefers tea, and Lee prefers coffee.'),
    ];
    const plan = dreamt({ base, answer: keeps(base.slice(1)) });
    expect(plan).toMatchObject({ outcome: 'Waiting', findings: ['TooManyRemoved'], removed: [] });
    expect(textsOf(plan.diary)).toContain('Dana prefers tea. (said by another line)');
  });

  test.each([
    [30, 'Waiting', ['TooManyArchived']],
    [75, 'Dreamed', []],
  ] as const)(
    'a small model archives at most %d percent of MEMORY.md without approval',
    (removedLinesPercentMax, outcome, findings) => {
      const question = { ...questionOf(BASE, BLOCKS), tokensMax: 20 };
      const guards = { ...DEFAULT_DREAM, removedLinesPercentMax };
      const plan = dreamt({ question, guards, answer: [...keeps(BASE), DEE] });
      expect(plan).toMatchObject({ outcome, findings });
      expect(plan.archived.length).toBeGreaterThan(1);
    },
  );

  test.each([
    ['Ann signs in with sk-proj-Abcdefgh12345678ZZ.', 'Secret'],
    ['Ann keeps AKIAIOSFODNN7EXAMPLE for the archive.', 'Secret'],
    ['The password is tr0ub4dor&3 for the archive.', 'Secret'],
    ['The store is at postgres://ann:tea@db.example/main today.', 'Secret'],
    ['Das Passwort lautet Sommer2026!', 'Secret'],
    ['The password for the wifi: correct horse', 'Secret'],
    ['The PIN of the card is 4471.', 'Secret'],
    ['The passphrase is blue monkey tree.', 'Secret'],
    ['Ann pays with 4111 1111 1111 1111.', 'Secret'],
    ['Rent goes to DE89 3704 0044 0532 0130 00.', 'Secret'],
    ['Alerts go to https://hooks.slack.com/services/T0AB/B0CD/abcdefghijkl.', 'Secret'],
    ['Write to ann.lee [at] shop.example about it.', 'EmailAddress'],
    ['Ann is reached at ann.lee@example.org on weekdays.', 'EmailAddress'],
  ])('a line with private data is dropped, and the diary does not repeat it: %s', (text, kind) => {
    const plan = dreamt({
      blocks: [blockOf('b1', [text, 'Dee joined the team on 1 November 2026.'])],
      answer: [...keeps(BASE), says(text, ['b1']), DEE],
    });
    expect(plan).toMatchObject({ outcome: 'Dreamed', dropped: [{ reason: kind }] });
    expect(textsOf(plan.lines)).not.toContain(text);
    expect(JSON.stringify([plan.dropped, plan.diary])).not.toContain(text);
  });

  test.each([
    'Ann forgot her password twice this week.',
    'The team keeps secrets in the vault of the platform.',
    'The API key is rotated every month.',
    'Ann asked for a token of appreciation.',
  ])('a line that only mentions secrets is kept: %s', (text) => {
    const blocks = [blockOf('b1', [text])];
    const plan = dreamt({ blocks, answer: [...keeps(BASE), says(text, ['b1'])] });
    expect(plan).toMatchObject({ outcome: 'Dreamed', dropped: [] });
  });

  test('the diary lists the news that an answer passes over', () => {
    const plan = dreamt({ answer: [...keeps(BASE), DEE] });
    const again = 'Not kept: the next dream reads it again';
    const passed = plan.diary.filter(({ heading }) => heading === again);
    const text = 'The build costs 40 EUR a month.';
    expect(passed).toMatchObject([{ text, sources: ['b2', 'of-b2-1'] }]);
    expect(plan.unread).toEqual(['b2']);
  });

  test('news cited for a line that stays is not passed over', () => {
    const answer = [says('Ann prefers tea.', ['b2'], 'Taste'), ...keeps(BASE.slice(1)), DEE];
    const plan = dreamt({ answer });
    expect(plan.unread).toEqual([]);
  });

  test('news that must not be kept counts as read', () => {
    const text = 'The password is hunter2-Xk9.';
    const blocks = [blockOf('b1', [text])];
    const plan = dreamt({ blocks, answer: [...keeps(BASE), says(text, ['b1'])] });
    expect(plan).toMatchObject({ unread: [], dropped: [{ reason: 'Secret' }] });
  });

  test('an answer without a line removes none', () => {
    const plan = dreamt({ answer: [], guards: ALL });
    expect(plan).toMatchObject({ outcome: 'Unchanged', removed: [], lines: BASE });
  });

  test.each([
    ['before anything new', keeps(BASE)],
    ['after a line that is new', [...keeps(BASE), DEE]],
  ])('an answer that broke off %s changes nothing', (_, answer) => {
    const plan = dreamt({ answer, isWhole: false });
    expect(plan).toMatchObject({ outcome: 'LowGrounding', lines: BASE, added: [], dropped: [] });
    expect(textsOf(plan.diary)).toEqual([
      'MEMORY.md stays as it was: the answer broke off before its end. It is all read again.',
    ]);
  });

  test('an answer without [MEMORY] is refused', () => {
    expect(() => dreamt({ answer: 'I could not do this.' })).toThrow(
      expect.objectContaining({ code: 'MODEL_OUTPUT_INVALID' }),
    );
  });
});

describe('a line that a newer one replaces', () => {
  const takes = (text: string, isWithoutModel: boolean) => {
    const answer = [...keeps(BASE.slice(1)), says(text, ['b1', 'm1'], 'Taste')];
    return dreamt({ isWithoutModel, blocks: [blockOf('b1', [text])], answer });
  };

  test.each<[string, string, boolean, readonly string[]]>([
    ['goes to the archive', 'Ann prefers coffee now.', true, ['Ann prefers tea.']],
    ['is deleted if a model replaced it', 'Ann prefers coffee now.', false, []],
    ['is deleted if the new line contains it', 'Ann prefers tea, and Bob rests.', true, []],
    ['is deleted if the new line repeats it', 'Ann prefers tea now.', true, []],
  ])('%s: %s (by rules: %s)', (_, text, isWithoutModel, archived) => {
    const plan = takes(text, isWithoutModel);
    expect(plan).toMatchObject({ outcome: 'Dreamed', removed: [] });
    expect(textsOf(plan.lines)).not.toContain('Ann prefers tea.');
    expect(textsOf(plan.archived)).toEqual(archived);
    expect(textsOf(plan.diary)).toContain(`Ann prefers tea. → ${text}`);
  });

  test('is archived once, even if two lines replace it', () => {
    const texts = ['Ann prefers coffee now.', 'Ann prefers water at night.'];
    const answer = [...keeps(BASE.slice(1)), ...texts.map((text) => says(text, ['b1', 'm1']))];
    const plan = dreamt({ isWithoutModel: true, blocks: [blockOf('b1', texts)], answer });
    expect(textsOf(plan.archived)).toEqual(['Ann prefers tea.']);
    expect(plan.added).toHaveLength(2);
  });
});

describe('a MEMORY.md that exceeds what agents load', () => {
  const words = (count: number) =>
    Array.from({ length: count }, (_, n) => `w${String(n)}`).join(' ');
  const old = Array.from({ length: 12 }, (_, n) =>
    lineOf(`o${String(n)}`, `${String(n)} is old: ${words(500)}`, { at: AT - 12 + ((n * 5) % 12) }),
  );
  const blocks = [blockOf('b1', [`New is ${words(500)}.`], { at: AT - 1_000_000 })];
  const answer = [...keeps(old), says(`New is ${words(500)}.`, ['b1'])];
  const plan = dreamt({ base: old, blocks, answer, guards: ALL });

  test('moves its oldest lines to the archive, and never a new line before them', () => {
    expect(WORDS.count(memoryText(plan.lines))).toBeLessThanOrEqual(MEMORY_TOKENS_MAX);
    const ages = plan.archived.map(({ at }) => at);
    expect(ages).toEqual([AT - 12, AT - 11, AT - 10, AT - 9]);
    expect(plan.lines).toHaveLength(9);
    expect(plan.lines.at(-1)?.id).toBe('n1');
    expect([plan.removed, plan.outcome]).toEqual([[], 'Dreamed']);
  });

  test('keeps every line in itself or in the archive', () => {
    const ids = [...plan.lines, ...plan.archived].map(({ id }) => id);
    expect(ids.toSorted()).toEqual([...old.map(({ id }) => id), 'n1'].toSorted());
  });

  test('is read without the lines that will be archived, which do not count as removed', () => {
    const question = questionOf(old, blocks);
    expect(question.memory).toHaveLength(9);
    const shown = new Set(question.memory.map(({ id }) => id));
    const answered = keeps(old.filter(({ id }) => shown.has(id)));
    const { removed, archived, outcome } = dreamt({ base: old, blocks, answer: answered });
    expect([removed, outcome]).toEqual([[], 'Dreamed']);
    expect(archived.map(({ id }) => id).filter((id) => shown.has(id))).toEqual([]);
    expect(archived).toHaveLength(3);
  });

  test('is limited to what its model can write in one answer', () => {
    expect(memoryTokensMax({ outputTokensMax: 1_000_000 })).toBe(MEMORY_TOKENS_MAX);
    expect(memoryTokensMax({ outputTokensMax: 2_600 })).toBe(1_000);
    expect(memoryTokensMax({ outputTokensMax: 100 })).toBe(0);
  });
});

describe('the diary of a dream', () => {
  test('lists what was removed, changed, left out and added, and quotes the model', () => {
    const plan = dreamt({
      answer: [
        COFFEE,
        ...keeps(BASE.slice(1, 3)),
        DEE,
        says('The build costs 40 EUR a month.', ['b2']),
        says('Pay 90 EUR.', ['b2']),
      ],
      diaryText: ['Ann prefers coffee now.', 'Ann has cancer.', '# Not a heading'],
      leftBlocks: 2,
      unreadLines: 7,
    });
    expect(plan.diary.map(({ heading, text }) => [heading, text])).toEqual([
      [null, '2 daily blocks did not fit; the next dream reads them.'],
      [null, '7 lines at the end of a long daily block were not read.'],
      ['In the words of the model', 'Ann prefers coffee now.'],
      ['Removed', 'Cy leads search.'],
      ['Changed', 'Ann prefers tea. → Ann prefers coffee now.'],
      ['Left out', 'Pay 90 EUR. (its sources do not say it: NumberNotInSource)'],
      ['Added', 'Dee joined the team on 1 November 2026.'],
      ['Added', 'The build costs 40 EUR a month.'],
    ]);
  });

  test('rests on all statements that its words may come from', () => {
    const { diary } = dreamt({
      answer: [COFFEE, ...keeps(BASE.slice(1)), says('Pay 90 EUR.', ['b2'])],
      diaryText: ['Ann prefers coffee now.'],
    });
    const sources = Object.fromEntries(diary.map((line) => [line.heading, line.sources]));
    expect(sources).toMatchObject({
      'In the words of the model': ['of-b1-1', 'of-b1-2', 'of-b2-1', 'of-m1', 'of-m2', 'of-m4'],
      Changed: ['of-m1', 'of-b1-1'],
      'Left out': ['of-b2-1'],
    });
  });

  test.each([
    ['I live in Lyon.', 'The user has cancer.'],
    ['I live in Lyon.', 'The user does not live in Lyon.'],
    ['Ich wohne in Köln.', 'Der Nutzer hat Krebs.'],
    ['Vivo en Madrid.', 'El usuario tiene cáncer.'],
    ['我住在杭州。', '用户得了癌症。'],
    ['I live in Lyon. My password is hunter2-Kx9.', 'My password is hunter2-Kx9.'],
  ])('quotes no note of the model that its sources do not say: %j, %j', (source, note) => {
    const blocks = [blockOf('b1', [source])];
    const { diary } = dreamt({ base: [], blocks, answer: [], diaryText: [note, source] });
    const quoted = diary.filter(({ heading }) => heading === 'In the words of the model');
    expect(textsOf(quoted)).toEqual(source.includes(note) ? [] : [source]);
  });

  test('quotes no model if none answers', () => {
    const { diary } = dreamt({ answer: keeps(BASE), isWithoutModel: true });
    expect(diary.map(({ heading }) => heading)).toEqual([
      'Without a model',
      ...BLOCKS.flatMap(({ lines }) => lines.map(() => 'Read and not kept')),
    ]);
  });

  test('says that there is more after a large dream', () => {
    const count = DIARY_LINES_MAX + 20;
    const base = Array.from({ length: count }, (_, n) =>
      lineOf(`m${String(n)}`, `Item ${String(n)} is here.`),
    );
    const { diary } = dreamt({
      base,
      answer: keeps(base.slice(0, 1)),
      diaryText: ['Item 1 is here.'],
    });
    expect(diary).toHaveLength(DIARY_LINES_MAX);
    const hidden = String(count + BLOCKS.length - DIARY_LINES_MAX + 1);
    expect(diary.at(-1)?.text).toBe(`${hidden} more lines of this dream are not shown here.`);
    expect(new Set(diary.map(({ id }) => id)).size).toBe(DIARY_LINES_MAX);
  });
});
