/** What an agent of the AI SDK keeps if an answer is cut short, or a prompt was shortened. */
import { setTimeout as pause } from 'node:timers/promises';
import { generateText, isStepCount, streamText, tool, wrapLanguageModel } from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { memoryMiddleware } from '#ai-sdk/index.ts';
import { CONTENT_LENGTH_MAX } from '#core/records/memory.ts';
import { TURN_LENGTH_MAX } from '#core/records/turn.ts';
import { newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';

const library = sharedLibrary();
const identifiers = { userId: 'ann' };
const PROMPT = 'I moved to Bern; how far is the lake?';

type Model = InstanceType<typeof MockLanguageModelV4>;
type Streamed = Awaited<ReturnType<Model['doStream']>>['stream'];
type Part = Streamed extends ReadableStream<infer P> ? P : never;

const usage: Extract<Part, { type: 'finish' }>['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

const START: Part[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'It is ' },
];
const REST: Part[] = [
  { type: 'text-delta', id: '1', delta: 'far.' },
  { type: 'text-end', id: '1' },
  { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
];

function calling(toolName: string, toolCallId = `call-${toolName}`): Part[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'tool-call', toolCallId, toolName, input: '{}' },
    { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage },
  ];
}

/** A stream that fails like that of a provider whose connection breaks or is aborted. */
function broken(parts: readonly Part[], signal?: AbortSignal): Streamed {
  return new ReadableStream<Part>({
    async start(controller) {
      for (const part of parts) controller.enqueue(part);
      if (signal === undefined) await pause(5);
      else while (!signal.aborted) await pause(1);
      controller.error(signal?.reason ?? new Error('connection lost'));
    },
  });
}

function agentOf(sessionId: string, tenant: string, ...streams: (() => Streamed)[]) {
  let call = 0;
  const doStream: Model['doStream'] = ({ abortSignal }) => {
    const make = streams[call++] ?? (() => broken(START, abortSignal));
    return Promise.resolve({ stream: make() });
  };
  const model = new MockLanguageModelV4({ doStream });
  const { varve } = library();
  const middleware = memoryMiddleware({ varve, tenant, identifiers, sessionId });
  return wrapLanguageModel({ model, middleware });
}

async function keptIn(tenant: string, sessionId = 's') {
  const { messages } = await library().varve.conversation.messages({ tenant, sessionId });
  return messages.map(({ role, content }) => [role, content]);
}

const whole = () => convertArrayToReadableStream([...START, ...REST]);
const silent = { onError: () => undefined };

