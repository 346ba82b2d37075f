/** Which statements of a day a line of MEMORY.md is based on. */
import { expect, test } from 'vitest';
import { restsOn, supportBook } from '#core/dreams/line-sources.ts';
import { LINE_SOURCES_MAX, type Document, type DocumentLine } from '#core/records/document.ts';

type Question = Parameters<typeof supportBook>[0];
type Said = readonly [source: string, text: string];

/** A line that rests on a source, and was written at a time of its length. */
function lineOf([source, text]: Said, id = `line ${source}`): DocumentLine {
  const sources = source === '' ? [] : [source];
  return { id, heading: null, text, sources, trust: 'stated', at: text.length };
}

function restOf(text: string, block: readonly Said[], cited: readonly string[] = ['day']) {
  const day = { id: 'day', lines: block.map((said) => lineOf(said)) } as unknown as Document;
  const base = [lineOf(['', 'I row.'], 'own'), lineOf(['r', 'I rest.'], 'unseen')];
  const question = { memory: [{ id: 'own' }], daily: [{ id: 'day' }] } as unknown as Question;
  return restsOn(text, cited, supportBook(question, base, [day]));
}

test.each<[string, text: string, block: readonly Said[], sources: string[]]>([
  [
    'all statements that say it in full',
    'Ann sails',
    [
      ['a', 'Ann sails to Bern'],
      ['b', 'Ann sails'],
    ],
    ['a', 'b'],
  ],
  [
    'no statement that says only a part',
    'Ann sails',
    [
      ['a', 'Ann rests'],
      ['b', 'Ann sails'],
    ],
    ['b'],
  ],
  [
    'statements that say a part if none says it in full',
    'Ann sails',
    [
      ['a', 'Bo rows'],
      ['b', 'Ann rests'],
    ],
    ['b'],
  ],
  [
    'the closest statement first',
    'Ann sails to Bern',
    [
      ['a', 'Bern sleeps'],
      ['b', 'Ann sails'],
    ],
    ['b', 'a'],
  ],
  [
    'all statements if none shares a word',
    'Ann sails',
    [
      ['a', 'Bo rows'],
      ['b', 'Cy sings'],
    ],
    ['a', 'b'],
  ],
  [
    'each source once',
    'Ann sails',
    [
      ['a', 'Ann sails'],
      ['a', 'Ann sails'],
    ],
    ['a'],
  ],
  ['the day if a statement has no source', 'Ann sails', [['', 'Ann sails']], ['day']],
  [
    'no statement that shares only the speaker',
    'user: I sail',
    [
      ['a', 'user: I rest'],
      ['b', 'I sail now'],
    ],
    ['b'],
  ],
  [
    'no statement that shares only a frequent speaker',
    'Bo: I sail',
    [
      ['a', 'Bo: rest'],
      ['b', 'Bo: row'],
      ['c', 'We sail'],
    ],
    ['c'],
  ],
  [
    'a statement that shares a label used once',
    'Plan: we sail',
    [
      ['a', 'Plan: rest'],
      ['b', 'Cy rows'],
    ],
    ['a'],
  ],
])('a line rests on %s', (_, text, block, sources) => {
  expect(restOf(text, block).sources).toEqual(sources);
});

test('a line rests on known sources that it cites, up to a maximum, and takes their newest time', () => {
  const block: readonly Said[] = [
    ['a', 'I row.'],
    ['b', 'I row in the sea.'],
  ];
  expect(restOf('I row.', block, ['own', 'day'])).toEqual({ sources: ['own', 'a', 'b'], at: 17 });
  expect(restOf('I rest.', block, ['unseen', 'gone'])).toEqual({ sources: [], at: null });
  const many = Array.from({ length: LINE_SOURCES_MAX + 1 }, (_, n): Said => [
    `s${String(n)}`,
    'I row.',
  ]);
  expect(restOf('I row.', many).sources).toHaveLength(LINE_SOURCES_MAX);
});
