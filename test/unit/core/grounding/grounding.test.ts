import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnswerFact } from '#core/prompt/parse-answer.ts';
import { groundFacts } from '#core/grounding/grounding.ts';
import type { DropReason } from '#core/grounding/drop-reason.ts';
import type { Trust } from '#core/trust.ts';
import type { Source } from '#core/sources/source.ts';
import { NOW } from '#test/conformance/samples.ts';
import { source } from '../prompt-batch.ts';

const sourceOf = (id: string, text: string, differing: Partial<Source> = {}): Source =>
  source(id, text, { at: NOW, ...differing });

const SOURCES = new Map(
  [
    sourceOf(
      'budget',
      'The budget is 1,200.50 euros; write to joann@x.com or\n  see  https://x.org/a/b.',
    ),
    sourceOf('ticket', 'PROJ-12 blocks the build deadbeef01, says Ann (ann@mail.x.com).'),
    sourceOf('wide', 'Ｔhe code is ＡＢ-７ and 20 % are done.'),
    sourceOf('said', 'We ship on Monday.', { kind: 'turn', speaker: 'Dana 7' }),
  ].map((source) => [source.id, source]),
);

const factOf = (text: string, sources: readonly string[], quote?: string): AnswerFact => ({
  text,
  sources: [...sources],
  ...(quote === undefined ? {} : { quote }),
});

const judge = (fact: AnswerFact): DropReason | 'Kept' => {
  const { dropped } = groundFacts([fact], SOURCES);
  return (dropped[0]?.reason as DropReason | undefined) ?? 'Kept';
};

