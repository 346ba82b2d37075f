/** The node inside real graphs of LangGraph.js. */
import { AIMessage, HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import {
  Annotation,
  END,
  MemorySaver,
  MessagesAnnotation,
  MessagesValue,
  messagesStateReducer,
  START,
  StateGraph,
  StateSchema,
} from '@langchain/langgraph';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { RunningSummary } from '#core/running-summary/running-summary.ts';
import type { ChatModelLike } from '#langgraph/summarization-options.ts';
import { SummarizationNode } from '#langgraph/summarization-node.ts';
import { SIX, nineMessages, scriptedModel, textsOf } from './scripted-model.ts';

interface Context {
  running_summary?: RunningSummary;
}

const Rewritten = Annotation.Root({
  ...MessagesAnnotation.spec,
  context: Annotation<Context>,
});
const Beside = Annotation.Root({
  ...Rewritten.spec,
  summarized_messages: Annotation<BaseMessage[]>,
});

/** Answers what it was given, so that a test sees it. */
function answering(messages: readonly BaseMessage[]): { messages: BaseMessage[] } {
  return { messages: [new AIMessage(`read ${String(messages.length)}`)] };
}

function rewritingGraph(model: ChatModelLike) {
  const node = new SummarizationNode({ ...SIX, model, outputMessagesKey: 'messages' });
  const graph = new StateGraph(Rewritten)
    .addNode('summarize', node)
    .addNode('answer', ({ messages }) => answering(messages))
    .addEdge(START, 'summarize')
    .addEdge('summarize', 'answer')
    .addEdge('answer', END)
    .compile({ checkpointer: new MemorySaver() });
  return { node, graph };
}

function besideGraph(model: ChatModelLike) {
  const node = new SummarizationNode({ ...SIX, model });
  const graph = new StateGraph(Beside)
    .addNode('summarize', node)
    .addNode('answer', (state) => answering(state.summarized_messages))
    .addEdge(START, 'summarize')
    .addEdge('summarize', 'answer')
    .addEdge('answer', END)
    .compile({ checkpointer: new MemorySaver() });
  return { node, graph };
}

function inThread(thread: string) {
  return { configurable: { thread_id: thread } };
}

describe('a graph with the node', () => {
  test('NODE-01: keeps the whole conversation beside the list that the agent reads', async () => {
    const model = scriptedModel('A summary.');
    const { graph } = besideGraph(model);
    const given = nineMessages();
    const state = await graph.invoke({ messages: given }, inThread('t'));
    expect(state.messages).toHaveLength(10);
    expect(state.messages.at(-1)?.text).toBe('read 4');
    expect(state.context.running_summary?.summarized_message_ids).toHaveLength(6);

    // The next turn goes on from the summary in the checkpoint.
    const next = await graph.invoke({ messages: [new HumanMessage('More')] }, inThread('t'));
    expect(model.asked).toHaveLength(1);
    expect(next.messages.at(-1)?.text).toBe('read 6');
  });

  test('NODE-02: rewrites the conversation turn by turn and keeps other keys', async () => {
    const model = scriptedModel('First.', 'Second.', 'Third.');
    const { graph } = rewritingGraph(model);
    let state = await graph.invoke({ messages: nineMessages() }, inThread('t'));
    expect(textsOf(state.messages).slice(1)).toEqual([
      'Message 4',
      'Response 4',
      'Latest message',
      'read 4',
    ]);
    for (let turn = 0; turn < 6; turn += 1) {
      const said = [new HumanMessage(`Turn ${String(turn)}`)];
      state = await graph.invoke({ messages: said }, inThread('t'));
      expect(state.messages.length).toBeLessThanOrEqual(7);
      expect(state.messages.at(-2)?.text).toBe(`Turn ${String(turn)}`);
      expect(state.messages.filter(({ type }) => type === 'system')).toHaveLength(1);
    }
    expect(model.asked.length).toBeGreaterThan(1);
    expect(state.context.running_summary?.summary).toBe('Third.');
  });

  test.each([
    ['beside', besideGraph],
    ['rewritten', rewritingGraph],
  ])('shows nothing of a summary in a stream of messages (%s)', async (_, make) => {
    const secret = 'The words of the summary.';
    const { graph } = make(new FakeListChatModel({ responses: [secret], emitCustomEvent: true }));
    const shown: BaseMessage[] = [];
    const stream = await graph.stream(
      { messages: nineMessages() },
      { ...inThread('t'), streamMode: 'messages' },
    );
    for await (const [message] of stream as AsyncIterable<[BaseMessage, unknown]>)
      shown.push(message);
    expect(textsOf(shown)).toEqual(['read 4']);
    const { values } = await graph.getState(inThread('t'));
    const { messages } = values as { messages: BaseMessage[]; summarized_messages?: BaseMessage[] };
    const { summarized_messages: beside } = values as { summarized_messages?: BaseMessage[] };
    expect((beside ?? messages)[0]?.text).toContain(secret);
  });

  test('uses one node for several threads at the same time', async () => {
    const model: ChatModelLike = {
      async invoke(messages) {
        const [who = ''] = /\bof \w+/u.exec(messages[0]?.text ?? '') ?? [];
        await new Promise((resolve) => {
          setTimeout(resolve, 5 + (who.length % 3) * 10);
        });
        return new AIMessage(`Summary ${who}.`);
      },
    };
    const { graph, node } = rewritingGraph(model);
    const threads = ['ann', 'bo', 'carla', 'dmitri', 'eve'];
    const states = await Promise.all(
      threads.map((name) => {
        const messages = nineMessages().map((message) =>
          message.type === 'human'
            ? new HumanMessage({ id: String(message.id), content: `${message.text} of ${name}` })
            : message,
        );
        return graph.invoke({ messages }, inThread(name));
      }),
    );
    for (const [at, state] of states.entries()) {
      expect(state.context.running_summary?.summary).toBe(`Summary of ${String(threads[at])}.`);
      expect(state.messages.at(-2)?.text).toBe(`Latest message of ${String(threads[at])}`);
    }
    await node.settled();
  });

  test('accepts a null context, and refuses a state without messages', async () => {
    const node = new SummarizationNode({ ...SIX, model: scriptedModel('A summary.') });
    const written = await node.invoke({ messages: nineMessages(), context: null });
    expect(written['context']).toBeDefined();
    await expect(node.invoke({ other: [] })).rejects.toThrow('Missing required field "messages"');
    await expect(node.invoke('text' as never)).rejects.toThrow('Invalid input type');
    const context = { running_summary: null, user: 'ann' };
    const kept = await node.invoke({ messages: nineMessages(), context });
    expect(kept['context']).toMatchObject({
      user: 'ann',
      running_summary: { summary: 'A summary.' },
    });
  });

  test('may have a schema as its state', async () => {
    const State = new StateSchema({
      messages: MessagesValue,
      summarized_messages: z.array(z.custom<BaseMessage>()).optional(),
      context: z.record(z.string(), z.unknown()).optional(),
    });
    const node = new SummarizationNode({ ...SIX, model: scriptedModel('A summary.') });
    const graph = new StateGraph(State)
      .addNode('summarize', node)
      .addEdge(START, 'summarize')
      .addEdge('summarize', END)
      .compile();
    const state = await graph.invoke({ messages: nineMessages() });
    expect(state.summarized_messages).toHaveLength(4);
    expect(state.context).toMatchObject({ running_summary: { summary: 'A summary.' } });
  });

  test('NODE-01: may be a prebuilt agent with the node as its hook before the model', async () => {
    const read: number[] = [];
    class CountingModel extends FakeListChatModel {
      override _generate(...given: Parameters<FakeListChatModel['_generate']>) {
        read.push(given[0].length);
        return super._generate(...given);
      }
      override bindTools(): this {
        return this;
      }
    }
    const preModelHook = new SummarizationNode({
      ...SIX,
      model: scriptedModel('A summary.'),
      outputMessagesKey: 'llmInputMessages',
    });
    const agent = createReactAgent({
      llm: new CountingModel({ responses: ['Yes.'] }),
      tools: [],
      preModelHook,
      stateSchema: Rewritten,
    });
    const state = await agent.invoke({ messages: nineMessages() });
    expect(read).toEqual([4]);
    expect(state.messages).toHaveLength(10);
  });

  test('has a reducer that accepts what the node removes and writes', async () => {
    const node = new SummarizationNode({
      ...SIX,
      model: scriptedModel('A summary.'),
      outputMessagesKey: 'messages',
    });
    const { messages } = await node.invoke({ messages: nineMessages() });
    expect(messagesStateReducer(nineMessages(), messages as BaseMessage[])).toHaveLength(4);
  });

  test('keeps the state of the thread unchanged if the model fails', async () => {
    const { graph } = rewritingGraph(scriptedModel(new Error('down'), 'A summary.'));
    await graph.updateState(inThread('t'), { messages: nineMessages() });
    const before = await graph.getState(inThread('t'));
    await expect(graph.invoke({ messages: [] }, inThread('t'))).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
    });
    const { values } = await graph.getState(inThread('t'));
    expect(values).toEqual(before.values);
    const state = await graph.invoke({ messages: [] }, inThread('t'));
    expect(state.messages.at(-1)?.text).toBe('read 4');
  });
});

test.each([
  ['no model', { model: undefined }, 'model is undefined'],
  ['null for a model', { model: null }, 'model is null'],
  ['the name of a model', { model: 'gpt' }, 'model is string'],
  ['an unknown way', { oversize: 'trimm' }, 'oversize is "trimm". Expected "chunk" or "trim".'],
  ['a misspelled option', { maxSummaryToken: 20 }, 'did you mean maxSummaryTokens?'],
])('a node refuses %s when it is made', (_, wrong, message) => {
  const options = { ...SIX, model: scriptedModel(), ...wrong } as never;
  expect(() => new SummarizationNode(options)).toThrow(message);
});
