/**
 * The fifteen cases of langmem's test suite, each with the counter it names, in the mode that is
 * the reference's.
 */
import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from '@langchain/core/messages';
import { describe, expect, test } from 'vitest';
import type { RunningSummary } from '#core/running-summary/running-summary.ts';
import { SummarizationNode } from '#langgraph/summarization-node.ts';
import { summarizeMessages } from '#langgraph/summarize.ts';
import { countTokensApproximately } from '#langgraph/summarization-options.ts';
import {
  ai,
  byLength,
  human,
  idsOf,
  nineMessages,
  scriptedModel,
  textsOf,
} from './scripted-model.ts';

const TRIM = { oversize: 'trim' } as const;
const LEN = { ...TRIM, tokenCounter: byLength };
const APPROXIMATE = { ...TRIM, tokenCounter: countTokensApproximately };
const PREFIX = 'Summary of the conversation so far: ';

/** Ids 1 to 6 as in the nine, then a latest message. */
function sevenMessages(): BaseMessage[] {
  return [...nineMessages().slice(0, 6), human('7', 'Latest message 1')];
}

function eightMore(): BaseMessage[] {
  return [
    ai('8', 'Response to latest 1'),
    human('9', 'Message 4'),
    ai('10', 'Response 4'),
    human('11', 'Message 5'),
    ai('12', 'Response 5'),
    human('13', 'Message 6'),
    ai('14', 'Response 6'),
    human('15', 'Latest message 2'),
  ];
}

const FIRST = 'First summary of the conversation.';
const SECOND = 'Updated summary including new messages.';

function expectSecondQuestion(asked: readonly BaseMessage[] | undefined): void {
  expect(asked).toHaveLength(5);
  expect(textsOf(asked ?? []).slice(0, 4)).toEqual([
    'Message 4',
    'Response 4',
    'Message 5',
    'Response 5',
  ]);
  expect(asked?.[4]?.text).toContain('First summary of the conversation');
  expect(asked?.[4]?.text).toContain('Extend this summary');
}

/** Answers how many messages the second summary covers. */
async function twoRounds(
  options: typeof LEN | typeof APPROXIMATE,
  limits: { maxTokens: number; maxSummaryTokens: number },
  second: 'whole' | 'rest',
): Promise<number | undefined> {
  const model = scriptedModel(FIRST, SECOND);
  const given = sevenMessages();
  const first = await summarizeMessages(given, { model, ...options, ...limits });
  expect(first.messages).toHaveLength(2);
  expect(first.messages.at(-1)).toEqual(given.at(-1));
  expect(model.asked).toHaveLength(1);
  expect(first.runningSummary?.summarized_message_ids).toHaveLength(6);

  const base = second === 'whole' ? given : first.messages;
  const more = eightMore();
  const { runningSummary } = first;
  const result = await summarizeMessages([...base, ...more], {
    model,
    ...options,
    ...limits,
    runningSummary,
  });
  expect(model.asked).toHaveLength(2);
  expectSecondQuestion(model.asked[1]);
  expect(result.messages).toHaveLength(4);
  expect(result.messages[0]?.type).toBe('system');
  expect(result.messages[0]?.text.toLowerCase()).toContain('summary');
  expect(result.messages.slice(1)).toEqual(more.slice(-3));
  expect(result.runningSummary?.summary).toBe(SECOND);
  return result.runningSummary?.summarized_message_ids.length;
}

