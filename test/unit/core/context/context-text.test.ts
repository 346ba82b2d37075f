/** What a context says only once, and what it never shows without the newer text. */
import { describe, expect, test } from 'vitest';
import type { PartSentence, SummaryPart, WholePart } from '#core/context/context-parts.ts';
import {
  layerPart,
  partTextOf,
  saidInTurns,
  sessionPart,
  withoutOldest,
  withoutOutdated,
} from '#core/context/context-text.ts';
import { pastOf, relatedOf, summaryPart, turnOf } from '../context-input.ts';

type Shown = Parameters<typeof layerPart>[2];
const NOTHING: Shown = { past: [], hotTurns: [], related: [] };

function sentence(text: string, differing: Partial<PartSentence> = {}): PartSentence {
  return { text, sources: [`of ${text}`], trust: 'stated', sinceThen: false, ...differing };
}

function partOf(sentences: readonly PartSentence[]): SummaryPart {
  return { ...summaryPart('user', {}), depths: { paragraph: partTextOf(sentences) } };
}

const textsOf = ({ depths }: SummaryPart) => depths.paragraph?.sentences.map(({ text }) => text);
const past = (...texts: readonly string[]): Shown => ({
  ...NOTHING,
  past: texts.map((text, n) => pastOf(n, text)),
});

describe('a summary of a layer', () => {
  const sails = sentence('Ann sails on Monday.');
  const sings = sentence('Bo sings.');
  const both = [sails, sings];
  const news = sentence('Ann sails on Monday.', { sinceThen: true });
  const said = past('Well, Ann sails on Monday, she says.');
  test.each<[string, sentences: readonly PartSentence[], shown: Shown, left: string[]]>([
    ['all that no shown part says', both, past('Ann sails.'), [sails.text, sings.text]],
    ['nothing that an earlier turn says', both, said, [sings.text]],
    [
      'nothing that one of the latest turns says',
      both,
      { ...NOTHING, hotTurns: [turnOf(1, 'No. Bo sings')] },
      [sails.text],
    ],
    [
      'nothing that a memory says',
      both,
      { ...NOTHING, related: [relatedOf(1, 1, 'Bo sings.')] },
      [sails.text],
    ],
    [
      'what is new since then, even if a turn says it',
      [news, sings],
      said,
      [news.text, sings.text],
    ],
    [
      'no sentence that a turn says without the mark',
      [sentence('Bo sings. (earlier)'), sails],
      past('Bo sings'),
      [sails.text],
    ],
    [
      'no sentence that a turn says without the date',
      [sentence('Bo sings. (2026-03-01)'), sails],
      past('Bo sings.'),
      [sails.text],
    ],
    [
      'no sentence that a turn says in a script without spaces',
      [sentence('波は歌う。'), sails],
      past('波は歌うよ'),
      [sails.text],
    ],
    [
      'a sentence that the next one depends on',
      [sings, sentence('It is loud.')],
      past('Bo sings.'),
      [sings.text, 'It is loud.'],
    ],
    [
      'no sentences that turns say, even if one depends on another',
      [sings, sentence('It is loud.'), sails],
      past('Bo sings.', 'It is loud.'),
      [sails.text],
    ],
    [
      'a date with its sentence',
      [sings, sentence('(2026-03-01).'), sails],
      said,
      [sings.text, '(2026-03-01).'],
    ],
    [
      'no date without its sentence',
      [sings, sentence('(2026-03-01).'), sails],
      past('Bo sings'),
      [sails.text],
    ],
  ])('says %s', (_, sentences, shown, left) => {
    const part = partOf(sentences);
    expect(textsOf(layerPart({ layout: 'byQuestion' }, part, shown))).toEqual(left);
    expect(layerPart({ layout: 'cacheStable' }, part, shown)).toBe(part);
  });

  test('leaves out a depth that is said in full, and keeps its other depths', () => {
    const depths = { sentence: partTextOf([sings]), detailed: partTextOf(both) };
    const { depths: left } = layerPart(
      { layout: 'byQuestion' },
      { ...summaryPart('user', {}), depths },
      past('Bo sings.'),
    );
    expect(left).toEqual({ detailed: partTextOf([sails]) });
  });

  test('rests on the sources of its sentences, each once, and has their lowest trust', () => {
    const news = sentence('Cy rows.', { sinceThen: true, trust: 'untrusted' });
    expect(partTextOf([...both, sails, news])).toMatchObject({
      sources: [...sails.sources, ...sings.sources, ...news.sources],
      trust: 'untrusted',
      sinceThen: news.sources,
    });
    expect(partTextOf(both)).toMatchObject({
      text: 'Ann sails on Monday. Bo sings.',
      sinceThen: [],
    });
  });
});

