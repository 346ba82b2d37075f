/** An agent of LangChain over a real store: one thread remembers what was said in another. */
import { createAgent, createMiddleware, HumanMessage, tool } from 'langchain';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { memoryMiddleware, type MemoryMiddlewareOptions } from '#langgraph/index.ts';
import { thrownBy } from '#test/unit/failures.ts';
import { failureOf, newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';
import {
  agentWith,
  answering,
  asking,
  calling,
  clock,
  holding,
  identifiers,
  inThread,
  memoryFor,
  read,
  stateOf,
} from './memory-agent.ts';
import { textsOf } from './scripted-model.ts';

const library = sharedLibrary();
/** Counts how often contexts are assembled. */
function countingVarve() {
  const { varve } = library();
  const queries: string[] = [];
  const assemble: typeof varve.context.assemble = (input) => {
    queries.push(input.query);
    return varve.context.assemble(input);
  };
  return { queries, varve: { ...varve, context: { ...varve.context, assemble } } };
}

describe('creating the middleware', () => {
  test.each([
    ['tenant', {}, 'tenant: expected a value, found none'],
    ['', { maxToken: 10 }, 'maxToken: no such option; did you mean maxTokens?'],
    ['', { sessionId: 'x' }, 'sessionId: no such option'],
    ['', { maxTokens: 0 }, 'maxTokens'],
    ['', { identifiers: { userId: undefined } }, 'identifiers.userId is undefined'],
  ])('without %j and with %j is refused', (absent, more, said) => {
    const whole = { varve: library().varve, tenant: 't', identifiers, ...more };
    const kept = Object.entries(whole).filter(([name]) => name !== absent);
    const refused = thrownBy(() => memoryMiddleware(Object.fromEntries(kept) as never));
    expect(refused.code).toBe('INVALID_INPUT');
    expect(refused.message).toContain(said);
  });
});

describe('an agent with memory', () => {
  test('reads in a thread what the user said in another, and keeps what was said', async () => {
    const { middleware, kept } = memoryFor(library(), newTenant());
    const model = answering('Nice.', 'Noted.', 'In Braga.');
    const agent = agentWith(model, middleware);
    const said = [
      'I live in Porto, and my sister Clara plays the oboe.',
      'By the way, I moved: I live in Braga now.',
      'Where do I live, and what does Clara play?',
    ];
    for (const [at, text] of said.entries()) {
      await agent.invoke(asking(text), inThread(`thread-${String(at)}`));
    }
    expect(read(model, 0).join()).not.toContain('Earlier turns');
    const [last = ''] = read(model, 2);
    expect(last).toContain('oboe');
    expect(last).toContain('Braga');
    expect(last.endsWith(`\n\n## Question\n${String(said[2])}`)).toBe(true);
    expect(await kept('thread-0')).toEqual([`user: ${String(said[0])}`, 'assistant: Nice.']);
  });

  test('has no memory text in its state, its checkpoints and its streams', async () => {
    const { middleware } = memoryFor(library(), newTenant());
    const model = answering('Kept.', 'Teal.');
    const agent = agentWith(model, middleware);
    await agent.invoke(asking('My favourite colour is teal, like the sea.'), inThread('one'));
    const shown: unknown[] = [];
    const streamMode = ['messages', 'updates', 'values'] as const;
    const options = { ...inThread('two'), streamMode: [...streamMode] };
    const question = 'What is my favourite colour?';
    for await (const part of await agent.stream(asking(question), options)) shown.push(part);
    expect(read(model, 1)[0]).toContain('like the sea');
    expect(JSON.stringify(shown)).toContain(question);
    expect(JSON.stringify(shown)).not.toContain('like the sea');
    expect(textsOf(await stateOf(agent, 'two'))).toEqual([question, 'Teal.']);
  });

  test('does not repeat messages of the same thread, and keeps each once', async () => {
    const { middleware, kept } = memoryFor(library(), newTenant());
    const model = answering('Understood.', 'Teal.');
    const agent = agentWith(model, middleware);
    await agent.invoke(asking('My favourite colour is teal.'), inThread('one'));
    await agent.invoke(asking('What is my favourite colour?'), inThread('one'));
    expect(
      read(model, 1)
        .join('\n')
        .match(/colour is teal/gu),
    ).toHaveLength(1);
    expect(await kept('one')).toEqual([
      'user: My favourite colour is teal.',
      'assistant: Understood.',
      'user: What is my favourite colour?',
      'assistant: Teal.',
    ]);
  });

  test('puts memory in front of the text and images of a message, and keeps the text', async () => {
    const tenant = newTenant();
    const { middleware, kept } = memoryFor(library(), tenant);
    const model = answering('Kept.', 'An oboe.');
    const agent = createAgent({ model, middleware: [middleware] });
    await agent.invoke(asking('My sister Clara plays the oboe.'), inThread('one'));
    const image = { type: 'image_url' as const, image_url: { url: 'https://example.com/a.png' } };
    const content = [{ type: 'text' as const, text: 'Does Clara play this?' }, image];
    await agent.invoke({ messages: [new HumanMessage({ content })] }, inThread('two'));
    expect(model.calls[1]?.messages[0]?.content).toEqual([
      { type: 'text', text: expect.stringContaining('oboe') as string },
      ...content,
    ]);
    expect(await kept('two')).toEqual(['user: Does Clara play this?', 'assistant: An oboe.']);
  });

  test('assembles one context for a tool loop, and another after a memory tool', async () => {
    const tenant = newTenant();
    const { queries, varve } = countingVarve();
    const { middleware, kept } = memoryFor(library(), tenant, { varve });
    const add = async ({ content }: { content: string }) => {
      await varve.memory.add({ tenant, identifiers, layer: 'user', content });
      return 'Added.';
    };
    const schema = z.object({ content: z.string() });
    const addMemory = tool(add, { name: 'addMemory', description: 'Adds.', schema });
    const content = 'Ann is allergic to walnuts.';
    const calls = [calling('c1'), calling('c2', 'addMemory', { content }), calling('c3')];
    const model = answering(...calls, 'No walnuts.');
    const agent = createAgent({ model, tools: [clock, addMemory], middleware: [middleware] });
    const question = 'May I eat walnuts at noon?';
    await agent.invoke(asking(question), inThread('one'));
    expect(queries).toEqual([question, question]);
    expect(read(model, 1)[0]).not.toContain('allergic');
    expect(read(model, 2)[0]).toContain('allergic');
    expect(read(model, 3)[0]).toBe(read(model, 2)[0]);
    expect(await kept('one')).toEqual([
      `user: ${question}`,
      'assistant: ',
      'tool: noon',
      'assistant: ',
      'tool: noon',
      'assistant: No walnuts.',
    ]);
  });

  test('keeps apart threads and users that run at once, even with the same message', async () => {
    const { middleware, kept } = memoryFor(library(), newTenant(), {
      identifiers: ({ configurable }) => ({ userId: String(configurable['user']) }),
    });
    const model = answering(...Array.from({ length: 8 }, () => 'Noted.'));
    const agent = createAgent({ model, middleware: [middleware] });
    const users = ['ann', 'bob', 'cleo', 'dan'];
    const told = (user: string, thread: string) => ({ configurable: { thread_id: thread, user } });
    await Promise.all(
      users.map((user) =>
        agent.invoke(asking(`The code of my safe is ${user}-48213.`), told(user, `${user}-1`)),
      ),
    );
    const same = asking('What is the code of my safe?');
    await Promise.all(users.map((user) => agent.invoke(same, told(user, `${user}-2`))));
    const held = holding('Which code?');
    const holder = createAgent({
      ...{ model: answering('Held.', 'Held.'), middleware: [middleware, held.middleware] },
    });
    const shared = asking('Which code?');
    const first = holder.invoke(shared, told('ann', 'ann-3'));
    await expect.poll(() => kept('ann-3')).toHaveLength(1);
    const second = holder.invoke(shared, told('bob', 'bob-3'));
    await expect.poll(() => kept('bob-3')).toHaveLength(1);
    held.letGo('Which code?');
    await Promise.all([first, second]);
    for (const user of users) {
      const texts = model.calls.slice(4).map(({ messages }) => messages[0]?.text ?? '');
      const own = texts.filter((text) => text.includes(`${user}-48213`));
      expect(own).toHaveLength(1);
      expect(own[0]?.match(/-48213/gu)).toHaveLength(1);
      expect(await kept(`${user}-2`)).toHaveLength(2);
    }
  });

  test('is refused a run without a thread, or whose user is not named', async () => {
    const tenant = newTenant();
    const model = answering('Never.');
    const agent = (more: Partial<MemoryMiddlewareOptions>) =>
      createAgent({ model, middleware: [memoryFor(library(), tenant, more).middleware] });
    const onError = () => undefined;
    const threadless = await failureOf(agent({ onError }).invoke(asking('Hello.')));
    expect(threadless.message).toContain('configurable.thread_id: expected the id of a thread');
    expect(threadless.cause).toMatchObject({ code: 'INVALID_INPUT' });
    const nobody = () => ({ userId: undefined }) as never;
    const nameless = agent({ identifiers: nobody }).invoke(asking('Hello.'), inThread('one'));
    expect((await failureOf(nameless)).message).toContain('identifiers.userId is undefined');
    const late = (() => Promise.resolve(identifiers)) as never;
    const promised = agent({ identifiers: late }).invoke(asking('Hello.'), inThread('one'));
    expect((await failureOf(promised)).message).toContain('found a Promise');
    expect(model.callCount).toBe(0);
  });

  test('stores nothing with store: false, and nothing for a message without text', async () => {
    const tenant = newTenant();
    const silent = memoryFor(library(), tenant, { store: false });
    const agent = createAgent({ model: answering('Fine.'), middleware: [silent.middleware] });
    await agent.invoke(asking('Hello there.'), inThread('one'));
    expect(await silent.kept('one')).toEqual([]);
    const { queries, varve } = countingVarve();
    const { middleware, kept } = memoryFor(library(), tenant, { varve });
    const empty = createAgent({ model: answering('What do you mean?'), middleware: [middleware] });
    await empty.invoke(asking('  '), inThread('two'));
    expect(await kept('two')).toEqual([]);
    expect(queries).toEqual([]);
  });
});

describe('a failure of Varve', () => {
  const failure = Object.assign(new Error('secret words'), { code: 'FORBIDDEN' });
  const broken = (more: object) => ({ ...library().varve, ...more });
  const context = { assemble: () => Promise.reject(failure) };
  const conversation = { append: () => Promise.reject(failure) };

  test('before a call fails the call, unless onError handles it', async () => {
    const varve = broken({ context, conversation });
    const model = answering('Hi.');
    const run = (more: Partial<MemoryMiddlewareOptions>) => {
      const { middleware } = memoryFor(library(), newTenant(), { varve, ...more });
      return createAgent({ model, middleware: [middleware] }).invoke(
        asking('Hello.'),
        inThread('x'),
      );
    };
    expect((await failureOf(run({}))).message).toBe('secret words');
    expect(model.callCount).toBe(0);
    const errors: unknown[] = [];
    const { messages } = await run({ onError: (error) => errors.push(error) });
    expect(messages.at(-1)?.text).toBe('Hi.');
    // The context, the question, and the question with its answer.
    expect(errors).toEqual([failure, failure, failure]);
  });

  test('after a call is a warning with only its code', async () => {
    const warned: string[] = [];
    const note = ({ message }: Error): void => void warned.push(message);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const { middleware } = memoryFor(library(), newTenant(), { varve: broken({ conversation }) });
    const agent = createAgent({ model: answering('Hi.'), middleware: [middleware] });
    const { messages } = await agent.invoke(asking('Hello.'), inThread('x'));
    await new Promise(setImmediate);
    expect(messages.at(-1)?.text).toBe('Hi.');
    expect(warned.join('\n')).toMatch(/^(?!.*secret).*not kept \(FORBIDDEN\)/u);
  });
});

test('other middleware sees the message of the user in the state, and memory in the request', async () => {
  const { middleware } = memoryFor(library(), newTenant());
  const seen: string[][] = [];
  const seeing = createMiddleware({
    name: 'seeing',
    wrapModelCall: (request, handler) => {
      seen.push([request.state.messages, request.messages].map((all) => all.at(-1)?.text ?? ''));
      return handler(request);
    },
  });
  const agent = createAgent({ model: answering('A.', 'B.'), middleware: [middleware, seeing] });
  await agent.invoke(asking('My sister Clara plays the oboe.'), inThread('one'));
  await agent.invoke(asking('What does Clara play?'), inThread('two'));
  expect(seen[1]?.[0]).toBe('What does Clara play?');
  expect(seen[1]?.[1]).toContain('oboe');
});