describe('the cases of the reference', () => {
  test('1. an empty list or only a system message is returned unchanged', async () => {
    const model = scriptedModel();
    const options = { model, ...TRIM, maxTokens: 10, maxSummaryTokens: 1 };
    const nothing = await summarizeMessages([], options);
    expect(nothing).toMatchObject({ messages: [], runningSummary: null });
    const system = [new SystemMessage({ id: 'sys', content: 'You are a helpful assistant.' })];
    const alone = await summarizeMessages(system, options);
    expect(alone).toMatchObject({ messages: system, runningSummary: null });
    expect(model.asked).toEqual([]);
  });

  test('2. messages within the limit are returned unchanged', async () => {
    const model = scriptedModel();
    const given = nineMessages().slice(0, 3);
    const result = await summarizeMessages(given, {
      model,
      ...LEN,
      maxTokens: 10,
      maxSummaryTokens: 1,
    });
    expect(result).toMatchObject({ messages: given, runningSummary: null });
    expect(model.asked).toEqual([]);
  });

  test('TOK-01, TOK-03: 3. a first summary replaces the oldest six of nine messages', async () => {
    const text = 'This is a summary of the conversation.';
    const model = scriptedModel(text);
    const options = { model, ...LEN, maxTokens: 6, maxSummaryTokens: 1 };
    const given = nineMessages();
    const first = await summarizeMessages(given, options);
    expect(model.asked).toHaveLength(1);
    expect(first.messages).toHaveLength(4);
    expect(first.messages[0]?.type).toBe('system');
    expect(first.messages[0]?.text.toLowerCase()).toContain('summary');
    expect(first.messages.slice(1)).toEqual(given.slice(-3));
    expect(first.runningSummary).toEqual({
      summary: text,
      summarized_message_ids: ['1', '2', '3', '4', '5', '6'],
      last_summarized_message_id: '6',
    });

    const { runningSummary } = first;
    const again = await summarizeMessages(given, { ...options, runningSummary });
    expect(model.asked).toHaveLength(1);
    expect(again.messages).toHaveLength(4);
    expect(again.messages[0]?.text).toBe(`${PREFIX}${text}`);
    expect(again.messages.slice(1)).toEqual(given.slice(-3));
  });

  test('4. a separate threshold decides when a summary is made', async () => {
    const text = 'This is a summary of the conversation.';
    const model = scriptedModel(text);
    const limits = { maxTokens: 6, maxTokensBeforeSummary: 8, maxSummaryTokens: 1 };
    const given = nineMessages();
    const first = await summarizeMessages(given, { model, ...LEN, ...limits });
    expect(model.asked).toHaveLength(1);
    expect(first.messages).toHaveLength(2);
    expect(first.messages[1]).toEqual(given[8]);
    expect(first.runningSummary?.summarized_message_ids).toEqual(idsOf(given.slice(0, 8)));

    const { runningSummary } = first;
    const again = await summarizeMessages(given, { model, ...LEN, ...limits, runningSummary });
    expect(textsOf(again.messages)).toEqual([`${PREFIX}${text}`, 'Latest message']);
  });

  test('5. a system message stays in front and is not summarized', async () => {
    const model = scriptedModel('Summary with system message present.');
    const system = new SystemMessage({ id: '0', content: 'You are a helpful assistant.' });
    const given = nineMessages();
    const result = await summarizeMessages([system, ...given], {
      model,
      ...LEN,
      maxTokens: 6,
      maxSummaryTokens: 1,
    });
    expect(model.asked).toHaveLength(1);
    expect(model.asked[0]).toEqual([
      ...given.slice(0, 6),
      new HumanMessage('Create a summary of the conversation above:'),
    ]);
    expect(result.messages).toHaveLength(5);
    expect(result.messages[0]).toEqual(system);
    expect(result.messages[1]?.type).toBe('system');
    expect(result.messages[1]?.text.toLowerCase()).toContain('summary');
    expect(result.messages.slice(2)).toEqual(given.slice(-3));
  });

  test('6. empty messages count in the approximate counter', async () => {
    const model = scriptedModel('Summary with empty messages.');
    const given = nineMessages();
    given[0] = human('1', '');
    given[3] = ai('4', '');
    const result = await summarizeMessages(given, {
      model,
      ...APPROXIMATE,
      maxTokens: 50,
      maxSummaryTokens: 10,
    });
    expect(result.messages).toHaveLength(2);
    expect(result.messages[0]?.text.toLowerCase()).toContain('summary');
    expect(result.messages[1]).toEqual(given[8]);
  });

  test('TOK-02: 7. nineteen of forty-one messages stay, and no room is reserved for the summary', async () => {
    const model = scriptedModel('Summary of many messages.');
    const given: BaseMessage[] = Array.from({ length: 20 }, (_, at) => at).flatMap((at) => [
      human(`h${String(at)}`, `Human message ${String(at)}`),
      ai(`a${String(at)}`, `AI response ${String(at)}`),
    ]);
    given.push(human('h40', 'Final message'));
    const result = await summarizeMessages(given, {
      model,
      ...LEN,
      maxTokens: 22,
      maxSummaryTokens: 0,
    });
    expect(result.messages).toHaveLength(20);
    expect(result.messages.slice(1)).toEqual(given.slice(22));
    expect(model.asked).toHaveLength(1);
  });

  test('TOK-04: 8. a later summary of the whole list extends the earlier one', async () => {
    expect(await twoRounds(LEN, { maxTokens: 6, maxSummaryTokens: 1 }, 'whole')).toBe(12);
  });

  test('9. the same holds for the approximate counter', async () => {
    expect(await twoRounds(APPROXIMATE, { maxTokens: 45, maxSummaryTokens: 15 }, 'whole')).toBe(12);
  });

  test('10. tool results leave together with their calls', async () => {
    const model = scriptedModel('Summary without the tools.');
    const call = { type: 'tool_call', args: { arg1: 'value1' } } as const;
    const given = [
      human('1', 'Message 1'),
      new AIMessage({
        id: '2',
        content: '',
        tool_calls: [
          { ...call, id: '1', name: 'tool_1' },
          { ...call, id: '2', name: 'tool_2' },
        ],
      }),
      new ToolMessage({ id: '3', tool_call_id: '1', content: 'Call tool 1' }),
      new ToolMessage({ id: '4', tool_call_id: '2', content: 'Call tool 2' }),
      ai('5', 'Response 1'),
      human('6', 'Message 2'),
    ];
    const result = await summarizeMessages(given, {
      model,
      ...LEN,
      maxTokens: 6,
      maxTokensBeforeSummary: 2,
      maxSummaryTokens: 1,
    });
    expect(result.messages).toHaveLength(3);
    expect(result.messages[0]?.type).toBe('system');
    expect(result.messages.slice(1)).toEqual(given.slice(4));
    expect(result.runningSummary?.summarized_message_ids).toEqual(['1', '2', '3', '4']);
  });

  test('TOK-03: 11. a message without an id is refused, even below the limit', async () => {
    const given = [human('1', 'Message 1'), new AIMessage('Response')];
    const options = { model: scriptedModel(), ...TRIM, maxTokens: 10, maxSummaryTokens: 1 };
    await expect(summarizeMessages(given, options)).rejects.toThrow(
      'Messages are required to have ID field',
    );
  });

  test('12. an id that was summarized before is refused', async () => {
    const model = scriptedModel();
    const options = { model, ...LEN, maxSummaryTokens: 1 };
    const given = nineMessages().slice(0, 3);
    const { runningSummary } = await summarizeMessages(given, { ...options, maxTokens: 2 });
    const more = [...given, ai('4', 'Response 2'), human('1', 'Message 1 again')];
    await expect(
      summarizeMessages(more, { ...options, maxTokens: 5, runningSummary }),
    ).rejects.toThrow('has already been summarized');
  });

  test('TOK-04: 13. a later summary of the remaining list extends the earlier one', async () => {
    expect(await twoRounds(LEN, { maxTokens: 6, maxSummaryTokens: 1 }, 'rest')).toBe(12);
  });

  test('NODE-01: 14. the node reads messages and writes the shorter list and its summary', async () => {
    const text = 'This is a summary of the conversation.';
    const model = scriptedModel(text);
    const node = new SummarizationNode({ model, ...LEN, maxTokens: 6, maxSummaryTokens: 1 });
    const given = nineMessages();
    const first = read(await node.invoke({ messages: given }), 'summarized_messages');
    expect(model.asked).toHaveLength(1);
    expect(first.messages).toHaveLength(4);
    expect(first.messages[0]?.type).toBe('system');
    expect(first.messages[0]?.text.toLowerCase()).toContain('summary');
    expect(first.messages.slice(1)).toEqual(given.slice(-3));
    expect(first.running).toMatchObject({
      summary: text,
      summarized_message_ids: ['1', '2', '3', '4', '5', '6'],
    });

    const context = { running_summary: first.running };
    const again = read(await node.invoke({ messages: given, context }), 'summarized_messages');
    expect(model.asked).toHaveLength(1);
    expect(again.messages[0]?.text).toBe(`${PREFIX}${text}`);
    expect(again.messages.slice(1)).toEqual(given.slice(-3));
  });

  test('NODE-02: 15. with equal keys, the node removes all messages first', async () => {
    const model = scriptedModel(FIRST, SECOND);
    const node = new SummarizationNode({
      model,
      ...LEN,
      maxTokens: 6,
      maxSummaryTokens: 1,
      outputMessagesKey: 'messages',
    });
    const given = sevenMessages();
    const first = read(await node.invoke({ messages: given }), 'messages');
    expect(first.messages.map(({ type }) => type)).toEqual(['remove', 'system', 'human']);
    expect(first.messages[1]?.text).toContain('summary');
    expect(first.messages[2]).toEqual(given[6]);
    expect(model.asked).toHaveLength(1);
    expect(first.running?.summarized_message_ids).toHaveLength(6);

    const more = eightMore();
    const context = { running_summary: first.running };
    const next = { messages: [...first.messages.slice(1), ...more], context };
    const second = read(await node.invoke(next), 'messages');
    expect(model.asked).toHaveLength(2);
    expectSecondQuestion(model.asked[1]);
    expect(second.messages).toHaveLength(5);
    expect(second.messages[0]?.type).toBe('remove');
    expect(second.messages[1]?.text).toContain('summary');
    expect(second.messages.slice(-3)).toEqual(more.slice(-3));
    expect(second.running?.summary).toBe(SECOND);
    expect(second.running?.summarized_message_ids).toHaveLength(12);
  });
});

function read(
  state: Record<string, unknown>,
  key: string,
): { messages: readonly BaseMessage[]; running: RunningSummary | undefined } {
  const context = state['context'] as { running_summary?: RunningSummary } | undefined;
  return { messages: state[key] as BaseMessage[], running: context?.running_summary };
}
