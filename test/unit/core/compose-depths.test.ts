import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  asOneList,
  composeDepth,
  composeDepths,
  cutToTokens,
  withoutSources,
} from '#core/refresh/compose-depths.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import {
  DEPTH_TOKENS_MAX,
  DEPTHS,
  type Depth,
  type DepthText,
  type Fact,
} from '#core/records/summary.ts';
import { loadTokenCounter } from '#providers/tokenizers/token-counter.ts';
import { NOW } from '#test/conformance/samples.ts';

const tokens = await loadTokenCounter({ log: SILENT_LOG });

function factOf(text: string, differing: Partial<Fact> = {}): Fact {
  const rest = { sources: ['m-1'], quote: null, speaker: null, trust: 'stated', at: NOW } as const;
  return { text, ...rest, sources: ['m-1'], ...differing };
}

const word = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('launch', 'the', 'budget', '1,200', 'moves,', 'Ann;') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) },
  { weight: 1, arbitrary: fc.constantFrom('結帳頁面將於十二月上線', '👩‍👩‍👧', '\n', 'x'.repeat(400)) },
);
const text = fc
  .array(word, { minLength: 1, maxLength: 90 })
  .map((words) => words.join(' '))
  .filter((joined) => joined.trim() !== '');
const facts = fc.array(
  fc
    .record({ text, at: fc.integer({ min: 0, max: 5 }) })
    .map(({ text: said, at }) => factOf(said, { at: NOW + at })),
  { maxLength: 12 },
);

/** The indices of the facts that a text rests on, from the first to the last. */
const factsOf = ({ sentences }: DepthText) =>
  sentences.flatMap((sentence) => sentence.facts).toSorted((a, b) => a - b);

