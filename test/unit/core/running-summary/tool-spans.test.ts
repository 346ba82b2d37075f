import { describe, expect, test } from 'vitest';
import type { ConversationMessage } from '#core/running-summary/message.ts';
import { cutPlaces, lastGroupAt, toolSpans } from '#core/running-summary/tool-spans.ts';
import { callsOf, messageOf, resultOf } from './messages.ts';

const USER = messageOf();
const ASSISTANT = messageOf({ role: 'assistant' });
type Messages = readonly ConversationMessage[];

/** `0-2 4-4`: where each group begins and ends. */
const told = (messages: Messages) =>
  toolSpans(messages)
    .map(({ first, last }) => `${String(first)}-${String(last)}`)
    .join(' ');

describe('a tool call stays together', () => {
  test.each<[string, Messages, string]>([
    ['with nothing if there is no call', [USER, ASSISTANT], ''],
    ['with its result', [USER, callsOf('a'), resultOf('a'), ASSISTANT], '1-2'],
    ['with all its results', [callsOf('a', 'b'), resultOf('b'), resultOf('a'), USER], '0-2'],
    ['with the messages in between', [callsOf('a'), USER, resultOf('a'), ASSISTANT], '0-2'],
    ['alone if it was never answered', [callsOf('a'), ASSISTANT, USER], '0-0'],
    ['with all later messages while it may be answered', [callsOf('a'), USER, USER], '0-2'],
    [
      'with all later messages while one of its calls may be answered',
      [callsOf('a', 'b'), resultOf('a'), USER],
      '0-2',
    ],
    ['with only its results once all are answered', [callsOf('a'), resultOf('a'), USER], '0-1'],
    [
      'with the next result if an id is used again',
      [callsOf('a'), resultOf('a'), callsOf('a'), resultOf('a'), ASSISTANT],
      '0-1 2-3',
    ],
    [
      'with a call whose results alternate with its own',
      [callsOf('a'), callsOf('b'), resultOf('a'), resultOf('b'), ASSISTANT],
      '0-3',
    ],
    [
      'with a call whose result is within its own',
      [callsOf('a'), callsOf('b'), resultOf('b'), resultOf('a'), ASSISTANT],
      '0-3',
    ],
    ['but not with a result that has no call', [resultOf('a'), ASSISTANT], ''],
    ['with nothing if it has no id', [callsOf(null), USER], ''],
  ])('%s', (_, messages, expected) => {
    expect(told(messages)).toBe(expected);
  });
});

describe('a list of messages', () => {
  const messages = [
    USER,
    callsOf('a'),
    resultOf('a'),
    resultOf('a'),
    USER,
    callsOf('b'),
    resultOf('b'),
  ];
  const spans = toolSpans(messages);

  test('may be cut between groups, but not inside one', () => {
    const places = cutPlaces(spans, messages.length);
    expect([...places.keys()].filter((at) => places[at])).toEqual([0, 1, 4, 5, 7]);
  });

  test('ends with the group of its last message, or with that message', () => {
    expect(lastGroupAt(spans, messages.length)).toBe(5);
    expect(lastGroupAt(spans.slice(0, 1), 5)).toBe(4);
    expect(lastGroupAt([], 3)).toBe(2);
  });
});
