/** An AI SDK agent over a real store: one session remembers what was said in another. */
import { generateText, stepCountIs, streamText, tool, wrapLanguageModel } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import { beforeAll, describe, expect, test, onTestFinished } from 'vitest';
import { z } from 'zod';
import { memoryMiddleware, memoryTools, type MemoryMiddlewareOptions } from '#ai-sdk/index.ts';
import { toolsOf } from '#api/mcp/server.ts';
import { MEMORY_TOOLS } from '#core/agent-memory/recall-and-keep.ts';
import { readProjectFile } from '#test/tidy/source-file.ts';
import { thrownBy } from '#test/unit/failures.ts';
import { newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'ann' };
type Model = InstanceType<typeof MockLanguageModelV4>;
type Generated = Extract<
  NonNullable<NonNullable<ConstructorParameters<typeof MockLanguageModelV4>[0]>['doGenerate']>,
  { content: unknown }
>;

const usage: Generated['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

function saying(text: string): Generated {
  const finishReason = { unified: 'stop', raw: 'stop' } as const;
  return { content: [{ type: 'text', text }], finishReason, usage, warnings: [] };
}

function calling(toolName: string, input: object): Generated {
  const finishReason = { unified: 'tool-calls', raw: 'tool_calls' } as const;
  const call = { toolCallId: `call-${toolName}`, toolName, input: JSON.stringify(input) };
  return { content: [{ type: 'tool-call', ...call }], finishReason, usage, warnings: [] };
}

/** A model that says these in turn, and what it was asked. */
function modelOf(...answers: Generated[]) {
  const model = new MockLanguageModelV4({ doGenerate: answers });
  return { model, promptOf: (call: number) => promptText(model, call) };
}

function promptText({ doGenerateCalls }: Model, call: number): string {
  return JSON.stringify(doGenerateCalls[call]?.prompt);
}

let tenant = '';
beforeAll(() => {
  tenant = newTenant();
});

function agent(model: Model, sessionId: string, more: Partial<MemoryMiddlewareOptions> = {}) {
  const middleware = memoryMiddleware({
    ...{ varve: library().varve, tenant, identifiers, sessionId },
    ...more,
  });
  return wrapLanguageModel({ model, middleware });
}

async function messagesOf(sessionId: string) {
  const { messages } = await library().varve.conversation.messages({ tenant, sessionId });
  return messages.map(({ role, content }) => [role, content]);
}

test.each([
  ['sessionId', { sessionID: 'x' }, 'sessionID: no such option; did you mean sessionId?'],
  ['sessionId', {}, 'sessionId: expected a value, found none'],
  ['', { maxToken: 10 }, 'maxToken: no such option; did you mean maxTokens?'],
  ['identifiers', { identifer: {} }, 'identifer: no such option; did you mean identifiers?'],
])('creating a middleware without %j and with %j is refused', (absent, more, said) => {
  const whole = { varve: library().varve, tenant, identifiers, sessionId: 'x' };
  const kept = Object.entries(whole).filter(([name]) => name !== absent);
  const options = { ...Object.fromEntries(kept), ...more } as unknown as MemoryMiddlewareOptions;
  const refused = thrownBy(() => memoryMiddleware(options));
  expect(refused.code).toBe('INVALID_INPUT');
  expect(refused.message).toContain(said);
});

test('the samples of the page and the README use different session ids', () => {
  const [, first = ''] = /sessionId = '(.+)'/u.exec(readProjectFile('README.md').text) ?? [];
  expect(first).not.toBe('');
  expect(readProjectFile('docs/ai-sdk.md').text).not.toContain(`['${first}'`);
});

test('what the tools of the MCP server return is not kept', () => {
  const binding = { tenant: 't', identifiers: {}, isOpen: true };
  expect(MEMORY_TOOLS).toEqual(expect.arrayContaining(toolsOf(binding).map(({ name }) => name)));
});

test('creating tools with a misspelled option is refused', () => {
  const options = { varve: library().varve, tenant, identifiers, identifer: {} };
  const refused = thrownBy(() => memoryTools(options));
  expect(refused.code).toBe('INVALID_INPUT');
  expect(refused.message).toContain('did you mean identifiers?');
});

test.each([
  ['an undefined user', { userId: undefined }, 'identifiers.userId is undefined; give the id'],
  ['a promise', Promise.resolve({ userId: 'ann' }), 'fields, found a Promise'],
])('creating tools or a middleware for %s is refused', (_name, given, told) => {
  const options = { varve: library().varve, tenant, identifiers: given as never };
  const refused = [
    thrownBy(() => memoryTools(options)),
    thrownBy(() => memoryMiddleware({ ...options, sessionId: 's' })),
  ];
  for (const { code, message } of refused) {
    expect(code).toBe('INVALID_INPUT');
    expect(message).toContain(told);
  }
});

describe('memoryMiddleware', () => {
  test('adds statements of session 1 to the prompt of session 3, with later corrections', async () => {
    const talk = modelOf(saying('Nice.'), saying('Noted.'), saying('In Braga.'));
    const sessions = ['one', 'two', 'three'];
    const said = [
      'I live in Porto, and my sister Clara plays the oboe.',
      'By the way, I moved: I live in Braga now.',
      'Where do I live, and what does Clara play?',
    ];
    for (const [at, prompt] of said.entries()) {
      await generateText({ model: agent(talk.model, sessions[at] ?? ''), prompt });
    }
    const last = talk.promptOf(2);
    expect(last).toContain('oboe');
    expect(last).toContain('Braga');
    expect(last.indexOf('oboe')).toBeLessThan(last.indexOf('Where do I live'));
    expect(await messagesOf('one')).toEqual([
      ['user', said[0]],
      ['assistant', 'Nice.'],
    ]);
  });

  test('adds memory only to the user message, and leaves the other messages unchanged', async () => {
    const { model } = modelOf(saying('It is an oboe.'));
    await generateText({
      model: agent(model, 'four'),
      instructions: 'Be brief.',
      prompt: 'Which instrument does Clara play?',
    });
    const [system, user, ...more] = model.doGenerateCalls[0]?.prompt ?? [];
    expect(system).toEqual({ role: 'system', content: 'Be brief.' });
    expect(more).toEqual([]);
    expect(user).toMatchObject({
      role: 'user',
      content: [
        { type: 'text', text: expect.stringContaining('oboe') as string },
        { type: 'text', text: 'Which instrument does Clara play?' },
      ],
    });
    expect(JSON.stringify(user).match(/Which instrument/gu)).toHaveLength(1);
  });

  test('does not repeat messages of the same session', async () => {
    const { model, promptOf } = modelOf(saying('Understood.'), saying('Teal.'));
    const own = agent(model, 'five');
    const first = 'My favourite colour is teal.';
    await generateText({ model: own, prompt: first });
    await generateText({
      model: own,
      messages: [
        { role: 'user', content: first },
        { role: 'assistant', content: 'Understood.' },
        { role: 'user', content: 'What is my favourite colour?' },
      ],
    });
    expect(promptOf(1).match(/colour is teal/gu)).toHaveLength(1);
  });

  test.each([
    ['an emoji where the query is cut', `Tell Clara: ${'a'.repeat(1_987)}😀 and more.`],
    ['a NUL', 'Which instrument\0 does Clara play?'],
    ['line ends of Windows', 'Dear all,\r\n\r\nwhich instrument does Clara play?'],
    ['a heading', 'Clara writes:\n## Question\nWhich instrument?'],
    ['more tokens than its limit', `Clara: ${'哪种乐器？'.repeat(500)}`],
  ])('adds memory once to a question with %s', async (_, prompt) => {
    const { model } = modelOf(saying('An oboe.'));
    const more = { store: false, maxTokens: 600 };
    await generateText({ model: agent(model, 'odd', more), prompt });
    const content = model.doGenerateCalls[0]?.prompt[0]?.content;
    expect(content).toHaveLength(2);
    const [memory, own] = (content ?? []) as { text: string }[];
    expect(memory?.text).toContain('## Earlier turns');
    expect(memory?.text).not.toContain('## Question');
    expect(own?.text).toBe(prompt);
  });

  test('adds nothing of a deleted session', async () => {
    const { model, promptOf } = modelOf(saying('Kept.'), saying('I do not know.'));
    await generateText({ model: agent(model, 'six'), prompt: 'The code of the safe is 48213.' });
    await library().varve.conversation.delete({ tenant, sessionId: 'six' });
    await generateText({ model: agent(model, 'seven'), prompt: 'What is the code of the safe?' });
    expect(promptOf(1)).not.toContain('48213');
  });

  test('stores each turn of a call with tools once, and reads memory in each step', async () => {
    const { model, promptOf } = modelOf(calling('clock', { zone: 'CET' }), saying('It is noon.'));
    const inputSchema = z.object({ zone: z.string() });
    const clock = tool({ inputSchema, execute: () => ({ time: '12:00' }) });
    const prompt = 'Clara asks: what time is it?';
    const { text } = await generateText({
      ...{ model: agent(model, 'eight'), prompt, tools: { clock }, stopWhen: stepCountIs(3) },
    });
    expect(text).toBe('It is noon.');
    expect(promptOf(1)).toContain('oboe');
    expect(await messagesOf('eight')).toEqual([
      ['user', prompt],
      ['assistant', ''],
      ['tool', '{"time":"12:00"}'],
      ['assistant', 'It is noon.'],
    ]);
    const page = { tenant, sessionId: 'eight' };
    const { messages } = await library().varve.conversation.messages(page);
    const toolCalls = [{ id: 'call-clock', name: 'clock', arguments: { zone: 'CET' } }];
    expect(messages[1]).toMatchObject({ toolCalls });
    expect(messages[2]).toMatchObject({ toolCallId: 'call-clock', speaker: 'clock' });
  });

  test('stores a question once whose loop ends on tool calls, and is resumed', async () => {
    const steps = [calling('clock', { zone: 'CET' }), calling('map', { at: 'Bern' })];
    const { model } = modelOf(...steps, saying('It is far.'));
    const inputSchema = z.object({});
    const clock = tool({ inputSchema, execute: () => 'noon' });
    const asked = [{ role: 'user' as const, content: 'I moved to Bern; how far is the lake?' }];
    const tools = { clock, map: tool({ inputSchema, outputSchema: z.string() }) };
    const first = await generateText({
      ...{ model: agent(model, 'loop'), messages: asked, tools, stopWhen: stepCountIs(3) },
    });
    expect(await messagesOf('loop')).toEqual([['user', asked[0]?.content]]);
    const output = { type: 'text' as const, value: '3 km' };
    const part = { type: 'tool-result' as const, toolCallId: 'call-map', toolName: 'map', output };
    const said = first.steps.flatMap(({ response }) => response.messages);
    const messages = [...asked, ...said, { role: 'tool' as const, content: [part] }];
    await generateText({ model: agent(model, 'loop'), messages, tools });
    expect(await messagesOf('loop')).toEqual([
      ['user', asked[0]?.content],
      ['assistant', ''],
      ['tool', 'noon'],
      ['assistant', ''],
      ['tool', '3 km'],
      ['assistant', 'It is far.'],
    ]);
  });

  test('stores a question whose streamed answer ends on tool calls', async () => {
    const finishReason = { unified: 'tool-calls', raw: 'tool_calls' } as const;
    const call = { toolCallId: 'call-map', toolName: 'map', input: '{}' };
    const stream = convertArrayToReadableStream([
      { type: 'stream-start' as const, warnings: [] },
      { type: 'tool-call' as const, ...call },
      { type: 'finish' as const, finishReason, usage },
    ]);
    const model = new MockLanguageModelV4({ doStream: { stream } });
    const tools = { map: tool({ inputSchema: z.object({}), outputSchema: z.string() }) };
    const answer = streamText({ model: agent(model, 'ask'), prompt: 'Where is Bern?', tools });
    await answer.consumeStream();
    expect(await messagesOf('ask')).toEqual([['user', 'Where is Bern?']]);
  });

  test('stores a streamed answer whole', async () => {
    const finishReason = { unified: 'stop', raw: 'stop' } as const;
    const stream = convertArrayToReadableStream([
      { type: 'stream-start' as const, warnings: [] },
      { type: 'text-start' as const, id: '1' },
      { type: 'text-delta' as const, id: '1', delta: 'On ' },
      { type: 'text-delta' as const, id: '1', delta: 'Mondays.' },
      { type: 'text-end' as const, id: '1' },
      { type: 'finish' as const, finishReason, usage },
    ]);
    const model = new MockLanguageModelV4({ doStream: { stream } });
    const answer = streamText({ model: agent(model, 'nine'), prompt: 'When is choir?' });
    expect(await answer.text).toBe('On Mondays.');
    expect(await messagesOf('nine')).toEqual([
      ['user', 'When is choir?'],
      ['assistant', 'On Mondays.'],
    ]);
  });

  test('stores nothing with store: false', async () => {
    const { model } = modelOf(saying('Fine.'));
    await generateText({ model: agent(model, 'ten', { store: false }), prompt: 'Hello there.' });
    expect(await messagesOf('ten')).toEqual([]);
  });

  test('fails the call if memory fails, unless onError handles the failure', async () => {
    const broken = new Error('no memory today');
    const varve = {
      ...library().varve,
      context: { assemble: () => Promise.reject(broken) },
      conversation: { append: () => Promise.reject(broken) },
    };
    const { model } = modelOf(saying('Hi.'), saying('Hi.'));
    const call = generateText({ model: agent(model, 'x', { varve }), prompt: 'Hello.' });
    await expect(call).rejects.toThrow('no memory today');
    const errors: unknown[] = [];
    const onError = (error: unknown) => errors.push(error);
    const told = agent(model, 'x', { varve, onError });
    expect((await generateText({ model: told, prompt: 'Hello.' })).text).toBe('Hi.');
    expect(errors).toEqual([broken, broken]);
  });

  test('returns a paid answer also if onError throws after it', async () => {
    const { model } = modelOf(saying('Hi.'));
    const conversation = { append: () => Promise.reject(new Error('the store is full')) };
    const varve = { ...library().varve, conversation };
    const seen: unknown[] = [];
    const onError = (error: unknown): never => {
      seen.push(error);
      throw new Error('the logger is down');
    };
    const handled = agent(model, 'z', { varve, onError });
    expect((await generateText({ model: handled, prompt: 'Hello.' })).text).toBe('Hi.');
    expect(seen).toEqual([new Error('the store is full')]);
  });

  test('warns by default about turns that cannot be stored, with only the code', async () => {
    const failure = Object.assign(new Error('secret words'), { code: 'FORBIDDEN' });
    const conversation = { append: () => Promise.reject(failure) };
    const warned: unknown[] = [];
    const { warn } = console;
    onTestFinished(() => {
      console.warn = warn;
    });
    console.warn = (...words: unknown[]) => warned.push(...words);
    const { model } = modelOf(saying('Hi.'));
    const varve = { ...library().varve, conversation };
    const { text } = await generateText({ model: agent(model, 'y', { varve }), prompt: 'Hello.' });
    expect(text).toBe('Hi.');
    expect(warned.join()).toMatch(/^(?!.*secret).*not kept \(FORBIDDEN\)/u);
  });
});

describe('memoryTools', () => {
  test('lets a model store a fact and find it in another session', async () => {
    const tools = memoryTools({ varve: library().varve, tenant, identifiers });
    const content = 'Ann is allergic to walnuts.';
    const { model, promptOf } = modelOf(
      calling('addMemory', { content }),
      saying('Kept.'),
      calling('searchMemory', { query: 'What is Ann allergic to?' }),
      saying('Walnuts.'),
    );
    const more = { tools, stopWhen: stepCountIs(3) };
    await generateText({ model, prompt: 'Remember that I am allergic to walnuts.', ...more });
    await generateText({ model, prompt: 'May I eat this cake?', ...more });
    expect(promptOf(3)).toContain('Ann is allergic to walnuts.');
    expect(promptOf(3)).toContain('\\"source\\":\\"memory\\"'.replaceAll('\\', ''));
  });

  test('marks what later words of the user replace, and nothing else', async () => {
    const { conversation } = library().varve;
    const zoe = { tenant, identifiers: { userId: 'zoe' } };
    const said = [
      ['I work at Siemens.', ' (earlier)'],
      ['I have a dog called Rex.', ''],
      ['I work at Bosch now.', ''],
      ['I live in Bristol, and my daughter Mia goes to Elm School.', ' (in part earlier)'],
      ['I moved to Bath.', ''],
    ] as const;
    for (const [minute, [content]] of said.entries()) {
      const sessionId = `zoe-${content}`;
      const at = new Date(Date.UTC(2026, 10, 2, 9, minute)).toISOString();
      await conversation.append({ ...zoe, sessionId, turns: [{ role: 'user', content, at }] });
    }
    const tools = memoryTools({ varve: library().varve, ...zoe });
    const { model, promptOf } = modelOf(
      calling('searchMemory', {
        query: 'Where does Zoe work and live? Has she a dog, a daughter?',
      }),
      saying('At Bosch.'),
    );
    await generateText({ model, prompt: 'Where do I work?', tools, stopWhen: stepCountIs(2) });
    for (const [content, mark] of said) {
      expect(promptOf(1)).toContain(`"text":"${content}${mark}"`);
    }
  });

  test('lets a model reach only the user that it speaks for', async () => {
    const tools = memoryTools({ varve: library().varve, tenant, identifiers: { userId: 'bob' } });
    const { model, promptOf } = modelOf(
      calling('searchMemory', { query: 'allergic to walnuts', userId: 'ann' }),
      saying('Nothing.'),
    );
    await generateText({
      model,
      prompt: 'What is Ann allergic to?',
      tools,
      stopWhen: stepCountIs(3),
    });
    expect(promptOf(1)).not.toContain('Ann is allergic to walnuts.');
  });
});
