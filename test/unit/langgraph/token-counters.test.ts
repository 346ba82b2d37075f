import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from '@langchain/core/messages';
import { describe, expect, test } from 'vitest';
import { countTokensApproximately, loadMessageCounter } from '#langgraph/summarization-options.ts';

const CALL = {
  name: 'tool_1',
  args: { arg1: "it's", n: 1.5, b: true, x: null, l: [1, 'a\n"q"'] },
  id: '1',
  type: 'tool_call',
} as const;

/** Counts of `count_tokens_approximately` of langchain-core 1.6.5, run on the same messages. */
const COUNTED: readonly (readonly [BaseMessage, number])[] = [
  [new HumanMessage('Message 1'), 7],
  [new AIMessage('Response 1'), 8],
  [new HumanMessage('Latest message'), 8],
  [new HumanMessage(''), 4],
  [new AIMessage(''), 6],
  [new HumanMessage('Latest message 1'), 8],
  [new AIMessage('Response to latest 1'), 11],
  [new SystemMessage('First summary of the conversation.'), 13],
  [new HumanMessage('😀😀😀😀😀'), 6],
  [new HumanMessage({ content: 'x', name: 'ann' }), 5],
  [new ToolMessage({ content: 'res', tool_call_id: 'call_1' }), 7],
  [new AIMessage({ content: '', tool_calls: [CALL] }), 38],
  [
    new HumanMessage([
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: 'data:xyz' } },
    ]),
    90,
  ],
  [new HumanMessage([{ type: 'file', data: 'abc', n: 3 } as never]), 14],
];

describe('counting messages', () => {
  test.each(COUNTED.map(([message, tokens], at) => ({ at, message, tokens })))(
    'message $at counts $tokens tokens, as in Python',
    ({ message, tokens }) => {
      expect(countTokensApproximately([message])).toBe(tokens);
    },
  );

  test('the count of a list is the sum over its messages', () => {
    const messages = COUNTED.map(([message]) => message);
    const total = COUNTED.reduce((sum, [, tokens]) => sum + tokens, 0);
    expect(countTokensApproximately(messages)).toBe(total);
  });

  test('TOK-06: the cl100k counter counts more for Chinese text than the approximate one', async () => {
    const count = await loadMessageCounter();
    const message = new HumanMessage('请在下周二之前把报告发给我，谢谢。'.repeat(20));
    expect(await count([message])).toBeGreaterThan(countTokensApproximately([message]) * 2);
    expect(count.name).toContain('cl100k');
  });
});