test('the summary of a session leaves out sentences that rest only on shown turns', () => {
  const sources = [[], ['turn-1'], ['turn-1', 'turn-2'], ['turn-2']];
  const part = partOf(
    sources.map((each, n) => sentence(`Ann says ${String(n)}.`, { sources: each })),
  );
  const left = sessionPart({ sessionSummary: part }, [turnOf(1)]);
  expect(left && textsOf(left)).toEqual(['Ann says 0.', 'Ann says 2.', 'Ann says 3.']);
  expect(sessionPart({ sessionSummary: null }, [turnOf(1)])).toBeNull();
});

describe('a memory', () => {
  test.each<[string, statement: string | undefined, isSaid: boolean]>([
    ['no statement of a conversation', undefined, false],
    ['a statement that a turn says', 'Ann sails.', true],
    ['a dated statement that an earlier turn says', 'Bo sings. (2026-03-01)', true],
    ['a statement that spans two passages and lines', 'Bo sings.\nCy rows.', true],
    ['a statement in another order', 'Cy rows. Bo sings.', false],
    ['another statement', 'Ann rows.', false],
    ['a number that ends a longer number', '5 boats sail.', false],
    ['a number that begins a longer number', 'Dee has 5.', false],
    ['a number that ends a turn', 'Dee has 50.', true],
  ])('with %s is recognized as said in turns or not', (_, statement, isSaid) => {
    const part = { ...relatedOf(1, 1), ...(statement !== undefined && { statement }) };
    const shown = {
      sessionDepth: null,
      hotTurns: [turnOf(1, 'user: Ann\nsails.')],
      related: [],
      past: [
        pastOf(1, 'Cy rows.'),
        pastOf(0, 'Bo sings.'),
        pastOf(2, '15 boats sail.'),
        pastOf(3, 'Dee has 50.'),
      ],
      layerDepths: new Map(),
    };
    expect(saidInTurns(shown)(part)).toBe(isSaid);
  });

  test.each<[string, outdatedBy: string[] | undefined, left: number]>([
    ['stays without a list of replacements', undefined, 2],
    ['stays with an empty list of replacements', [], 2],
    ['stays beside one of its replacements', ['gone', 'memory-2'], 2],
    ['is removed if no replacement is shown', ['gone'], 1],
  ])('%s', (_, outdatedBy, left) => {
    const older = { ...relatedOf(1, 1), ...(outdatedBy && { outdatedBy }) };
    expect(withoutOutdated([older, relatedOf(2, 1)])).toHaveLength(left);
  });
});

test.each<[string, isResult: readonly boolean[], left: number]>([
  ['alone', [false, false, false], 2],
  ['with the results that follow it', [false, true, true, false, true], 2],
  ['with the last results', [false, true], 0],
  ['even if it is a result', [true, false], 1],
  ['only if there is one', [], 0],
])('the oldest turn is removed %s', (_, isResult, left) => {
  const turns = isResult.map((each, n): WholePart => ({ ...turnOf(n), isResult: each }));
  expect(withoutOldest(turns)).toEqual(turns.slice(turns.length - left));
});
