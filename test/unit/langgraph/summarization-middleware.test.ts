/** The middleware inside a real agent of LangChain. */
import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from '@langchain/core/messages';
import { FakeListChatModel, FakeStreamingChatModel } from '@langchain/core/utils/testing';
import { MemorySaver } from '@langchain/langgraph';
import { createAgent, createMiddleware } from 'langchain';
import { describe, expect, test } from 'vitest';
import { summarizationMiddleware } from '#langgraph/summarization-middleware.ts';
import { SIX, nineMessages, scriptedModel, textsOf } from './scripted-model.ts';

const THREAD = { configurable: { thread_id: 't' } };

/** Sees the request as the model would, and answers in its place. */
function seeing() {
  const seen: { system: string; messages: readonly BaseMessage[] }[] = [];
  const middleware = createMiddleware({
    name: 'seeing',
    wrapModelCall: (request) => {
      seen.push({ system: request.systemMessage.text, messages: request.messages });
      return Promise.resolve(new AIMessage(`Answer ${String(seen.length)}`));
    },
  });
  return { seen, middleware };
}

describe('the middleware of an agent', () => {
  test('gives the model the summary and later messages, and the state keeps everything', async () => {
    const model = scriptedModel('Ann lives in Bern.', 'Ann lives in Bern and likes tea.');
    const summarizing = summarizationMiddleware({ ...SIX, model });
    const { seen, middleware } = seeing();
    const agent = createAgent({
      model: new FakeListChatModel({ responses: ['never'] }),
      systemPrompt: 'Be kind.',
      middleware: [summarizing, middleware],
      checkpointer: new MemorySaver(),
    });
    const first = await agent.invoke({ messages: nineMessages() }, THREAD);
    expect(first.messages).toHaveLength(10);
    expect(seen[0]?.system).toBe(
      'Be kind.\n\nSummary of the conversation so far: Ann lives in Bern.',
    );
    expect(textsOf(seen[0]?.messages ?? [])).toEqual(['Message 4', 'Response 4', 'Latest message']);

    // The summary of the turn before is read from the checkpoint, and made again when it must be.
    await agent.invoke({ messages: [new HumanMessage('More')] }, THREAD);
    expect(model.asked).toHaveLength(1);
    expect(textsOf(seen[1]?.messages ?? []).at(-1)).toBe('More');
    const last = await agent.invoke({ messages: [new HumanMessage('And more')] }, THREAD);
    expect(model.asked).toHaveLength(2);
    expect(model.asked[1]?.at(-1)?.text).toContain('Ann lives in Bern.');
    expect(seen[2]?.system).toContain('likes tea');
    expect(last.messages).toHaveLength(14);
    await summarizing.settled();
  });

  test('changes nothing below the limit, and a summary needs no system prompt', async () => {
    const model = scriptedModel('A summary.');
    const { seen, middleware } = seeing();
    const agent = createAgent({
      model: new FakeListChatModel({ responses: ['never'] }),
      middleware: [summarizationMiddleware({ ...SIX, model }), middleware],
    });
    await agent.invoke({ messages: nineMessages().slice(0, 3) });
    expect(model.asked).toEqual([]);
    expect(seen[0]).toMatchObject({ system: '' });
    expect(seen[0]?.messages).toHaveLength(3);
    await agent.invoke({ messages: nineMessages() });
    expect(seen[1]?.system).toBe('Summary of the conversation so far: A summary.');
  });

  test('shows only the answer in a stream of messages', async () => {
    const summaries = new FakeListChatModel({ responses: ['The words of the summary.'] });
    const agent = createAgent({
      model: new FakeStreamingChatModel({ responses: [new AIMessage('The answer')] }),
      middleware: [summarizationMiddleware({ ...SIX, model: summaries })],
    });
    const shown: string[] = [];
    const stream = await agent.stream({ messages: nineMessages() }, { streamMode: 'messages' });
    for await (const [message] of stream as AsyncIterable<[BaseMessage, unknown]>) {
      shown.push(message.text);
    }
    expect(shown.join('')).toContain('The answer');
    expect(shown.join('')).not.toContain('summary');
  });

  test('passes the thread to its hook', async () => {
    const threads: (string | null)[] = [];
    const summarizing = summarizationMiddleware({
      ...SIX,
      model: scriptedModel('A summary.'),
      memoryFlushHook: ({ threadId }) => threads.push(threadId),
    });
    const { middleware } = seeing();
    const agent = createAgent({
      model: new FakeListChatModel({ responses: ['never'] }),
      middleware: [summarizing, middleware],
      checkpointer: new MemorySaver(),
    });
    await agent.invoke({ messages: nineMessages() }, THREAD);
    await summarizing.settled();
    expect(threads).toEqual(['t']);
  });

  test('gives the model the system messages and tool pairs in the state', async () => {
    const { seen, middleware } = seeing();
    const agent = createAgent({
      model: new FakeListChatModel({ responses: ['never'] }),
      middleware: [
        summarizationMiddleware({ ...SIX, model: scriptedModel('A summary.') }),
        middleware,
      ],
    });
    const call = { type: 'tool_call', id: 'a', name: 'search', args: {} } as const;
    const messages = [
      new SystemMessage({ id: 's', content: 'Policy.' }),
      ...nineMessages(),
      new AIMessage({ id: '10', content: '', tool_calls: [call] }),
      new ToolMessage({ id: '11', tool_call_id: 'a', content: 'found' }),
    ];
    await agent.invoke({ messages });
    expect(textsOf(seen[0]?.messages ?? [])).toContain('Policy.');
    expect(seen[0]?.messages.slice(-2).map(({ type }) => type)).toEqual(['ai', 'tool']);
  });
});
