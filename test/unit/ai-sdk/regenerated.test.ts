/** An answer that the app generates again replaces the first one; a repeated question does not. */
import {
  generateText,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
  type ModelMessage,
} from 'ai';
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { memoryMiddleware, type MemoryMiddlewareOptions } from '#ai-sdk/index.ts';
import { newTenant, sharedLibrary } from '#test/unit/library/open-library.ts';

const library = sharedLibrary();
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const STOP = { unified: 'stop', raw: 'stop' } as const;
const CALLS = { unified: 'tool-calls', raw: 'tool_calls' } as const;

const saying = (text: string) => ({
  ...{ content: [{ type: 'text' as const, text }], finishReason: STOP, usage, warnings: [] },
});
const calling = (toolCallId: string) => ({
  content: [{ type: 'tool-call' as const, toolCallId, toolName: 'clock', input: '{}' }],
  ...{ finishReason: CALLS, usage, warnings: [] },
});
const streaming = (text: string) => ({
  stream: convertArrayToReadableStream([
    { type: 'stream-start' as const, warnings: [] },
    { type: 'text-start' as const, id: '1' },
    { type: 'text-delta' as const, id: '1', delta: text },
    { type: 'text-end' as const, id: '1' },
    { type: 'finish' as const, finishReason: STOP, usage },
  ]),
});

const user = (content: string): ModelMessage => ({ role: 'user', content });
const assistant = (content: string): ModelMessage => ({ role: 'assistant', content });

/** A session to which an app sends messages; `answers` are those of the model, in turn. */
function chat(more: Partial<MemoryMiddlewareOptions> = {}) {
  const tenant = newTenant();
  const about = { varve: library().varve, tenant, identifiers: { userId: 'ann' } };
  const middleware = memoryMiddleware({ ...about, sessionId: 's', ...more });
  const clock = tool({ inputSchema: z.object({}), execute: () => 'noon' });
  return {
    send: async (messages: readonly ModelMessage[], ...answers: object[]) => {
      const doGenerate = answers as ReturnType<typeof saying>[];
      const model = wrapLanguageModel({
        model: new MockLanguageModelV4({ doGenerate }),
        middleware,
      });
      const asked = { model, messages: [...messages], tools: { clock } };
      await generateText({ ...asked, stopWhen: stepCountIs(5) });
    },
    stream: async (messages: readonly ModelMessage[], answer: string) => {
      const mock = new MockLanguageModelV4({ doStream: streaming(answer) });
      const model = wrapLanguageModel({ model: mock, middleware });
      await streamText({ model, messages: [...messages] }).consumeStream();
    },
    kept: async () => {
      const { messages } = await library().varve.conversation.messages({ tenant, sessionId: 's' });
      return messages.map(({ content }) => content);
    },
  };
}

const LONG = 'Choir is on Mondays, and the hall opens at six. '.repeat(6_000);
/** A long turn comes back in parts. */
const shown = (texts: readonly string[]) => texts.join('').replace(LONG, '(long)');
const HISTORY = ['Hi.', 'Hello, Ann.', 'I sing.', 'How nice.'];
const dialog = (texts: readonly string[]) =>
  texts.map((text, at) => (at % 2 === 0 ? user(text) : assistant(text)));

