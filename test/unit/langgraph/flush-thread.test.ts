import { AIMessage, ChatMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { describe, expect, test } from 'vitest';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { TURN_LENGTH_MAX } from '#core/records/turn.ts';
import { addThreadMessages, flushThread, SummarizationNode } from '#langgraph/index.ts';
import { newTenant, openLibrary } from '#test/unit/library/open-library.ts';
import { shared } from '#test/shared-fixture.ts';

const library = shared(openLibrary);

const MESSAGES = [
  new HumanMessage({ id: 'm1', content: 'I live in Lyon.' }),
  new AIMessage({ id: 'm2', content: 'The billing service moves to Postgres in March.' }),
  new ToolMessage({ id: 'm3', content: 'The disk is full.', tool_call_id: 'c1' }),
  new HumanMessage({ id: 'm4', content: 'What is next?' }),
];
const SAID =
  '- user: I live in Lyon.\n- assistant: The billing service moves to Postgres in March.\n';

const identifiers = { userId: 'ann' };

const EVENT = {
  ...{ id: 'flush-1', threadId: 'thread-1', preservedMessages: [], configurable: {} },
  runningSummary: {
    summary: 'A summary.',
    summarized_message_ids: [],
    last_summarized_message_id: null,
  },
};

function nodeFor(tenant: string, told: (string | null)[][]): SummarizationNode {
  const memoryFlushHook = flushThread({
    conversation: library().varve.conversation,
    tenant,
    identifiers: ({ configurable }) => ({ userId: String(configurable['user']) }),
    onDailySummary: (summary, { threadId }) => told.push([threadId, summary]),
  });
  return new SummarizationNode({
    model: new FakeListChatModel({ responses: ['A summary.'] }),
    maxTokens: 25,
    maxSummaryTokens: 5,
    log: SILENT_LOG,
    memoryFlushHook,
  });
}

describe('messages that leave a thread', () => {
  test('TOK-05, TIER-05: become a block of the daily file once, and a callback gets it', async () => {
    const told: (string | null)[][] = [];
    const node = nodeFor('thread', told);
    const config = { configurable: { thread_id: 'thread-1', user: 'ann' } };
    for (let round = 0; round < 2; round += 1) {
      await node.invoke({ messages: MESSAGES }, config);
      await node.settled();
    }
    expect(told).toEqual([['thread-1', SAID]]);
    const { memories } = await library().varve.memory.list({
      tenant: 'thread',
      identifiers: { userId: 'ann' },
    });
    expect(memories.map(({ content }) => content)).toEqual(['I live in Lyon.']);
    const subject = { kind: 'user', id: 'ann' } as const;
    const file = await library().varve.daily.get({ tenant: 'thread', subject });
    expect(file?.text).toContain('## Trimmed Context (');
    expect(file?.lines).toHaveLength(2);
  });

  test('include tool calls and results, except for omitted tools', async () => {
    const calls = [
      { id: 'c1', name: 'disk', args: { path: '/var' } },
      { id: 'c2', name: 'recall', args: { about: 'Ann' } },
    ];
    const hook = flushThread({
      conversation: library().varve.conversation,
      tenant: 'tools',
      identifiers: { userId: 'ann' },
      omitTools: ['recall'],
    });
    const messages = [
      new AIMessage({ id: 'm1', content: '', tool_calls: calls }),
      new ToolMessage({ id: 'm2', content: 'Full.', tool_call_id: 'c1' }),
      new ToolMessage({ id: 'm3', content: 'Ann lives in Lyon.', tool_call_id: 'c2' }),
    ];
    const { signal } = new AbortController();
    await hook({ ...EVENT, messages, signal });
    const page = { tenant: 'tools', sessionId: 'thread-1' };
    const kept = await library().varve.conversation.messages(page);
    const toolCalls = [{ id: 'c1', name: 'disk', arguments: { path: '/var' } }];
    expect(kept.messages).toMatchObject([
      { id: 'm1', role: 'assistant', content: '', toolCalls },
      { id: 'm2', role: 'tool', content: 'Full.', toolCallId: 'c1', speaker: 'disk' },
    ]);
    expect(kept.messages).toHaveLength(2);
  });

  test('of a tool with a blank name get the name of the call that they answer', async () => {
    const tenant = newTenant();
    const hook = flushThread({ conversation: library().varve.conversation, tenant, identifiers });
    const messages = [
      new AIMessage({ id: 'm1', content: '', tool_calls: [{ id: 'c1', name: 'disk', args: {} }] }),
      new ToolMessage({ id: 'm2', name: ' ', content: 'Full.', tool_call_id: 'c1' }),
      new ToolMessage({ id: 'm3', name: '', content: 'Empty.', tool_call_id: 'c2' }),
    ];
    await hook({ ...EVENT, messages, signal: new AbortController().signal });
    const kept = await library().varve.conversation.messages({ tenant, sessionId: 'thread-1' });
    expect(kept.messages.map(({ speaker }) => speaker)).toEqual([null, 'disk', null]);
  });

  test('are appended in calls that an API reads, tool calls included', async () => {
    const { conversation } = library().varve;
    const sizes: number[] = [];
    const append: typeof conversation.append = (call) => {
      sizes.push(JSON.stringify(call).length);
      return conversation.append(call);
    };
    const call = (at: number) => ({
      id: `c${String(at)}`,
      name: 'write',
      args: { text: 'x'.repeat(3_900) },
    });
    const messages = Array.from({ length: 60 }, (_, at) => {
      return new AIMessage({
        id: `m${String(at)}`,
        content: '',
        tool_calls: [1, 2, 3, 4].map(call),
      });
    });
    const flush = () => Promise.resolve({ daily: null });
    const hook = flushThread({ conversation: { append, flush }, tenant: newTenant(), identifiers });
    await hook({ ...EVENT, messages, signal: new AbortController().signal });
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(450_000);
  });

  test('have one effect if the flush was lost after they were appended, and they come again', async () => {
    const { conversation, daily, memory } = library().varve;
    const of = { tenant: newTenant(), identifiers };
    const append = conversation.append.bind(conversation);
    const lost = { append, flush: () => Promise.reject(new Error('the process ended')) };
    const event = { ...EVENT, messages: MESSAGES, signal: new AbortController().signal };
    const failed = flushThread({ conversation: lost, ...of })(event);
    await expect(failed).rejects.toThrow('the process ended');
    for (let round = 0; round < 2; round += 1) await flushThread({ conversation, ...of })(event);
    const page = { tenant: of.tenant, sessionId: 'thread-1' };
    const kept = await conversation.messages(page);
    expect(kept.messages.map(({ id }) => id)).toEqual(MESSAGES.map(({ id }) => id));
    const { memories } = await memory.list(of);
    expect(memories.map(({ content }) => content)).toEqual(['I live in Lyon.']);
    const subject = { kind: 'user', id: 'ann' } as const;
    const file = await daily.get({ tenant: of.tenant, subject });
    expect(file?.text.match(/## Trimmed Context/gu)).toHaveLength(1);
  });

  test('are stored whole if one is above the longest turn, once, beside the others', async () => {
    const { conversation } = library().varve;
    const tenant = newTenant();
    const append = conversation.append.bind(conversation);
    const appending = { append, flush: () => Promise.resolve({ daily: null }) };
    const hook = flushThread({ conversation: appending, tenant, identifiers });
    const long = Array.from({ length: 30_000 }, (_, at) => `Line ${String(at)} of it.\n`).join('');
    const calls = [{ id: 'c1', name: 'disk', args: { path: '/var' } }];
    const messages = [
      new HumanMessage({ id: 'm1', content: 'I live in Lyon.' }),
      new HumanMessage({ id: 'm2', content: long }),
      new AIMessage({ id: 'm3', content: long, tool_calls: calls }),
      new HumanMessage({ id: 'm4', content: 'I row on Mondays.' }),
    ];
    const { signal } = new AbortController();
    for (let round = 0; round < 2; round += 1) await hook({ ...EVENT, messages, signal });
    const page = { tenant, sessionId: 'thread-1', limit: 1_000 };
    const { messages: kept } = await conversation.messages(page);
    const textOf = (id: string) =>
      kept
        .filter((turn) => turn.id.startsWith(id))
        .map(({ content }) => content)
        .join('');
    expect(long.length).toBeGreaterThan(TURN_LENGTH_MAX);
    expect(textOf('m2')).toBe(long);
    expect(textOf('m3')).toBe(long);
    expect([textOf('m1'), textOf('m4')]).toEqual(['I live in Lyon.', 'I row on Mondays.']);
    expect(kept.flatMap(({ toolCalls }) => toolCalls)).toMatchObject([{ id: 'c1' }]);
    expect(kept.at(-2)?.toolCalls).toHaveLength(1);
  });

  test('are sent in calls that a running API takes', async () => {
    const sent: number[] = [];
    const append = ({ turns }: { turns: object[] }) => {
      sent.push(Buffer.byteLength(JSON.stringify({ turns })));
      return Promise.resolve();
    };
    const conversation = { append, flush: () => Promise.resolve({ daily: null }) };
    const hook = flushThread({ conversation, tenant: 'acme', identifiers: {} });
    const said = (id: number) =>
      new HumanMessage({ id: String(id), content: '你好'.repeat(60_000) });
    const { signal } = new AbortController();
    await hook({ ...EVENT, messages: Array.from({ length: 20 }, (_, id) => said(id)), signal });
    expect(Math.max(...sent)).toBeLessThan(4 * 1_024 * 1_024);
    expect(sent.length).toBeLessThan(10);
  });

  test('leave out the instructions and the newest question, also as a ChatMessage', async () => {
    const system = new ChatMessage({ id: 's', role: 'system', content: 'Be kind.' });
    const asked = new ChatMessage({ id: 'q', role: 'human', content: 'And?' });
    const messages = [system, ...MESSAGES.slice(0, 2), asked, new AIMessage('Wait.')];
    const node = nodeFor('chat', []);
    const config = { configurable: { thread_id: 'thread-1', user: 'ann' } };
    const state = await node.invoke({ messages }, config);
    await node.settled();
    expect(state['summarized_messages']).toEqual(expect.arrayContaining([system, asked]));
    const page = { tenant: 'chat', sessionId: 'thread-1' };
    const kept = await library().varve.conversation.messages(page);
    expect(kept.messages.map(({ id }) => id)).toEqual(['m1', 'm2']);
  });

  test.each([
    ['human', 'user'],
    ['Human', 'user'],
    ['user', 'user'],
    ['ai', 'assistant'],
    ['assistant', 'assistant'],
  ])('keep the words of a ChatMessage of the role "%s", as those of the %s', async (name, role) => {
    const { conversation, memory } = library().varve;
    const tenant = newTenant();
    const of = { tenant, identifiers: { userId: 'ann' } };
    const messages = [new ChatMessage({ id: 'm1', role: name, content: 'I live in Lyon.' })];
    const { signal } = new AbortController();
    await flushThread({ conversation, ...of })({ ...EVENT, messages, signal });
    const kept = await conversation.messages({ tenant, sessionId: 'thread-1' });
    expect(kept.messages).toMatchObject([{ id: 'm1', role, content: 'I live in Lyon.' }]);
    const other = { tenant: newTenant(), identifiers: of.identifiers };
    await addThreadMessages({ memory, ...other })({ ...EVENT, messages, signal });
    const { memories } = await memory.list(other);
    expect(memories).toHaveLength(role === 'user' ? 1 : 0);
  });

  test('become a separate session outside a thread', async () => {
    const told: (string | null)[][] = [];
    const node = nodeFor('alone', told);
    await node.invoke({ messages: MESSAGES }, { configurable: { user: 'ann' } });
    await node.settled();
    expect(told).toEqual([[null, SAID]]);
  });
});