describe('depths', () => {
  test('SUM-01: no text exceeds the cap of its depth, whatever the facts', () => {
    fc.assert(
      fc.property(facts, (all) => {
        for (const depth of DEPTHS) {
          const made = composeDepth(all, DEPTH_TOKENS_MAX[depth], tokens);
          expect(tokens.count(made.text)).toBe(made.tokens);
          expect(made.tokens).toBeLessThanOrEqual(DEPTH_TOKENS_MAX[depth]);
          expect(made.text === '').toBe(all.length === 0);
        }
      }),
      { numRuns: 60 },
    );
  });

  test('each depth states a prefix of the facts, and a deeper one at least as many', () => {
    fc.assert(
      fc.property(facts, (all) => {
        const texts = composeDepths(all, DEPTHS, tokens);
        let shorter = 0;
        for (const depth of DEPTHS) {
          const said = factsOf(texts[depth] ?? { text: '', tokens: 0, sentences: [], cut: false });
          expect(said).toEqual([...said.keys()]);
          expect(said.length).toBeGreaterThanOrEqual(shorter);
          shorter = said.length;
        }
      }),
      { numRuns: 60 },
    );
  });

  test('SUM-06: only the requested depths are composed', () => {
    expect(Object.keys(composeDepths([factOf('Ann.')], ['detailed', 'sentence'], tokens))).toEqual([
      'sentence',
      'detailed',
    ]);
  });

  test('sentences follow the order in which things were said', () => {
    const all = [
      factOf('Third', { at: 3 }),
      factOf('First', { at: 1 }),
      factOf('Second!', { at: 2 }),
    ];
    const { text: told, sentences } = composeDepth(all, 50, tokens);
    expect(told).toBe('First. Second! Third.');
    expect(sentences.map((sentence) => sentence.facts)).toEqual([[1], [2], [0]]);
  });

  test('a first fact that is too long is cut, and the text says so', () => {
    const long = `${'The launch moves to December, '.repeat(20)}they say`;
    const made = composeDepth([factOf(long), factOf('Ann.')], 50, tokens);
    expect(made).toMatchObject({ cut: true, sentences: [{ facts: [0] }] });
    expect(made.text).toMatch(/December…$/);
    expect(made.tokens).toBeGreaterThan(40);
  });

  test('nothing is cut if everything fits', () => {
    expect(composeDepth([factOf('Ann.')], 50, tokens).cut).toBe(false);
  });

  test.each([
    ['at a clause', `${'a b c d e f g, '.repeat(9)}z`, 30, /g…$/],
    ['at a word', 'word '.repeat(99), 30, /word…$/],
    ['within a very long word', 'x'.repeat(999), 30, /^x+…$/],
    ['between characters without spaces', '結帳頁面將於十二月一日上線'.repeat(20), 30, /^結帳.*…$/],
    ['between whole characters', '👩🏽‍🚀'.repeat(60), 30, /…$/],
    ['to nothing if not even one character fits', '結帳頁面', 1, /^…?$/],
    ['not at all if it fits', 'Ann, Bob', 30, /^Ann, Bob$/],
  ])('a text is cut %s', (_, long, limit, expected) => {
    const cut = cutToTokens(long, limit, tokens);
    expect(cut).toMatch(expected);
    expect(cut.isWellFormed()).toBe(true);
    expect(tokens.count(cut)).toBeLessThanOrEqual(limit);
  });

  test.each([
    ['clauses', 'a b, '.repeat(20_000)],
    ['words', 'word '.repeat(20_000)],
  ])('a long text of %s is cut after few counts', (_, long) => {
    let counted = 0;
    const counting = {
      ...tokens,
      count: (text: string) => {
        counted += text.length;
        return tokens.count(text);
      },
    };
    const cut = cutToTokens(long, 30, counting);
    expect(tokens.count(cut)).toBe(30);
    expect(counted).toBeLessThan(5 * long.length);
  });

  test('of facts said at one time, that of the earlier source comes first', () => {
    const all = [
      factOf('assistant: It launches in May.', { sources: ['t-2'] }),
      factOf('user: When does it launch?', { sources: ['t-1'] }),
      factOf('user: We start on Monday.', { sources: ['t-0'], at: NOW + 1 }),
    ];
    const sources = ['t-1', 't-2', 't-0'].map((id) => ({ id }));
    const { detailed } = composeDepths(all, ['detailed'], tokens, sources);
    expect(detailed?.sentences.map(({ facts: [index] }) => index)).toEqual([1, 0, 2]);
    const unknown = composeDepths(all, ['detailed'], tokens).detailed;
    expect(unknown?.sentences.map(({ facts: [index] }) => index)).toEqual([0, 1, 2]);
  });

  test('sentences that rest on a dropped source are removed from the text', () => {
    const all = [
      factOf('Ann lives in Oslo', { sources: ['m-1', 'm-2'] }),
      factOf('Bob lives in Rome', { sources: ['m-3'] }),
    ];
    const whole = composeDepth(all, 200, tokens);
    const without = (...ids: string[]) =>
      withoutSources(whole, all, { dropped: new Set(ids), depth: 'paragraph', tokens }).text;
    expect(without()).toBe(whole.text);
    expect(without('m-9')).toBe(whole.text);
    expect(without('m-2')).toBe('Bob lives in Rome.');
    expect(without('m-1', 'm-3')).toBe('');
  });

  test('a speaker is named once per run, and again if the start of the run is dropped', () => {
    const all = [
      factOf('Ana: We ship in May', { sources: ['m-1'], speaker: 'Ana', at: NOW }),
      factOf('Ana: Bo tests', { sources: ['m-2'], speaker: 'Ana', at: NOW + 1 }),
      factOf('Bo: I start on Monday', { sources: ['m-3'], speaker: 'Bo', at: NOW + 2 }),
      factOf('Ana: The price is 5 euros', { sources: ['m-4'], speaker: 'Ana', at: NOW + 3 }),
    ];
    const whole = composeDepth(all, 100, tokens);
    expect(whole.text).toBe(
      'Ana: We ship in May. Bo tests. Bo: I start on Monday. Ana: The price is 5 euros.',
    );
    expect(whole.tokens).toBe(tokens.count(whole.text));
    expect(whole.sentences.map(({ text: shown }) => shown)).toContain('Ana: Bo tests.');
    const without = (...ids: string[]) =>
      withoutSources(whole, all, { dropped: new Set(ids), depth: 'paragraph', tokens }).text;
    expect(without('m-1')).toBe('Ana: Bo tests. Bo: I start on Monday. Ana: The price is 5 euros.');
    expect(without('m-3')).toBe('Ana: We ship in May. Bo tests. The price is 5 euros.');
  });

  test('the remaining text cites no dropped source, and its tokens are counted again', () => {
    const cited = fc.array(fc.subarray(['m-1', 'm-2', 'm-3', 'm-4'], { minLength: 1 }), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(cited, fc.subarray(['m-1', 'm-2', 'm-3', 'm-4']), (sourcesOf, ids) => {
        const all = sourcesOf.map((sources, n) => factOf(`Fact ${String(n)}`, { sources }));
        const dropped = new Set(ids);
        const whole = composeDepth(all, 200, tokens);
        const left = withoutSources(whole, all, { dropped, depth: 'paragraph', tokens });
        const rest = left.sentences.flatMap((each) => each.facts.flatMap((at) => all[at]?.sources));
        expect(rest.filter((id) => id !== undefined && dropped.has(id))).toEqual([]);
        expect(left.tokens).toBe(tokens.count(left.text));
      }),
    );
  });
});

