/** A model forgets what a search returned, if the app allows it, and nothing that is not open. */
import { generateText, stepCountIs, wrapLanguageModel } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { memoryMiddleware, memoryTools } from '#ai-sdk/index.ts';
import { thrownBy } from '#test/unit/failures.ts';
import { newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';

const library = sharedLibrary();
const ANN = { userId: 'ann' };
const NO_CONTEXT = { toolCallId: 'c', messages: [], context: {} } as never;

function toolsOf(tenant: string, identifiers: Readonly<Record<string, string>> = ANN) {
  const tools = memoryTools({ varve: library().varve, tenant, identifiers, forget: true });
  return {
    search: async (query: string) => {
      const found = await tools.searchMemory.execute?.({ query, limit: 5 }, NO_CONTEXT);
      return found as readonly { id?: string; sessionId?: string; text: string }[];
    },
    forget: async (named: { id: string; sessionId?: string }) =>
      tools.forgetMemory.execute?.(named, NO_CONTEXT),
  };
}

async function remembered(tenant: string, layer: 'user' | 'team', identifiers: object) {
  const content = 'Ann is allergic to walnuts.';
  const said = { tenant, layer, identifiers: { ...identifiers }, content };
  return (await library().varve.memory.add(said)).memory.id;
}

async function said(tenant: string, sessionId: string, identifiers = ANN) {
  const turns = [{ id: 'turn-1', role: 'user' as const, content: 'I am allergic to walnuts.' }];
  await library().varve.conversation.append({ tenant, sessionId, identifiers, turns });
}

describe('memoryTools that may forget', () => {
  test('forget a memory by the id that a search returned', async () => {
    const tenant = newTenant();
    const id = await remembered(tenant, 'user', ANN);
    const { search, forget } = toolsOf(tenant);
    expect(await search('allergic to walnuts')).toMatchObject([{ id }]);
    expect(await forget({ id })).toEqual({ forgotten: true });
    expect(await search('allergic to walnuts')).toEqual([]);
    expect(await library().varve.memory.get({ tenant, id })).toBeNull();
  });

  test('forget a turn by its id and session', async () => {
    const tenant = newTenant();
    await said(tenant, 'monday');
    const { search, forget } = toolsOf(tenant);
    const [hit] = await search('allergic to walnuts');
    expect(hit).toMatchObject({ id: 'turn-1', sessionId: 'monday' });
    const why = expect.stringContaining('A turn is forgotten by its id and sessionId.') as string;
    expect(await forget({ id: 'turn-1' })).toEqual({ forgotten: false, why });
    expect(await forget({ id: 'turn-1', sessionId: 'monday' })).toEqual({ forgotten: true });
    expect(await search('allergic to walnuts')).toEqual([]);
  });

  const BOB = { userId: 'bob' };
  test.each([
    ['a memory of another user', 'user', BOB, ANN],
    ['a memory of a team that they do not name', 'team', { teamId: 'red' }, ANN],
    ['a memory of another team', 'team', { teamId: 'red' }, { ...ANN, teamId: 'blue' }],
  ] as const)('leave %s', async (_whose, layer, owner, identifiers) => {
    const tenant = newTenant();
    const id = await remembered(tenant, layer, owner);
    const answer = await toolsOf(tenant, identifiers).forget({ id });
    expect(answer).toEqual({ forgotten: false, why: expect.stringContaining(id) as string });
    expect(await library().varve.memory.get({ tenant, id })).not.toBeNull();
    const own = toolsOf(tenant, owner);
    expect(await own.forget({ id })).toEqual({ forgotten: true });
  });

  test.each([
    ['of another user', 'turn-1', 'his', BOB],
    ['of an unknown session', 'turn-1', 'nowhere', ANN],
    ['of an unknown id', 'turn-9', 'his', ANN],
  ])('leave a turn %s', async (_which, id, sessionId, owner) => {
    const tenant = newTenant();
    await said(tenant, 'his', owner);
    const answer = await toolsOf(tenant).forget({ id, sessionId });
    expect(answer).toEqual({ forgotten: false, why: expect.stringContaining(id) as string });
    const read = await library().varve.conversation.messages({ tenant, sessionId: 'his' });
    expect(read.messages).toHaveLength(1);
  });

  test('answer that an unknown id is forgotten already, or not open', async () => {
    const answer = await toolsOf(newTenant()).forget({ id: 'nothing' });
    expect(answer).toMatchObject({ forgotten: false });
  });
});

test.each([[{}], [{ forget: false }]])(
  'with %j, no tool forgets, and no hit has an id',
  async (more) => {
    const tenant = newTenant();
    await remembered(tenant, 'user', ANN);
    const tools = memoryTools({ varve: library().varve, tenant, identifiers: ANN, ...more });
    expect(Object.keys(tools)).toEqual(['searchMemory', 'addMemory']);
    const query = 'allergic to walnuts';
    const found = await tools.searchMemory.execute?.({ query, limit: 1 }, NO_CONTEXT);
    const [hit] = found as readonly object[];
    expect(Object.keys(hit ?? {})).toEqual(['source', 'text', 'date', 'score']);
  },
);

test('a search names who said a turn, so that no one takes it for the words of the user', async () => {
  const tenant = newTenant();
  const turns = [
    { role: 'user' as const, speaker: 'Ben', content: 'I am allergic to walnuts.' },
    { role: 'user' as const, content: 'I can eat walnuts.' },
  ];
  const varve = library().varve;
  await varve.conversation.append({ tenant, sessionId: 'call', identifiers: ANN, turns });
  const tools = memoryTools({ varve, tenant, identifiers: ANN });
  const found = await tools.searchMemory.execute?.({ query: 'walnuts', limit: 5 }, NO_CONTEXT);
  expect(found).toHaveLength(2);
  expect(found).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ speaker: 'Ben', text: 'I am allergic to walnuts.' }),
      expect.objectContaining({ speaker: 'user', text: 'I can eat walnuts.' }),
    ]),
  );
});

