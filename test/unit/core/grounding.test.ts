import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { AnswerFact } from '#core/answer.ts';
import { groundFacts, type DropReason } from '#core/grounding.ts';
import type { Trust } from '#core/records/memory.ts';
import type { Source } from '#core/source.ts';
import { NOW } from '#test/conformance/samples.ts';

function sourceOf(id: string, text: string, differing: Partial<Source> = {}): Source {
  return {
    id,
    kind: 'memory',
    position: `m/${id}`,
    text,
    contentHash: '',
    tokens: 1,
    bytes: 4,
    at: NOW,
    speaker: null,
    trust: 'stated',
    expiresAt: null,
    ...differing,
  };
}

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
  const { facts, dropped } = groundFacts([fact], SOURCES);
  return facts.length === 1 ? 'Kept' : (dropped[0]?.reason as DropReason);
};

describe('grounding', () => {
  test.each<[string, AnswerFact, DropReason | 'Kept']>([
    ['cites nothing', factOf('The budget is set.', []), 'NoSource'],
    ['cites an id of nobody', factOf('The budget is set.', ['other']), 'UnknownSource'],
    ['cites one id that is none', factOf('The budget.', ['budget', 'other']), 'UnknownSource'],
    ['says it in its own words', factOf('There is a budget.', ['budget']), 'Kept'],
    // Quotes
    ['quotes the words', factOf('x', ['budget'], 'The budget is 1,200.50 euros'), 'Kept'],
    ['quotes across case and white space', factOf('x', ['budget'], 'OR see\tHTTPS://x'), 'Kept'],
    ['quotes across character width', factOf('x', ['wide'], 'The code is AB-7'), 'Kept'],
    ['quotes other words', factOf('x', ['budget'], 'The budget was'), 'QuoteNotInSource'],
    ['quotes another source', factOf('x', ['budget'], 'We ship'), 'QuoteNotInSource'],
    ['quotes over two sources', factOf('x', ['ticket', 'said'], 'com). We'), 'QuoteNotInSource'],
    // Numbers
    ['leaves out the separators', factOf('It is 1200.50 euros.', ['budget']), 'Kept'],
    ['rounds', factOf('It is 1,200 euros.', ['budget']), 'NumberNotInSource'],
    ['multiplies', factOf('It is 12,000.50 euros.', ['budget']), 'NumberNotInSource'],
    ['takes a part of a number', factOf('It is 200.50 euros.', ['budget']), 'NumberNotInSource'],
    [
      'takes a number of another source',
      factOf('It is 20 euros.', ['budget']),
      'NumberNotInSource',
    ],
    ['writes digits in another width', factOf('It is ２０ %.', ['wide']), 'Kept'],
    ['takes a number of the speaker', factOf('Dana 7 ships.', ['said']), 'Kept'],
    // Identifiers
    ['names a ticket', factOf('PROJ-12 blocks.', ['ticket']), 'Kept'],
    ['names another ticket', factOf('CORE-12 blocks.', ['ticket']), 'IdentifierNotInSource'],
    ['names a hash', factOf('Build deadbeef01.', ['ticket']), 'Kept'],
    ['shortens a hash', factOf('Build deadbeef.', ['ticket']), 'IdentifierNotInSource'],
    ['names an address', factOf('See https://x.org/a/b, please.', ['budget']), 'Kept'],
    ['shortens an address', factOf('See https://x.org/a', ['budget']), 'IdentifierNotInSource'],
    ['names a mail address', factOf('Ask joann@x.com.', ['budget']), 'Kept'],
    ['puts one into brackets', factOf('Ask Ann ("ann@mail.x.com").', ['ticket']), 'Kept'],
    ['shortens its end', factOf('Ask joann@x.co', ['budget']), 'IdentifierNotInSource'],
    ['shortens its beginning', factOf('Ask ann@x.com', ['budget']), 'IdentifierNotInSource'],
    ['shortens its domain', factOf('Ask ann@mail.x', ['ticket']), 'IdentifierNotInSource'],
  ])('DREAM-06: a fact that %s', (_, fact, expected) => {
    expect(judge(fact)).toBe(expected);
  });

  test('ENG-01: a kept fact has its sources, quote, least trust and newest time', () => {
    const at = (n: number, trust: Trust) =>
      sourceOf(`s-${String(n)}`, 'Ann.', { at: NOW + n, trust });
    const sources = [at(1, 'verified'), at(3, 'observed'), at(2, 'stated')];
    const fact = { ...factOf('Ann', ['s-1', 's-3', 's-2'], 'ann'), speaker: 'Ann' };
    const { facts } = groundFacts([fact], new Map(sources.map((each) => [each.id, each])));
    expect(facts).toEqual([{ ...fact, trust: 'observed', at: NOW + 3 }]);
  });

  test('ENG-01: facts stay in their order, and dropped ones are kept aside', () => {
    const good = ['a', 'b', 'c', 'd'].map((text) => factOf(text, ['said']));
    const bad = factOf('It is 99.', ['said']);
    const { facts, dropped, sufficient } = groundFacts(
      [...good.slice(0, 2), bad, ...good.slice(2)],
      SOURCES,
    );
    expect(facts.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd']);
    expect(dropped).toEqual([{ text: 'It is 99.', reason: 'NumberNotInSource' }]);
    expect(sufficient).toBe(true);
  });

  test('SUM-11: it suffices with something kept and at most three of ten failing', () => {
    const counts = fc.record({ good: fc.nat(70), bad: fc.nat(70) });
    fc.assert(
      fc.property(counts, ({ good, bad }) => {
        const facts = [
          ...Array.from({ length: good }, () => factOf('a', ['said'])),
          ...Array.from({ length: bad }, () => factOf('a', ['other'])),
        ];
        const expected = good > 0 && bad * 10 <= (good + bad) * 3;
        expect(groundFacts(facts, SOURCES).sufficient).toBe(expected);
      }),
    );
  });
});
