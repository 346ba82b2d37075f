import { describe, expect, test } from 'vitest';
import {
  extended,
  PYTHON_PREFIX,
  readRunningSummary,
  windowOf,
  withIds,
  type RunningSummary,
} from '#core/running-summary/running-summary.ts';
import { digest } from '#test/conformance/samples.ts';
import { messageOf } from './messages.ts';

const summaryOf = (ids: readonly string[], last: string | null = ids.at(-1) ?? null) => ({
  summary: 'Ann moved.',
  summarized_message_ids: [...ids],
  last_summarized_message_id: last,
});
const said = (id: string) => ({ ...messageOf({ content: `Said ${id}.` }), id });
const system = (content: string, isSummary = false) => ({
  ...messageOf({ role: 'system', content, isSummary }),
  id: '',
});

describe('a running summary read from state', () => {
  test.each<[string, unknown, RunningSummary | null]>([
    ['is null if the state is null', null, null],
    ['is null if the state is undefined', undefined, null],
    ['is what an earlier call returned', summaryOf(['a', 'b']), summaryOf(['a', 'b'])],
    [
      'takes its ids from a set',
      { ...summaryOf(['a', 'b']), summarized_message_ids: new Set(['a', 'b']) },
      summaryOf(['a', 'b']),
    ],
    [
      'has no ids if JSON emptied a set',
      { ...summaryOf([], 'b'), summarized_message_ids: {} },
      summaryOf([], 'b'),
    ],
    [
      'has no ids if they are null',
      { ...summaryOf([]), summarized_message_ids: null },
      summaryOf([]),
    ],
    ['has no ids if they are missing', { summary: 'Ann moved.' }, summaryOf([])],
    [
      'ends with the last of its ids if it names no last one',
      { summary: 'Ann moved.', summarized_message_ids: ['a', 'b'] },
      summaryOf(['a', 'b']),
    ],
    [
      'may have an undefined last id',
      { ...summaryOf(['a']), last_summarized_message_id: undefined },
      summaryOf(['a'], null),
    ],
  ])('%s', (_, state, expected) => {
    expect(readRunningSummary(state)).toEqual(expected);
  });

  test.each<[string, unknown]>([
    ['that is a string', 'Ann moved.'],
    ['without a summary', { summarized_message_ids: [] }],
    ['whose summary is not a string', { summary: 1 }],
    ['with an id that is not a string', { summary: '', summarized_message_ids: ['a', 1] }],
    ['with ids that are not a list', { summary: '', summarized_message_ids: { a: 1 } }],
    ['with ids that are a string', { summary: '', summarized_message_ids: 'a' }],
    ['with a last id that is not a string', { summary: '', last_summarized_message_id: 1 }],
  ])('%s is refused', (_, state) => {
    expect(() => readRunningSummary(state)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
  });

  test('grows by the messages of each round, and keeps its last id if a round has none', () => {
    const first = extended(null, 'One.', ['a', 'b']);
    expect(first).toEqual({ ...summaryOf(['a', 'b']), summary: 'One.' });
    expect(extended(first, 'Two.', ['c'])).toEqual({
      ...summaryOf(['a', 'b', 'c']),
      summary: 'Two.',
    });
    expect(extended(first, 'Two.', [])).toEqual({ ...first, summary: 'Two.' });
    expect(extended(null, 'None.', [])).toEqual({ ...summaryOf([]), summary: 'None.' });
  });
});

describe('the ids of messages without one', () => {
  const [ask, answer] = [messageOf(), messageOf({ role: 'assistant' })];
  const idsOf = (...messages: Parameters<typeof withIds>[0]) =>
    withIds(messages, digest).map(({ id }) => id);

  test('are the same for the same history, and differ if anything before differs', () => {
    const ids = idsOf(ask, answer, ask);
    expect(idsOf(ask, answer, ask, answer).slice(0, 3)).toEqual(ids);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => /^said-[\da-f]{32}$/u.test(id))).toBe(true);
    expect(idsOf(messageOf({ content: 'Other.' }), answer)[1]).not.toBe(ids[1]);
    expect(idsOf({ ...ask, id: 'own' }, answer)).toEqual([
      'own',
      expect.not.stringMatching(ids[1] ?? ''),
    ]);
  });

  test('do not change with system messages, which have none', () => {
    const prompt = messageOf({ role: 'system', content: 'Be kind.' });
    expect(idsOf(prompt, ask)).toEqual(['', ...idsOf(ask)]);
    expect(idsOf({ ...prompt, id: 'p' }, ask)).toEqual(['p', ...idsOf(ask)]);
  });
});

describe('the messages still to be summarized', () => {
  const live = (ids: readonly string[], running: RunningSummary | null) =>
    windowOf(ids.map(said), running).live.map((at) => ids[at]);

  test.each<[string, readonly string[], RunningSummary | null, readonly string[]]>([
    ['are all messages without a summary', ['a', 'b'], null, ['a', 'b']],
    ['are those after the last summarized message', ['a', 'b', 'c'], summaryOf(['a', 'b']), ['c']],
    ['are those after it even if it is the first', ['a', 'b'], summaryOf(['a']), ['b']],
    ['include an unsummarized message before it', ['x', 'a', 'b'], summaryOf(['a']), ['x', 'b']],
    [
      'are those after the summarized start if the last one is gone',
      ['a', 'c'],
      summaryOf(['a', 'b']),
      ['c'],
    ],
    ['are empty if all are summarized', ['a'], summaryOf(['a', 'b']), []],
    ['are those after the last one if the ids were lost', ['a', 'b'], summaryOf([], 'a'), ['b']],
    ['are those after the ids if no last one is named', ['a', 'b'], summaryOf(['a'], null), ['b']],
  ])('%s', (_, ids, running, expected) => {
    expect(live(ids, running)).toEqual(expected);
  });

  test.each<[string, readonly string[], RunningSummary | null]>([
    ['an id occurs twice', ['a', 'a'], null],
    [
      'a summarized message follows unsummarized ones',
      ['a', 'c', 'b'],
      summaryOf(['a', 'b'], 'gone'),
    ],
  ])('are refused if %s', (_, ids, running) => {
    expect(() => live(ids, running)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  test('exclude system messages, including the summaries that earlier runs wrote', () => {
    const messages = [
      system('Be kind.'),
      system('Any text.', true),
      system(' Ann moved. '),
      system(`${PYTHON_PREFIX}Ann moved.`),
      said('a'),
    ];
    expect(windowOf(messages, summaryOf([]))).toEqual({ system: [0], live: [4] });
    expect(windowOf(messages, null)).toEqual({ system: [0, 2, 3], live: [4] });
    const empty = { ...summaryOf([]), summary: ' ' };
    expect(windowOf([system(''), said('a')], empty).system).toEqual([0]);
  });
});