test('forgetting over something that cannot is refused when the tools are made', () => {
  const { context, conversation, memory } = library().varve;
  const { append } = conversation;
  const { search, add } = memory;
  const varve = { context, conversation: { append }, memory: { search, add } };
  const refused = thrownBy(() =>
    memoryTools({ varve, tenant: 'acme', identifiers: ANN, forget: true }),
  );
  expect(refused.code).toBe('INVALID_INPUT');
  expect(refused.message).toMatch(/^forget: .*memory\.get.*conversation\.delete/u);
});

test('the middleware keeps no call of forgetMemory', async () => {
  const tenant = newTenant();
  const id = await remembered(tenant, 'user', ANN);
  const { varve } = library();
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const call = { toolCallId: 'c1', toolName: 'forgetMemory', input: JSON.stringify({ id }) };
  const answers = [
    {
      content: [{ type: 'tool-call' as const, ...call }],
      finishReason: { unified: 'tool-calls' as const, raw: 'tool_calls' },
    },
    {
      content: [{ type: 'text' as const, text: 'Forgotten.' }],
      finishReason: { unified: 'stop' as const, raw: 'stop' },
    },
  ].map((answer) => ({ ...answer, usage, warnings: [] }));
  const model = new MockLanguageModelV4({ doGenerate: answers });
  const middleware = memoryMiddleware({ varve, tenant, identifiers: ANN, sessionId: 's' });
  await generateText({
    model: wrapLanguageModel({ model, middleware }),
    prompt: 'Forget my allergy.',
    tools: memoryTools({ varve, tenant, identifiers: ANN, forget: true }),
    stopWhen: stepCountIs(3),
  });
  expect(await varve.memory.get({ tenant, id })).toBeNull();
  const { messages } = await varve.conversation.messages({ tenant, sessionId: 's' });
  expect(messages.map(({ content }) => content)).toEqual(['Forget my allergy.', 'Forgotten.']);
});