describe('grounding', () => {
  test.each<[string, AnswerFact, DropReason | 'Kept']>([
    ['cites nothing', factOf('The budget is set.', []), 'NoSource'],
    ['cites an unknown id', factOf('The budget is set.', ['other']), 'UnknownSource'],
    [
      'cites one unknown id among others',
      factOf('The budget.', ['budget', 'other']),
      'UnknownSource',
    ],
    ['uses its own words', factOf('There is a budget.', ['budget']), 'Kept'],
    // Numbers
    ['leaves out the separators', factOf('It is 1200.50 euros.', ['budget']), 'Kept'],
    ['rounds', factOf('It is 1,200 euros.', ['budget']), 'NumberNotInSource'],
    ['multiplies', factOf('It is 12,000.50 euros.', ['budget']), 'NumberNotInSource'],
    ['takes part of a number', factOf('It is 200.50 euros.', ['budget']), 'NumberNotInSource'],
    [
      'takes a number from another source',
      factOf('It is 20 euros.', ['budget']),
      'NumberNotInSource',
    ],
    ['writes digits in another width', factOf('It is ２０ %.', ['wide']), 'Kept'],
    ['uses the name of the speaker', factOf('Dana 7 ships on Monday.', ['said']), 'Kept'],
    // Identifiers
    ['names a ticket', factOf('PROJ-12 blocks.', ['ticket']), 'Kept'],
    ['names another ticket', factOf('CORE-12 blocks.', ['ticket']), 'IdentifierNotInSource'],
    ['names a hash', factOf('Build deadbeef01.', ['ticket']), 'Kept'],
    ['shortens a hash', factOf('Build deadbeef.', ['ticket']), 'IdentifierNotInSource'],
    ['gives a URL', factOf('See https://x.org/a/b, please.', ['budget']), 'Kept'],
    ['shortens a URL', factOf('See https://x.org/a', ['budget']), 'IdentifierNotInSource'],
    ['gives an email address', factOf('Write to joann@x.com.', ['budget']), 'Kept'],
    [
      'shortens the end of an email address',
      factOf('Ask joann@x.co', ['budget']),
      'IdentifierNotInSource',
    ],
    [
      'shortens the beginning of an email address',
      factOf('Ask ann@x.com', ['budget']),
      'IdentifierNotInSource',
    ],
    [
      'shortens the domain of an email address',
      factOf('Ask ann@mail.x', ['ticket']),
      'IdentifierNotInSource',
    ],
  ])('a fact that %s', (_, fact, expected) => {
    expect(judge(fact)).toBe(expected);
  });

  test('ENG-01: a kept fact has its sources, quote, lowest trust and newest time', () => {
    const at = (n: number, trust: Trust) =>
      sourceOf(`s-${String(n)}`, 'Ann.', { at: NOW + n, trust });
    const sources = [at(1, 'verified'), at(3, 'observed'), at(2, 'stated')];
    const fact = { ...factOf('Ann', ['s-1', 's-3', 's-2'], 'ann'), speaker: 'Ann' };
    const { facts } = groundFacts([fact], new Map(sources.map((each) => [each.id, each])));
    expect(facts).toEqual([{ ...fact, trust: 'observed', at: NOW + 3 }]);
  });

  const SAYS = 'The budget is 1,200.50 euros; write to joann@x.com or\n  see  https://x.org/a/b.';

  test.each([
    ['verbatim', 'The budget is 1,200.50 euros'],
    ['across case and white space', 'OR see\tHTTPS://x'],
    ['from another text', 'We ship'],
    ['from no text', 'The budget was'],
  ])('a supported fact gets a quote that is in its source: %s', (_, quote) => {
    const { facts, dropped } = groundFacts(
      [factOf('The budget is set.', ['budget'], quote)],
      SOURCES,
    );
    expect(dropped).toEqual([]);
    const own = SAYS.toLowerCase().replaceAll(/\s+/gu, ' ');
    expect(own).toContain(facts[0]?.quote?.toLowerCase().replaceAll(/\s+/gu, ' '));
  });

  test('a partly supported fact is replaced by the sentence around its quote', () => {
    const fact = factOf('We ship on Monday because the board insists.', ['said'], 'ship on Monday');
    const { facts, dropped, replaced } = groundFacts([fact], SOURCES);
    expect(facts).toMatchObject([
      {
        text: 'Dana 7: We ship on Monday.',
        quote: 'We ship on Monday.',
        sources: ['said'],
        marks: ['SourceWording'],
      },
    ]);
    expect(dropped).toEqual([{ text: fact.text, reason: 'NotInSource' }]);
    expect(replaced).toBe(1);
  });

  test.each([
    'The company was founded by Elvis Presley in Memphis.',
    'Everybody there loves rockets.',
    'Dora is pregnant.',
  ])('an invention without a quote is dropped: %s', (text) => {
    const { facts, dropped } = groundFacts([factOf(text, ['said'])], SOURCES);
    expect(facts).toEqual([]);
    expect(dropped).toHaveLength(1);
  });

  test('facts keep their order, and dropped ones are listed separately', () => {
    const good = ['We ship.', 'Dana 7 ships on Monday.'].map((text) => factOf(text, ['said']));
    const bad = factOf('It is 99.', ['said']);
    const { facts, dropped } = groundFacts([...good.slice(0, 1), bad, ...good.slice(1)], SOURCES);
    expect(facts.map(({ text }) => text)).toEqual(['We ship.', 'Dana 7 ships on Monday.']);
    expect(dropped).toEqual([{ text: 'It is 99.', reason: 'NumberNotInSource' }]);
  });

  test('facts replaced by the same sentence become one fact', () => {
    const facts = ['We ship because we must.', 'We ship to please Ann.'].map((text) =>
      factOf(text, ['said'], 'We ship on Monday.'),
    );
    expect(groundFacts(facts, SOURCES).facts).toHaveLength(1);
  });

  const NOTES = new Map(
    [
      sourceOf('lent', 'Ann lent Bob three books on 3 March 2026. She does not like poetry.'),
      sourceOf('plan', 'The audit starts tomorrow at 3pm and takes 90 minutes.'),
      sourceOf('size', 'The backup is 1.5 GB; the limit is 5 km, about 2.300,50 Euro a month.'),
      sourceOf('turn', 'I prefer green tea.', { kind: 'turn', speaker: 'user' }),
      sourceOf('june', 'We sold 12 chairs in June.'),
      sourceOf('july', 'We sold 30 chairs in July.'),
      sourceOf('may', 'We sold a dozen chairs in May.'),
      sourceOf('renta', 'Ann paga mil doscientos euros de renta.'),
    ].map((source) => [source.id, source]),
  );
  const day = (offset: number): string =>
    new Date(NOW + offset * 86_400_000).toISOString().slice(0, 10);

  test.each<[string, string, string, DropReason | 'Kept']>([
    ['uses the passive voice', 'Bob was lent 3 books by Ann.', 'lent', 'Kept'],
    ['swaps the names', 'Bob lent Ann three books.', 'lent', 'RolesDiffer'],
    ['writes the day in digits', 'The books were lent on 2026-03-03.', 'lent', 'Kept'],
    ['names another day', 'The books were lent on 4 March.', 'lent', 'DateNotInSource'],
    ['denies with another word', 'Ann dislikes poetry.', 'lent', 'NotInSource'],
    ['leaves out a negation', 'Ann likes poetry.', 'lent', 'NegationDiffers'],
    ['adds a negation', 'Ann did not lend Bob three books.', 'lent', 'NegationDiffers'],
    ['resolves a relative day', `The audit starts on ${day(1)}.`, 'plan', 'Kept'],
    [
      'resolves a relative day wrongly',
      `The audit starts on ${day(2)}.`,
      'plan',
      'DateNotInSource',
    ],
    ['writes a time in another way', 'The audit starts at 15:00.', 'plan', 'Kept'],
    ['names another time', 'The audit starts at 4 pm.', 'plan', 'DateNotInSource'],
    ['converts a unit', 'The audit takes 1.5 hours.', 'plan', 'Kept'],
    ['takes another unit', 'The audit takes 90 hours.', 'plan', 'UnitNotInSource'],
    ['converts by powers of ten', 'The backup is 1,500 MB.', 'size', 'Kept'],
    ['takes miles for kilometers', 'The limit is 5 miles.', 'size', 'UnitNotInSource'],
    ['converts a decimal comma', 'It is about 2,300.50 euros a month.', 'size', 'Kept'],
    ['takes another period', 'It is about 2,300.50 euros a year.', 'size', 'UnitNotInSource'],
    ['attributes a wish to its speaker', 'The user prefers green tea.', 'turn', 'Kept'],
    ['writes a Spanish number in digits', 'Ann paga 1200 euros de renta.', 'renta', 'Kept'],
    [
      'takes the end of a Spanish number',
      'Ann paga 200 euros de renta.',
      'renta',
      'NumberNotInSource',
    ],
    ['attributes a wish to another', 'The assistant prefers green tea.', 'turn', 'NotInSource'],
  ])('a fact that %s', (_, text, id, expected) => {
    const { dropped } = groundFacts([factOf(text, [id])], NOTES);
    expect(dropped[0]?.reason ?? 'Kept').toBe(expected);
  });

  test.each([
    ['sum', '42 chairs were sold.', 'Kept'],
    ['sum', '43 chairs were sold.', 'DerivationDiffers'],
    ['difference', '18 more chairs were sold in July than in June.', 'Kept'],
    ['average', 'On average 21 chairs were sold.', 'Kept'],
    ['max', 'At most 31 chairs were sold.', 'DerivationDiffers'],
  ] as const)('a %s is recomputed: %s', (operation, text, expected) => {
    const ids = ['june', 'july'];
    const fact = { ...factOf(text, ids), derived: { operation, ids } };
    const { facts, dropped, droppedByReason } = groundFacts([fact], NOTES);
    expect(dropped[0]?.reason ?? 'Kept').toBe(expected);
    if (expected === 'Kept') expect(facts).toMatchObject([{ text, derived: fact.derived }]);
    else expect(facts.map((each) => each.text)).not.toContain(text);
    expect(droppedByReason).toEqual(expected === 'Kept' ? {} : { [expected]: 1 });
  });

  test('a dozen counts as twelve in a derived sum', () => {
    const ids = ['may', 'july'];
    const derived = { operation: 'sum' as const, ids };
    const of = (text: string) => groundFacts([{ ...factOf(text, ids), derived }], NOTES).dropped;
    expect(of('42 chairs were sold.')).toEqual([]);
    expect(of('43 chairs were sold.')).toMatchObject([{ reason: 'DerivationDiffers' }]);
  });

  const sentence = fc
    .array(
      fc.constantFrom('Ann', 'Bob', 'not', 'paid', '12', '3 km', 'never', 'не', '二', '%', 'May'),
      {
        minLength: 2,
        maxLength: 12,
      },
    )
    .map((words) => `${words.join(' ')}.`);

  test('a whole sentence of a source is always kept', () => {
    fc.assert(
      fc.property(fc.array(sentence, { minLength: 1, maxLength: 5 }), fc.nat(4), (said, nth) => {
        const sources = new Map([['s', sourceOf('s', said.join(' '))]]);
        const { dropped } = groundFacts([factOf(said[nth % said.length] ?? '', ['s'])], sources);
        expect(dropped).toEqual([]);
      }),
    );
  });

  test('a number that no source names is dropped', () => {
    fc.assert(
      fc.property(fc.array(sentence, { maxLength: 5 }), fc.integer({ min: 10_000 }), (said, n) => {
        const sources = new Map([['s', sourceOf('s', said.join(' '))]]);
        const { dropped } = groundFacts([factOf(`They were ${String(n)}.`, ['s'])], sources);
        expect(dropped[0]?.reason).toBe('NumberNotInSource');
      }),
    );
  });

  test('a kept fact is kept again', () => {
    fc.assert(
      fc.property(fc.array(sentence, { maxLength: 5 }), fc.array(sentence), (said, stated) => {
        const sources = new Map([['s', sourceOf('s', said.join(' '))]]);
        const { facts } = groundFacts(
          stated.map((text) => factOf(text, ['s'])),
          sources,
        );
        const again = groundFacts(facts, sources).facts;
        expect(again.map(({ text }) => text)).toEqual(facts.map(({ text }) => text));
      }),
    );
  });
});