describe('facts with a depth of their own', () => {
  const said = (depth: Depth, text: string, ...sources: string[]) =>
    factOf(text, { depths: [depth], sources });
  const GIST = said('sentence', 'Ann opens a bakery in Bern', 'm-1', 'm-2');
  const PARAGRAPH = [
    said('paragraph', 'Ann left her bank, since she wants to bake', 'm-1'),
    said('paragraph', 'Her bakery opens in Bern in May', 'm-2'),
  ];
  const DETAILED = [said('detailed', 'The oven comes from Turin', 'm-3')];
  const ALL = [GIST, ...PARAGRAPH, ...DETAILED];
  const textsOf = (facts: readonly Fact[], depths: readonly Depth[] = DEPTHS) => {
    const texts = composeDepths(facts, depths, tokens);
    return DEPTHS.map((depth) => texts[depth]?.text);
  };

  test('the sentence is the gist, the paragraph reads as written, and the detailed text adds facts', () => {
    const paragraph =
      'Ann left her bank, since she wants to bake. Her bakery opens in Bern in May.';
    expect(textsOf(ALL)).toEqual([
      'Ann opens a bakery in Bern.',
      paragraph,
      `${paragraph} The oven comes from Turin.`,
    ]);
    const sentences = composeDepths(ALL, DEPTHS, tokens).detailed?.sentences;
    expect(sentences?.map((each) => each.facts)).toEqual([[1], [2], [3]]);
  });

  test('facts without a depth appear in the order in which they were said', () => {
    const untold = ['Last', 'First'].map((text, n) => factOf(text, { at: NOW - n }));
    expect(textsOf(untold)).toEqual(['First. Last.', 'First. Last.', 'First. Last.']);
  });

  test('facts with a depth keep the order of the answer, whenever they were said', () => {
    const later = PARAGRAPH.map((fact, n) => ({ ...fact, at: NOW - n }));
    expect(textsOf(later)[1]).toBe(textsOf(PARAGRAPH)[1]);
  });

  test('a depth without its own facts is a prefix of all facts', () => {
    const [sentence, paragraph, detailed] = textsOf([GIST, ...DETAILED]);
    expect(sentence).toBe('Ann opens a bakery in Bern.');
    expect(paragraph).toBe('Ann opens a bakery in Bern. The oven comes from Turin.');
    expect(detailed).toBe(paragraph);
    const untold = ALL.map(({ depths: _depths, ...fact }) => fact);
    expect(textsOf(untold)).toEqual(
      DEPTHS.map((depth) => composeDepth(untold, DEPTH_TOKENS_MAX[depth], tokens).text),
    );
  });

  test('a longer text that misses a source of the gist begins with the gist', () => {
    const [, paragraph, detailed] = textsOf([GIST, ...PARAGRAPH.slice(0, 1), ...DETAILED]);
    expect(paragraph).toMatch(/^Ann opens a bakery in Bern\. Ann left/u);
    expect(detailed).toMatch(/^Ann opens a bakery in Bern\. Ann left .* Turin\.$/u);
  });

  test('only the requested depths are composed', () => {
    expect(textsOf(ALL, ['paragraph'])).toEqual([undefined, textsOf(ALL)[1], undefined]);
  });

  test('a gist that rests on a dropped source is replaced by the remaining facts', () => {
    const whole = composeDepths(ALL, DEPTHS, tokens).sentence;
    if (whole === undefined) throw new Error('There is no gist.');
    const without = (...ids: string[]) =>
      withoutSources(whole, ALL, { dropped: new Set(ids), depth: 'sentence', tokens });
    expect(without('m-1')).toMatchObject({
      text: 'Her bakery opens in Bern in May. The oven comes from Turin.',
      sentences: [{ facts: [2] }, { facts: [3] }],
    });
    expect(without('m-1', 'm-2', 'm-3').text).toBe('');
  });

  test('asOneList leaves out a gist that other facts cover', () => {
    const texts = (all: readonly Fact[]) => asOneList(all).map(({ text: each }) => each);
    expect(texts(ALL)).toEqual([...PARAGRAPH, ...DETAILED].map(({ text: each }) => each));
    expect(texts([GIST, ...DETAILED])).toEqual([GIST.text, 'The oven comes from Turin']);
    expect(texts([GIST])).toEqual([GIST.text]);
    expect(JSON.stringify(asOneList(ALL))).not.toContain('depths');
  });

  test('no text exceeds the cap of its depth', () => {
    const told = fc.array(
      fc
        .record({ text, depth: fc.constantFrom(...DEPTHS) })
        .map((each) => said(each.depth, each.text)),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(told, (all) => {
        const texts = composeDepths(all, DEPTHS, tokens);
        for (const depth of DEPTHS) {
          expect(texts[depth]?.tokens).toBeLessThanOrEqual(DEPTH_TOKENS_MAX[depth]);
          expect(texts[depth]?.text === '').toBe(all.length === 0);
        }
      }),
      { numRuns: 60 },
    );
  });
});