describe('an answer that is generated again for the same message', () => {
  test.each([
    ['the first of its session', [], 'When is choir?', 'On Mondays.', 'At six.'],
    ['after others', HISTORY, 'When is choir?', 'On Mondays.', 'At six.'],
    ['with the same words', HISTORY, 'When is choir?', 'On Mondays.', 'On Mondays.'],
    ['a long one', HISTORY, 'When is choir?', LONG, 'On Mondays.'],
    ['to a long question', HISTORY, LONG, 'On Mondays.', 'At six.'],
    ['in Chinese', ['你好。', '你好！'], '合唱团什么时候？', '周一。', '六点。'],
  ])('%s: replaces the one before', async (_which, before, question, first, second) => {
    const { send, kept } = chat();
    for (let at = 0; at < before.length; at += 2) {
      await send(dialog(before.slice(0, at + 1)), saying(before[at + 1] ?? ''));
    }
    const messages = [...dialog(before), user(question)];
    await send(messages, saying(first));
    await send(messages, saying(second));
    expect(shown(await kept())).toBe(shown([...before, question, second]));
    await send(messages, saying('Ask Bo.'));
    expect(shown(await kept())).toBe(shown([...before, question, 'Ask Bo.']));
  });

  test('streamed: replaces the one before', async () => {
    const { stream, kept } = chat();
    await stream([user('When is choir?')], 'On Mondays.');
    await stream([user('When is choir?')], 'At six.');
    expect(await kept()).toEqual(['When is choir?', 'At six.']);
  });

  test.each([
    ['both with tools', [calling('a'), saying('At noon.')], [calling('b'), saying('At one.')]],
    ['the first with tools', [calling('a'), saying('At noon.')], [saying('At one.')]],
    ['the second with tools', [saying('At noon.')], [calling('b'), saying('At one.')]],
  ])('%s: replaces calls, results and answer', async (_which, first, second) => {
    const { send, kept } = chat();
    const messages = [...dialog(HISTORY.slice(0, 2)), user('When is choir?')];
    await send([user('Hi.')], saying('Hello, Ann.'));
    await send(messages, ...first);
    await send(messages, ...second);
    const calls = second.length === 2 ? ['', 'noon'] : [];
    expect(await kept()).toEqual(['Hi.', 'Hello, Ann.', 'When is choir?', ...calls, 'At one.']);
  });

  test('goes on from a shortened history: replaces the one before', async () => {
    const { send, kept } = chat();
    await send([user('Hi.')], saying('Hello, Ann.'));
    await send(dialog(HISTORY.slice(0, 3)), saying('How nice.'));
    const messages = [assistant('How nice.'), user('When is choir?')];
    await send(messages, saying('On Mondays.'));
    await send(messages, saying('At six.'));
    expect(await kept()).toEqual([...HISTORY, 'When is choir?', 'At six.']);
  });

  test('cut short or without words: leaves the one before', async () => {
    const { send, kept } = chat();
    await send([user('When is choir?')], saying('On Mondays.'));
    await send([user('When is choir?')], saying(' '));
    expect(await kept()).toEqual(['When is choir?', 'On Mondays.']);
  });

  test('over something that cannot delete: stays beside the one before', async () => {
    const { context, memory, conversation } = library().varve;
    const { append, messages } = conversation;
    const { send, kept } = chat({ varve: { context, memory, conversation: { append, messages } } });
    await send([user('When is choir?')], saying('On Mondays.'));
    await send([user('When is choir?')], saying('At six.'));
    expect(await kept()).toEqual(['When is choir?', 'On Mondays.', 'At six.']);
  });

  test('if the first cannot be deleted: both stay, and onError gets the failure', async () => {
    const { conversation, ...rest } = library().varve;
    const failure = new Error('no deletion today');
    const failing = { ...conversation, delete: () => Promise.reject(failure) };
    const seen: unknown[] = [];
    const onError = (error: unknown) => seen.push(error);
    const { send, kept } = chat({ varve: { ...rest, conversation: failing }, onError });
    await send([user('When is choir?')], saying('On Mondays.'));
    await send([user('When is choir?')], saying('At six.'));
    expect(await kept()).toEqual(['When is choir?', 'On Mondays.', 'At six.']);
    expect(seen).toEqual([failure]);
  });
});

describe('what stays as it was', () => {
  const Q = 'And now?';
  test.each([
    ['the question asked again, with its answer', [[Q], [Q, 'A.', Q]], ['A.', 'B.']],
    [
      'the same words answered alike',
      [[Q], [Q, 'A.', Q], [Q, 'A.', Q, 'A.', Q]],
      ['A.', 'A.', 'B.'],
    ],
    ['the same again without history', [['Hi.'], ['Hi.', 'A.', Q], [Q]], ['A.', 'B.', 'C.']],
    ['another question', [[Q], ['And then?']], ['A.', 'B.']],
    ['an edited history', [['Hi.'], ['Hi.', 'A.', Q], ['Hi.', 'Z.', Q]], ['A.', 'B.', 'C.']],
    ['words that the session lacks', [[Q], ['Hi.', 'Hello.', Q]], ['A.', 'B.']],
  ])('%s', async (_what, sent, answers) => {
    const { send, kept } = chat();
    for (const [at, texts] of sent.entries()) await send(dialog(texts), saying(answers[at] ?? ''));
    const said = sent.flatMap((texts, at) => [texts.at(-1), answers[at]]);
    expect(await kept()).toEqual(said);
  });
});
