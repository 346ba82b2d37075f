/** Calls of tools and their results in imported chats, in the formats that programs write. */
import { expect, test } from 'vitest';
import { readInput } from '#cli/import/read-input.ts';
import { writeImportedItems } from '#cli/import/write-imported-items.ts';
import { CONTENT_LENGTH_MAX } from '#core/records/memory.ts';
import { failureOf } from '#test/unit/failures.ts';
import { END_TIME, fileOf, imported, jsonLines } from '#test/unit/import/input-folder.ts';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'ann' };

/** Imports a chat twice; answers what its session then has, and what each import appended. */
async function storedOf(chat: readonly object[]) {
  const tenant = newTenant();
  const { varve } = library();
  const path = fileOf('chat.jsonl', jsonLines(...chat));
  const appended: number[] = [];
  for (let times = 0; times < 2; times += 1) {
    const items = readInput(path, { endTime: END_TIME, identifiers });
    const { turns, differingIds } = await writeImportedItems(items, varve, { tenant, identifiers });
    expect(differingIds).toEqual([]);
    appended.push(turns);
  }
  const session = { tenant, sessionId: 'in-chat' };
  const { messages } = await varve.conversation.messages(session);
  return { session, messages, appended };
}

const ASKED = { role: 'user', content: 'How warm is it in Porto and in Faro?' };
const WARM = '19 degrees in Porto.';
const CALLS = [
  { id: 'c1', name: 'weather', arguments: { city: 'Porto', days: 1 } },
  { id: 'c2', name: 'search', arguments: { value: 'Faro weather' } },
];

const OF_OPENAI = [
  ASKED,
  {
    role: 'assistant',
    tool_calls: [
      {
        ...{ id: 'c1', type: 'function' },
        function: { name: 'weather', arguments: '{"city":"Porto","days":1}' },
      },
      { id: 'c2', type: 'custom', custom: { name: 'search', input: 'Faro weather' } },
    ],
  },
  { role: 'tool', tool_call_id: 'c1', content: WARM },
  { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: 'No page.' }] },
  { role: 'assistant', content: '19 degrees.' },
];
const OF_ANTHROPIC = [
  ASKED,
  {
    role: 'assistant',
    content: [
      { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Porto', days: 1 } },
      { type: 'tool_use', id: 'c2', name: 'search', input: 'Faro weather' },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'c1', content: WARM },
      {
        ...{ type: 'tool_result', tool_use_id: 'c2' },
        content: [{ type: 'text', text: 'No page.' }, { type: 'image' }],
      },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: '19 degrees.' }] },
];

test.each([
  ['OpenAI', OF_OPENAI],
  ['Anthropic', OF_ANTHROPIC],
])('IMPORT-12: an imported chat of %s keeps calls of tools and results', async (_, chat) => {
  const { messages, appended } = await storedOf(chat);
  expect(messages).toMatchObject([
    { role: 'user', toolCalls: [] },
    { role: 'assistant', toolCalls: CALLS },
    { role: 'tool', speaker: 'weather', toolCallId: 'c1', content: WARM },
    { role: 'tool', speaker: 'search', toolCallId: 'c2', content: 'No page.' },
    { role: 'assistant', toolCalls: [], content: '19 degrees.' },
  ]);
  expect(appended).toEqual([5, 0]);
});

test('an imported message keeps its text beside its call, and its id before those of results', async () => {
  const use = { type: 'tool_use', id: 'c1', name: 'weather', input: {} };
  const result = { type: 'tool_result', tool_use_id: 'c1', content: WARM };
  const { messages } = await storedOf([
    { role: 'assistant', id: 'm1', content: [{ type: 'text', text: 'Let me look.' }, use] },
    { role: 'user', id: 'm2', content: [result, { type: 'text', text: 'And in Faro?' }] },
    {
      ...{ role: 'assistant', id: 'm3', content: null },
      function_call: { name: 'weather', arguments: '{"city":"Faro"' },
    },
    { role: 'function', id: 'm4', name: 'weather', content: '22 degrees.' },
  ]);
  expect(messages).toMatchObject([
    { id: 'm1', content: 'Let me look.', toolCalls: [{ id: 'c1' }] },
    { id: 'm2~result-1', role: 'tool', toolCallId: 'c1', content: WARM },
    { id: 'm2', role: 'user', content: 'And in Faro?' },
    { id: 'm3', toolCalls: [{ id: 'call-1', arguments: { value: '{"city":"Faro"' } }] },
    { id: 'm4', role: 'tool', speaker: 'weather', toolCallId: null },
  ]);
});

test('calls behind an imported text without room are its last part, and are deleted with it', async () => {
  const content = 'A sentence to say. '.repeat(CONTENT_LENGTH_MAX / 8).slice(0, CONTENT_LENGTH_MAX);
  const named = { name: 'note', arguments: JSON.stringify({ text: 'x'.repeat(100) }) };
  const tool_calls = [{ id: 'c1', function: named }];
  const { session, messages, appended } = await storedOf([
    { role: 'assistant', id: 'm1', content, tool_calls },
    ASKED,
  ]);
  expect(messages.map(({ id, toolCalls }) => [id, toolCalls.length]).slice(0, 2)).toEqual([
    ['m1', 0],
    ['m1/part-2', 1],
  ]);
  expect(appended).toEqual([3, 0]);
  const { conversation } = library().varve;
  await conversation.delete({ ...session, turnIds: ['m1'] });
  expect((await conversation.messages(session)).messages).toMatchObject([{ role: 'user' }]);
});

test('arguments that no append takes are imported as text', async () => {
  const deep = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) as object;
  const { messages } = await storedOf([
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'c1', name: 'put', input: deep },
        { type: 'tool_use', id: 'c2', name: 'put', input: { text: 'a\0b' } },
        { type: 'tool_use', id: 'c3', name: 'put', input: { text: 'x'.repeat(5_000) } },
      ],
    },
  ]);
  expect(messages[0]?.toolCalls).toMatchObject([
    { arguments: { cut: JSON.stringify(deep) } },
    { arguments: { cut: String.raw`{"text":"a\u0000b"}` } },
    { arguments: { cut: expect.stringMatching(/^.{4000}$/u) as string } },
  ]);
});

test('IMPORT-17: a message without content and calls is refused, and so is a name that is too long', async () => {
  const called = { id: 'c1', function: { name: 'x'.repeat(300) } };
  for (const [message, problem] of [
    [{ role: 'assistant', tool_calls: [] }, /line 2: "content": it is missing/],
    [{ role: 'assistant', tool_calls: [called] }, /line 2: "toolCalls\.0\.name"/],
  ] as const) {
    const error = await failureOf(imported(fileOf('chat.jsonl', jsonLines(ASKED, message))));
    expect(error.message).toMatch(problem);
  }
});
