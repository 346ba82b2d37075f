/** What an agent with memory keeps of runs that end early, run again, or are summarized. */
import { RemoveMessage } from '@langchain/core/messages';
import { Command, interrupt, MemorySaver } from '@langchain/langgraph';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import {
  createAgent,
  createMiddleware,
  HumanMessage,
  humanInTheLoopMiddleware,
  modelRetryMiddleware,
  summarizationMiddleware as summarizationOfLangChain,
  tool,
  ToolMessage,
} from 'langchain';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { flushThread, summarizationMiddleware } from '#langgraph/index.ts';
import { newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';
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

const library = sharedLibrary();
const THREAD = inThread('one');
const memory = (tenant = newTenant()) => memoryFor(library(), tenant);

describe('a run that ends early', () => {
  test('by an interrupt of a tool keeps the question, and the rest once it is resumed', async () => {
    const { middleware, kept } = memory();
    const confirm = tool(() => String(interrupt('Sure?')), {
      ...{ name: 'confirm', description: 'Asks a person.', schema: z.object({}) },
    });
    const model = answering(calling('c1'), calling('c2', 'confirm'), 'Done.', 'Yes.');
    const agent = createAgent({
      ...{ model, tools: [clock, confirm], middleware: [middleware] },
      checkpointer: new MemorySaver(),
    });
    await agent.invoke(asking('Please delete the list.'), THREAD);
    expect(await kept('one')).toEqual(['user: Please delete the list.']);
    await agent.invoke(new Command({ resume: 'yes' }), THREAD);
    const whole = [
      'user: Please delete the list.',
      ...['assistant: ', 'tool: noon', 'assistant: ', 'tool: yes', 'assistant: Done.'],
    ];
    expect(await kept('one')).toEqual(whole);
    await agent.invoke(asking('Is it gone?'), THREAD);
    expect(await kept('one')).toEqual([...whole, 'user: Is it gone?', 'assistant: Yes.']);
  });

  test.each([0, 1])('by a person who must approve, at place %i, keeps the question', async (at) => {
    const { middleware, kept } = memory();
    const approving = humanInTheLoopMiddleware({ interruptOn: { clock: true } } as never);
    const model = answering(calling('c1'), 'As you like.');
    const agent = agentWith(model, ...[approving as object].toSpliced(at, 0, middleware));
    await agent.invoke(asking('What time is it?'), THREAD);
    expect(await kept('one')).toEqual(['user: What time is it?']);
    await agent.invoke(asking('Never mind.'), THREAD);
    const last = ['user: Never mind.', 'assistant: As you like.'];
    expect(await kept('one')).toEqual(['user: What time is it?', 'assistant: ', ...last]);
  });

  test('by a failing model keeps the question once, however often it is asked', async () => {
    const { middleware, kept } = memory();
    const broken = new Error('overloaded');
    const failing = agentWith(answering(broken, broken), middleware);
    await expect(failing.invoke(asking('I am Ann.'), THREAD)).rejects.toThrow('overloaded');
    await expect(failing.invoke(asking('I am Ann.'), THREAD)).rejects.toThrow('overloaded');
    expect(await kept('one')).toEqual(['user: I am Ann.']);
    const retrying = modelRetryMiddleware({ maxRetries: 3, initialDelayMs: 1 });
    const model = answering(broken, broken, 'Hello, Ann.');
    await agentWith(model, retrying, middleware).invoke(asking('I am Ann.'), THREAD);
    expect(await kept('one')).toEqual(['user: I am Ann.', 'assistant: Hello, Ann.']);
  });

  test('by a failing model is resumed from its checkpoint with the same question', async () => {
    const { middleware, kept } = memory();
    const agent = agentWith(answering(new Error('overloaded'), 'Hello, Ann.'), middleware);
    await expect(agent.invoke(asking('I am Ann.'), THREAD)).rejects.toThrow('overloaded');
    await agent.invoke(null, THREAD);
    expect(await kept('one')).toEqual(['user: I am Ann.', 'assistant: Hello, Ann.']);
  });

  test('by a failing tool keeps what it says to the model', async () => {
    const { middleware, kept } = memory();
    const fail = (): string => {
      throw new Error('no ladder');
    };
    const climb = tool(fail, { name: 'climb', description: 'Climbs.', schema: z.object({}) });
    const model = answering(calling('c1', 'climb'), 'I cannot.');
    const agent = createAgent({ model, tools: [climb], middleware: [middleware] });
    await agent.invoke(asking('Fetch the cat.'), THREAD);
    const [question, call, result, answer, ...more] = await kept('one');
    expect([question, call]).toEqual(['user: Fetch the cat.', 'assistant: ']);
    expect(result).toContain('no ladder');
    expect([answer, ...more]).toEqual(['assistant: I cannot.']);
  });

  test('by a reader who leaves the stream keeps the question', async () => {
    const { middleware, kept } = memory();
    const model = new FakeListChatModel({ responses: ['A long answer.'], sleep: 5 });
    const agent = createAgent({ model, middleware: [middleware] });
    const options = { ...THREAD, streamMode: 'messages' as const };
    for await (const _ of await agent.stream(asking('Tell me all.'), options)) break;
    await expect.poll(() => kept('one')).toEqual(['user: Tell me all.']);
  });
});

describe('a run that runs again', () => {
  test('from a checkpoint replaces the answer, and replayed to its end changes nothing', async () => {
    const { middleware, kept, turns } = memory();
    const agent = agentWith(answering('One.', 'Two.', 'Two again.', 'Three.'), middleware);
    await agent.invoke(asking('First?'), THREAD);
    await agent.invoke(asking('Second?'), THREAD);
    const before = await turns('one');
    const states = await Array.fromAsync(agent.graph.getStateHistory(THREAD));
    const at = (node: string) => states.find(({ next }) => next.includes(node))?.config;
    await agent.invoke(null, at('memory.after_agent'));
    expect(await turns('one')).toEqual(before);
    await agent.invoke(null, at('model_request'));
    const again = [
      ...['user: First?', 'assistant: One.'],
      ...['user: Second?', 'assistant: Two again.'],
    ];
    expect(await kept('one')).toEqual(again);
    await agent.invoke(asking('Third?'), THREAD);
    expect(await kept('one')).toEqual([...again, 'user: Third?', 'assistant: Three.']);
  });

  test('from a checkpoint in a tool loop replaces only the answer', async () => {
    const { middleware, kept } = memory();
    const agent = agentWith(answering(calling('c1'), 'Noon.', 'Twelve.', 'Bye.'), middleware);
    await agent.invoke(asking('What time is it?'), THREAD);
    const states = await Array.fromAsync(agent.graph.getStateHistory(THREAD));
    await agent.invoke(null, states.find(({ next }) => next.includes('model_request'))?.config);
    const steps = ['user: What time is it?', 'assistant: ', 'tool: noon'];
    expect(await kept('one')).toEqual([...steps, 'assistant: Twelve.']);
  });

  test('at the same time in the same thread keeps both answers', async () => {
    const { middleware, kept } = memory();
    const [first, second] = ['First?', 'Second?'] as const;
    const held = holding(first, second);
    const model = answering('One.', 'Two.');
    const agent = createAgent({ model, middleware: [middleware, held.middleware] });
    const runs = [];
    for (const question of [first, second]) {
      runs.push(agent.invoke(asking(question), THREAD));
      await expect.poll(() => kept('one')).toContain(`user: ${question}`);
    }
    for (const [at, question] of [first, second].entries()) {
      held.letGo(question);
      await runs[at];
    }
    const questions = ['user: First?', 'user: Second?'];
    expect(await kept('one')).toEqual([...questions, 'assistant: One.', 'assistant: Two.']);
  });

  test('with the same message after a failure reads memory again', async () => {
    const tenant = newTenant();
    const { middleware } = memory(tenant);
    const model = answering(new Error('overloaded'), 'To walnuts.');
    const agent = createAgent({ model, middleware: [middleware] });
    const question = asking('What is Ann allergic to?');
    await expect(agent.invoke(question, THREAD)).rejects.toThrow('overloaded');
    const content = 'Ann is allergic to walnuts.';
    await library().varve.memory.add({ tenant, identifiers, layer: 'user', content });
    await agent.invoke(question, THREAD);
    expect(read(model, 1).join()).toContain('walnuts');
  });

  test('with messages without ids keeps each once', async () => {
    const { middleware, kept } = memory();
    const model = answering('One.', 'One again.', 'Two.', 'Two.');
    const agent = createAgent({ model, middleware: [middleware] });
    const first = { role: 'user', content: 'First?' };
    await agent.invoke({ messages: [first] }, THREAD);
    await agent.invoke({ messages: [first] }, THREAD);
    const more = [first, { role: 'assistant', content: 'One again.' }];
    const second = [
      { role: 'user', content: 'And' },
      { role: 'user', content: 'second?' },
    ];
    await agent.invoke({ messages: [...more, ...second] }, THREAD);
    await agent.invoke({ messages: [...more, ...second] }, THREAD);
    expect(await kept('one')).toEqual([
      ...['user: First?', 'assistant: One again.'],
      ...['user: And', 'user: second?', 'assistant: Two.'],
    ]);
  });

  test('with the same words as before its answer is a new question', async () => {
    const { middleware, kept } = memory();
    const agent = agentWith(answering('Done.', 'Done again.'), middleware);
    await agent.invoke(asking('Go on.'), THREAD);
    await agent.invoke(asking('Go on.'), THREAD);
    const whole = ['user: Go on.', 'assistant: Done.', 'user: Go on.', 'assistant: Done again.'];
    expect(await kept('one')).toEqual(whole);
  });

  test('does not bring back what was deleted', async () => {
    const tenant = newTenant();
    const { middleware, kept, turns } = memory(tenant);
    const model = answering(new Error('overloaded'), 'Fine.', 'I do not know.');
    const agent = agentWith(model, middleware);
    const secret = agent.invoke(asking('The code of the safe is 48213.'), THREAD);
    await expect(secret).rejects.toThrow('overloaded');
    const turnIds = (await turns('one')).map(({ id }) => id);
    await library().varve.conversation.delete({ tenant, sessionId: 'one', turnIds });
    await agent.invoke(asking('How are you?'), THREAD);
    expect(await kept('one')).toEqual(['user: How are you?', 'assistant: Fine.']);
    await agent.invoke(asking('What is the code of the safe?'), inThread('two'));
    expect(read(model, 2).join()).not.toContain('48213');
  });

  test('after a message left the state keeps its turn', async () => {
    const { middleware, kept } = memory();
    const agent = agentWith(answering('One.', 'Two.'), middleware);
    await agent.invoke(asking('First?'), THREAD);
    const ids = (await stateOf(agent, 'one')).map(({ id }) => id ?? '');
    const removed = ids.map((id) => new RemoveMessage({ id }));
    await agent.invoke({ messages: [...removed, new HumanMessage('Second?')] }, THREAD);
    const whole = ['user: First?', 'assistant: One.', 'user: Second?', 'assistant: Two.'];
    expect(await kept('one')).toEqual(whole);
  });
});

test('a message of the user that middleware adds in the middle of a run separates nothing', async () => {
  const { middleware, kept } = memory();
  const hinting = createMiddleware({
    name: 'hinting',
    beforeModel: ({ messages }) =>
      messages.at(-1)?.type === 'tool' ? { messages: [new HumanMessage('Be brief.')] } : undefined,
  });
  const agent = agentWith(answering(calling('c1'), 'Noon.'), hinting, middleware);
  await agent.invoke(asking('What time is it?'), THREAD);
  const steps = ['assistant: ', 'tool: noon', 'user: Be brief.', 'assistant: Noon.'];
  expect(await kept('one')).toEqual(['user: What time is it?', ...steps]);
});

test('a message above the size of one turn is kept whole', async () => {
  const { middleware, turns } = memory();
  const long = 'Choir is on Mondays, and the hall opens at six. '.repeat(6_000);
  await agentWith(answering('Noted.'), middleware).invoke(asking(long), THREAD);
  const said = (await turns('one')).filter(({ role }) => role === 'user');
  expect(said.map(({ content }) => content).join('')).toBe(long);
});

describe('with a running summary in the same agent', () => {
  const questions = [0, 1, 2, 3, 4].map((at) => `Question ${String(at)}: what does Clara play?`);
  const answers = questions.map((_, at) => `Answer ${String(at)} is an oboe.`);
  const whole = questions.flatMap((text, at) => [
    `user: ${text}`,
    `assistant: ${answers[at] ?? ''}`,
  ]);

  test.each([
    ['before', 0],
    ['after', 1],
  ])('memory %s it is read by the model, and its limit is that of the state', async (_, at) => {
    const tenant = newTenant();
    const { middleware, kept } = memory(tenant);
    const { conversation } = library().varve;
    const summarizing = summarizationMiddleware({
      ...{ model: new FakeListChatModel({ responses: ['They talk.'] }), maxTokens: 60 },
      maxSummaryTokens: 20,
      memoryFlushHook: flushThread({ conversation, tenant, identifiers }),
    });
    const model = answering('Nice.', ...answers);
    const agent = agentWith(model, ...[summarizing as object].toSpliced(at, 0, middleware));
    await agent.invoke(asking('My sister Clara plays the oboe in Bern.'), inThread('zero'));
    for (const question of questions) await agent.invoke(asking(question), THREAD);
    await summarizing.settled();
    const [system, ...texts] = read(model, 5);
    expect(system).toContain('They talk.');
    expect(texts.at(-1)).toContain('My sister Clara plays the oboe in Bern.');
    expect(texts.slice(0, -1).join('\n')).not.toContain(questions[0]);
    expect(await kept('one')).toEqual(whole);
  });

  test('a summary that LangChain writes as a message of the user is no turn', async () => {
    const { middleware, kept } = memory();
    const summarizing = summarizationOfLangChain({
      model: new FakeListChatModel({ responses: ['They talk.'] }),
      ...{ trigger: { messages: 4 }, keep: { messages: 2 } },
    } as never);
    const model = answering(...answers);
    const agent = agentWith(model, middleware, summarizing);
    for (const question of questions) await agent.invoke(asking(question), THREAD);
    expect(read(model, 4).join('\n')).toContain('They talk.');
    expect(await kept('one')).toEqual(whole);
    const summary = new HumanMessage({
      ...{ content: 'They talk.', additional_kwargs: { lc_source: 'summarization' } },
    });
    const loop = [summary, calling('c1'), new ToolMessage({ content: 'noon', tool_call_id: 'c1' })];
    const later = answering('It is noon.');
    await agentWith(later, middleware).invoke({ messages: loop }, inThread('two'));
    expect(read(later, 0)[0]).toBe('They talk.');
    expect(await kept('two')).toEqual([]);
  });
});