describe('a streamed answer', () => {
  test('that the user aborts leaves the question, and once where it is asked again', async () => {
    const tenant = newTenant();
    const ending = new AbortController();
    const model = agentOf('s', tenant);
    const answer = streamText({ model, prompt: PROMPT, abortSignal: ending.signal, ...silent });
    for await (const part of answer.stream) if (part.type === 'text-delta') ending.abort();
    await expect.poll(() => keptIn(tenant)).toEqual([['user', PROMPT]]);
    await streamText({ model: agentOf('s', tenant, whole), prompt: PROMPT }).consumeStream();
    expect(await keptIn(tenant)).toEqual([
      ['user', PROMPT],
      ['assistant', 'It is far.'],
    ]);
    const again = [
      { role: 'user' as const, content: PROMPT },
      { role: 'assistant' as const, content: 'It is far.' },
      { role: 'user' as const, content: PROMPT },
    ];
    await streamText({ model: agentOf('s', tenant, whole), messages: again }).consumeStream();
    expect(await keptIn(tenant)).toHaveLength(4);
  });

  test('that the user aborts to change the beginning of a long question leaves both', async () => {
    const tenant = newTenant();
    const ending = new AbortController();
    const long = 'Some words. '.repeat(CONTENT_LENGTH_MAX / 8);
    const [first, second] = [`Frist. ${long}`, `First. ${long}`];
    const aborted = { model: agentOf('s', tenant), prompt: first, abortSignal: ending.signal };
    const answer = streamText({ ...aborted, ...silent });
    for await (const part of answer.stream) if (part.type === 'text-delta') ending.abort();
    await expect.poll(() => keptIn(tenant)).not.toHaveLength(0);
    await streamText({ model: agentOf('s', tenant, whole), prompt: second }).consumeStream();
    const kept = await keptIn(tenant);
    const asked = kept.filter(([role]) => role === 'user').map(([, content]) => content);
    expect(asked.join('')).toBe(first + second);
    expect(kept.at(-1)).toEqual(['assistant', 'It is far.']);
  });

  test('whose reader leaves keeps the question', async () => {
    const tenant = newTenant();
    const { stream } = await agentOf('s', tenant).doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: PROMPT }] }],
      abortSignal: AbortSignal.timeout(10_000),
    });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    expect(await keptIn(tenant)).toEqual([['user', PROMPT]]);
  });

  test.each<[string, () => Streamed]>([
    ['breaks', () => broken(START)],
    [
      'reports an error',
      () =>
        convertArrayToReadableStream<Part>([
          ...START,
          { type: 'error', error: new Error('overloaded') },
          { type: 'finish', finishReason: { unified: 'error', raw: 'error' }, usage },
        ]),
    ],
    ['ends without an end', () => convertArrayToReadableStream(START)],
  ])('that %s in its middle leaves the question, not half an answer', async (_, stream) => {
    const tenant = newTenant();
    await streamText({
      model: agentOf('s', tenant, stream),
      prompt: PROMPT,
      ...silent,
    }).consumeStream();
    expect(await keptIn(tenant)).toEqual([['user', PROMPT]]);
  });

  test('after several steps with tools is kept whole, each turn once', async () => {
    const tenant = newTenant();
    const inputSchema = z.object({});
    const tools = {
      clock: tool({ inputSchema, execute: () => 'noon' }),
      map: tool({ inputSchema, execute: () => '3 km' }),
    };
    const steps = [calling('clock'), calling('map')].map(
      (parts) => () => convertArrayToReadableStream(parts),
    );
    const model = agentOf('s', tenant, ...steps, whole);
    await streamText({ model, prompt: PROMPT, tools, stopWhen: isStepCount(5) }).consumeStream();
    expect(await keptIn(tenant)).toEqual([
      ['user', PROMPT],
      ['assistant', ''],
      ['tool', 'noon'],
      ['assistant', ''],
      ['tool', '3 km'],
      ['assistant', 'It is far.'],
    ]);
  });

  test('that is aborted after a step with tools leaves the question once', async () => {
    const tenant = newTenant();
    const ending = new AbortController();
    const tools = { clock: tool({ inputSchema: z.object({}), execute: () => 'noon' }) };
    const model = agentOf('s', tenant, () => convertArrayToReadableStream(calling('clock')));
    const more = { tools, stopWhen: isStepCount(5), abortSignal: ending.signal, ...silent };
    const answer = streamText({ model, prompt: PROMPT, ...more });
    for await (const part of answer.stream) if (part.type === 'text-delta') ending.abort();
    await pause(50);
    expect(await keptIn(tenant)).toEqual([['user', PROMPT]]);
  });
});

describe.each(['length', 'content-filter', 'stop', 'other'] as const)(
  'an answer without text that ends with %s',
  (unified) => {
    const finishReason = { unified, raw: unified };
    const silence = () =>
      convertArrayToReadableStream<Part>([
        START[0] as Part,
        { type: 'finish', finishReason, usage },
      ]);

    test('leaves the question, and once where it is asked again', async () => {
      const tenant = newTenant();
      const answer = { content: [], finishReason, usage, warnings: [] };
      const doGenerate: Model['doGenerate'] = () => Promise.resolve(answer);
      const model = new MockLanguageModelV4({ doGenerate });
      const { varve } = library();
      const middleware = memoryMiddleware({ varve, tenant, identifiers, sessionId: 's' });
      await generateText({ model: wrapLanguageModel({ model, middleware }), prompt: PROMPT });
      expect(await keptIn(tenant)).toEqual([['user', PROMPT]]);
      const streams = [silence, whole];
      for (const stream of streams) {
        await streamText({ model: agentOf('s', tenant, stream), prompt: PROMPT }).consumeStream();
      }
      expect(await keptIn(tenant)).toEqual([
        ['user', PROMPT],
        ['assistant', 'It is far.'],
      ]);
    });

    test('leaves the question and what tools did', async () => {
      const tenant = newTenant();
      const tools = { clock: tool({ inputSchema: z.object({}), execute: () => 'noon' }) };
      const calls = () => convertArrayToReadableStream(calling('clock'));
      const model = agentOf('s', tenant, calls, silence);
      await streamText({ model, prompt: PROMPT, tools, stopWhen: isStepCount(5) }).consumeStream();
      expect(await keptIn(tenant)).toEqual([
        ['user', PROMPT],
        ['assistant', ''],
        ['tool', 'noon'],
      ]);
    });
  },
);

