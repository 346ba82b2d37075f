import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { expect, test } from 'vitest';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { addThreadMessages, MemoryFlushes } from '#langgraph/memory-flush-hooks.ts';
import { openLibrary } from '#test/unit/library/open-library.ts';
import { shared } from '#test/shared-fixture.ts';

const library = shared(openLibrary);

const EVENT = {
  id: 'flush-1',
  threadId: 'thread-1',
  messages: [
    new HumanMessage({ id: 'm1', content: 'I live in Lyon.' }),
    new AIMessage({ id: 'm2', content: 'I live in the cloud.' }),
    new ToolMessage({ id: 'm3', content: 'I live in Rome.', tool_call_id: 'c1' }),
    new HumanMessage({ id: 'm4', content: [{ type: 'text', text: 'I moved to Berlin.' }] }),
  ],
  preservedMessages: [],
  runningSummary: {
    summary: 'A summary.',
    summarized_message_ids: [],
    last_summarized_message_id: null,
  },
  configurable: { user: 'ann' },
};

test('the hook stores lasting statements of leaving messages once, for the user of the thread', async () => {
  const { memory } = library().varve;
  const hook = addThreadMessages({
    memory,
    tenant: 'acme',
    identifiers: ({ configurable }) => ({ userId: String(configurable['user']) }),
  });
  const flushes = new MemoryFlushes(hook, { log: SILENT_LOG });
  const listed = async () => {
    const identifiers = { userId: 'ann' };
    const of = { tenant: 'acme', identifiers, latestOnly: false, order: 'oldest' } as const;
    return (await memory.list(of)).memories.map(({ content, state }) => [content, state]);
  };
  flushes.begin(EVENT);
  await flushes.settled();
  const kept = [
    ['I live in Lyon.', 'superseded'],
    ['I moved to Berlin.', 'active'],
  ];
  expect(await listed()).toEqual(kept);
  flushes.begin(EVENT);
  await flushes.settled();
  expect(await listed()).toEqual(kept);
});

test('the hook passes on a message above the longest one of a call in parts, and the others', async () => {
  const { memory } = library().varve;
  const said: Parameters<typeof memory.addMessages>[0]['messages'][number][] = [];
  const addMessages: typeof memory.addMessages = (input) => {
    said.push(...input.messages);
    return memory.addMessages(input);
  };
  const of = { tenant: 'long', identifiers: { userId: 'ann' } };
  const long = 'The weather was rather fine.\n\n'.repeat(10_000);
  const messages = [
    new HumanMessage({ id: 'm1', content: long }),
    new HumanMessage({ id: 'm2', content: 'I have a cat called Rex.' }),
  ];
  const { signal } = new AbortController();
  await addThreadMessages({ memory: { addMessages }, ...of })({ ...EVENT, messages, signal });
  expect(said.map(({ id }) => id)).toEqual(['m1', 'm1/chunk-2', 'm2']);
  const parts = said.slice(0, 2).map(({ content }) => content);
  expect(parts.join('')).toBe(long);
  const { memories } = await memory.list(of);
  expect(memories.map(({ content }) => content)).toEqual(['I have a cat called Rex.']);
});
