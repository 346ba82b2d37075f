/** The words that stay of old turns: few, and enough for the facts that cite them. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groundFacts } from '#core/grounding/grounding.ts';
import type { Fact } from '#core/records/summary.ts';
import { keptWords } from '#core/retention/kept-words.ts';
import { turnPosition, type Source } from '#core/sources/source.ts';
import { sentencesIn } from '#core/text/sentences.ts';
import { utf8Bytes } from '#core/storable-text.ts';
import { NOW } from '#test/conformance/samples.ts';
import { source } from '../prompt-batch.ts';

const RUNS = 100;

function sourceOf(n: number, text: string): Source {
  const said = { position: turnPosition(n), at: NOW, speaker: 'user', role: 'user' };
  return source(`turn-${String(n)}`, text, { kind: 'turn', ...said });
}

function factOf(text: string, sources: readonly string[], quote: string | null = null): Fact {
  return { text, sources: [...sources], quote, speaker: null, trust: 'stated', at: NOW };
}

const SAID = [
  'Well, hello there. We fly to Lisbon on 3 May. The hotel costs 120 euros.',
  'I do not like the early train.\nMy sister Ann pays 40 euros for it.',
  'Fine by me.',
];
const SOURCES = SAID.map((text, at) => sourceOf(at + 1, text));
const ALL = new Set(SOURCES.map(({ id }) => id));

function keptOf(facts: readonly Fact[], old: ReadonlySet<string> = ALL) {
  return Object.fromEntries(keptWords(facts, SOURCES, old));
}

function groundedIn(facts: readonly Fact[], kept: ReadonlyMap<string, readonly string[]>) {
  const sources = SOURCES.map((source) => ({
    ...source,
    text: (kept.get(source.id) ?? []).join('\n'),
  }));
  const asked = facts.map(({ text, sources: cited, quote, speaker }) => {
    return { text, sources: cited, quote, speaker };
  });
  return groundFacts(asked, new Map(sources.map((source) => [source.id, source])));
}

describe('the kept words of a turn', () => {
  test('are the quote of the fact that cites it', () => {
    const fact = factOf('We fly to Lisbon on 3 May.', ['turn-1'], 'We fly to Lisbon on 3 May.');
    expect(keptOf([fact])).toEqual({ 'turn-1': ['We fly to Lisbon on 3 May.'] });
  });

  test('are the sentence that supports a fact without a quote', () => {
    const facts = [
      factOf('The hotel is 120 euros.', ['turn-1']),
      factOf('Ann pays 40 euros.', ['turn-2']),
    ];
    expect(keptOf(facts)).toEqual({
      'turn-1': ['The hotel costs 120 euros.'],
      'turn-2': ['My sister Ann pays 40 euros for it.'],
    });
  });

  test('are the sentence that says most of the fact', () => {
    const fact = factOf('We fly to Lisbon.', ['turn-1']);
    expect(keptOf([fact])).toEqual({ 'turn-1': ['We fly to Lisbon on 3 May.'] });
  });

  test.each([
    ['first', 'We fly to Lisbon in May. It rains in Lisbon. We pack.'],
    ['in the middle', 'Lisbon is far. We fly to Lisbon in May. The flight to Lisbon is long.'],
    ['last', 'We like Lisbon. Lisbon is far. We fly to Lisbon in May.'],
    ['the first of two equal matches', 'We fly to Lisbon in May. We fly to Lisbon in June.'],
  ])('are only that sentence even if others share words with the fact: %s', (_, text) => {
    const old = sourceOf(1, text);
    const kept = keptWords([factOf('We fly to Lisbon.', [old.id])], [old], new Set([old.id]));
    expect(Object.fromEntries(kept)).toEqual({ [old.id]: ['We fly to Lisbon in May.'] });
  });

  test('are all sentences that share words with a fact that no single one supports', () => {
    const old = sourceOf(1, 'We fly to Lisbon. It rains. We stay in Porto. Ann sleeps.');
    const fact = factOf('We fly to Lisbon. We stay in Porto.', [old.id]);
    const kept = keptWords([fact], [old], new Set([old.id]));
    expect(kept.get(old.id)).toEqual(['We fly to Lisbon.', 'We stay in Porto.']);
  });

  test('are the run of sentences that a quote spans', () => {
    const old = sourceOf(1, 'It rains. We fly to Lisbon. The hotel is dear. We sleep.');
    const fact = factOf('We fly to Lisbon.', [old.id], 'to Lisbon. The hotel');
    const kept = keptWords([fact], [old], new Set([old.id]));
    expect(kept.get(old.id)?.join(' ')).toBe('We fly to Lisbon. The hotel is dear.');
  });

  test('are the whole sentence if a part of it would change the meaning', () => {
    const fact = factOf('The user does not like the early train.', ['turn-2'], 'the early train');
    expect(keptOf([fact])).toEqual({ 'turn-2': ['I do not like the early train.'] });
    const flying = factOf('The user flies to Lisbon on 3 May.', ['turn-1'], 'to Lisbon');
    expect(keptOf([flying])).toEqual({ 'turn-1': ['We fly to Lisbon on 3 May.'] });
  });

  test('come from every turn that a fact cites, with the quote in the turn that has it', () => {
    const quote = 'The hotel costs 120 euros.';
    const fact = factOf(
      'The hotel costs 120 euros, and Ann pays 40 euros.',
      ['turn-1', 'turn-2'],
      quote,
    );
    const train = 'My sister Ann pays 40 euros for it.';
    expect(keptOf([fact])).toEqual({ 'turn-1': [quote], 'turn-2': [expect.any(String)] });
    expect(groundedIn([fact], keptWords([fact], SOURCES, ALL)).dropped).toEqual([]);
    expect(SAID[1]).toContain(train);
  });

  test('are the first sentence if none shares a word with the fact', () => {
    expect(keptOf([factOf('Agreed.', ['turn-1'])])).toEqual({ 'turn-1': ['Well, hello there.'] });
  });

  test('are the sentences from which a number was derived', () => {
    const derived = { operation: 'sum' as const, ids: ['turn-1', 'turn-2'] };
    const fact = factOf('They pay 160 euros.', derived.ids, 'The hotel');
    expect(keptOf([{ ...fact, derived }])).toEqual({
      'turn-1': ['The hotel costs 120 euros.'],
      'turn-2': ['My sister Ann pays 40 euros for it.'],
    });
  });

  test('are empty for a turn that no fact cites, or that is not old', () => {
    const fact = factOf('Fine.', ['turn-3'], 'Fine by me.');
    expect(keptOf([fact], new Set(['turn-1', 'turn-2']))).toEqual({});
    expect(keptOf([])).toEqual({});
  });

  test('appear once, and never exceed the turn', () => {
    const facts = [
      factOf('Fine by me.', ['turn-3'], 'Fine by me.'),
      factOf('Fine.', ['turn-3'], 'Fine by'),
      factOf('By me.', ['turn-3'], 'by me.'),
    ];
    expect(keptOf(facts)).toEqual({ 'turn-3': ['Fine by me.'] });
  });

  test('are one quote if it contains another, and both if neither does', () => {
    const text = 'The hotel costs 120 euros.';
    const quotes = ['120 euros', text, 'We fly to Lisbon on 3 May.'];
    const facts = quotes.map((quote) => factOf(text, ['turn-1'], quote));
    expect(keptOf(facts)).toEqual({ 'turn-1': [text, 'We fly to Lisbon on 3 May.'] });
  });

  test('are the turn itself if overlapping quotes would exceed it', () => {
    const quotes = ['Fine by', 'by me.'];
    const facts = quotes.map((quote) => factOf('Fine by me.', ['turn-3'], quote));
    expect(keptOf(facts)).toEqual({ 'turn-3': ['Fine by me.'] });
  });

  test.each([
    ['cites a missing turn', factOf('Ann pays 40 euros.', ['turn-2', 'gone'], 'pays 40 euros')],
    ['says more than the turn', factOf('Ann pays 41 euros.', ['turn-2'], 'pays 40 euros')],
  ])('stay the same for a fact that %s, which no words would support', (_, fact) => {
    expect(keptOf([fact])).toEqual({ 'turn-2': ['pays 40 euros'] });
  });

  test('stay the same for an unsupported fact whose text is also supported elsewhere', () => {
    const text = 'The hotel costs 120 euros.';
    const facts = [factOf(text, ['turn-1'], text), factOf(text, ['turn-3'], 'Fine by me.')];
    const kept = keptOf([...facts, factOf(text, ['turn-1', 'gone'])]);
    expect(kept).toEqual({ 'turn-1': [text], 'turn-3': ['Fine by me.'] });
  });

  test('still support all that the full turns supported', () => {
    const sentences = SOURCES.flatMap(({ id, text }) =>
      sentencesIn(text).map((sentence) => ({ id, sentence })),
    );
    const fact = fc
      .tuple(
        fc.constantFrom(...sentences),
        fc.boolean(),
        fc.option(fc.constantFrom(...sentences), { nil: null }),
      )
      .map(([{ id, sentence }, isQuoted, more]) => {
        const text = more === null ? sentence : `${sentence} ${more.sentence}`;
        const ids = [...new Set([id, ...(more === null ? [] : [more.id])])];
        return factOf(text, ids, isQuoted ? sentence : null);
      });
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 5 }), (facts) => {
        const whole = new Map(SOURCES.map(({ id, text }) => [id, [text]]));
        const before = new Set(groundedIn(facts, whole).facts.map(({ text }) => text));
        const kept = keptWords(facts, SOURCES, ALL);
        const after = new Set(groundedIn(facts, kept).facts.map(({ text }) => text));
        expect([...before].filter((text) => !after.has(text))).toEqual([]);
        for (const [id, words] of kept) {
          const own = SOURCES.find((source) => source.id === id)?.bytes ?? 0;
          expect(utf8Bytes(words.join('\n'))).toBeLessThanOrEqual(own);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