describe('what is longer than one turn', () => {
  const long = 'Some long words, 很长的话. '.repeat(TURN_LENGTH_MAX / 9);

  test.each([
    ['a question', `${long}How far is the lake?`, 'Far.'],
    ['an answer', PROMPT, long.trim()],
  ])('is kept whole, and %s once', async (_, prompt, answer) => {
    const tenant = newTenant();
    const stream = (): Streamed =>
      convertArrayToReadableStream<Part>([
        ...START.slice(0, 2),
        { type: 'text-delta', id: '1', delta: answer },
        ...REST.slice(1),
      ]);
    await streamText({ model: agentOf('s', tenant, stream), prompt }).consumeStream();
    const { messages } = await library().varve.conversation.messages({
      ...{ tenant, sessionId: 's' },
      limit: 200,
    });
    const saidBy = (role: string): string =>
      messages.flatMap((turn) => (turn.role === role ? [turn.content] : [])).join('');
    expect(saidBy('user')).toBe(prompt);
    expect(saidBy('assistant')).toBe(answer);
  });

  test('is kept once if its answer is cut short and it is asked again', async () => {
    const tenant = newTenant();
    const broke = streamText({
      ...{ model: agentOf('s', tenant, () => broken(START)), prompt: long },
      ...silent,
    });
    await broke.consumeStream();
    const before = await keptIn(tenant);
    expect(before).not.toHaveLength(0);
    await streamText({ model: agentOf('s', tenant, whole), prompt: long }).consumeStream();
    expect(await keptIn(tenant)).toEqual([...before, ['assistant', 'It is far.']]);
  });
});

test('an answer that is aborted before its first word leaves the question', async () => {
  const tenant = newTenant();
  const ending = new AbortController();
  const model = new MockLanguageModelV4({
    doGenerate: () => {
      ending.abort();
      return Promise.reject(ending.signal.reason as Error);
    },
  });
  const { varve } = library();
  const middleware = memoryMiddleware({ varve, tenant, identifiers, sessionId: 's' });
  const agent = wrapLanguageModel({ model, middleware });
  const call = generateText({ model: agent, prompt: PROMPT, abortSignal: ending.signal });
  await expect(call).rejects.toThrow('abort');
  expect(await keptIn(tenant)).toEqual([['user', PROMPT]]);
});

test.each([
  ['a question', PROMPT],
  ['a question that is kept in parts', `${'Some words. '.repeat(CONTENT_LENGTH_MAX / 8)}${PROMPT}`],
])(
  '%s is kept once if the app drops earlier steps before a tool of its own answers',
  async (_, asked) => {
    const tenant = newTenant();
    const inputSchema = z.object({});
    const tools = {
      clock: tool({ inputSchema, execute: () => 'noon' }),
      map: tool({ inputSchema, outputSchema: z.string() }),
    };
    const steps = [calling('clock'), calling('map')].map(
      (parts) => () => convertArrayToReadableStream(parts),
    );
    const prompt = [{ role: 'user' as const, content: asked }];
    const first = streamText({
      ...{ model: agentOf('s', tenant, ...steps), messages: prompt, tools },
      stopWhen: isStepCount(3),
    });
    await first.consumeStream();
    const said = (await first.steps).at(-1)?.response.messages ?? [];
    const output = { type: 'text' as const, value: '3 km' };
    const part = { type: 'tool-result' as const, toolCallId: 'call-map', toolName: 'map', output };
    const last = said.slice(-1);
    const messages = [...prompt, ...last, { role: 'tool' as const, content: [part] }];
    await streamText({ model: agentOf('s', tenant, whole), messages, tools }).consumeStream();
    const kept = await keptIn(tenant);
    const users = kept.filter(([role]) => role === 'user').map(([, content]) => content);
    expect(users.join('')).toBe(asked);
    expect(kept.at(-1)).toEqual(['assistant', 'It is far.']);
  },
);
