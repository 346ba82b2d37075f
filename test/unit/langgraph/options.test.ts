import { HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { describe, expect, test } from 'vitest';
import {
  addThreadMessages,
  flushThread,
  summarizationMiddleware,
  SummarizationNode,
  summarizeMessages,
  VarveStore,
  varveModel,
} from '#langgraph/index.ts';
import { SIX, human, scriptedModel } from './scripted-model.ts';

const model = scriptedModel('A summary.');
/** None of these calls gets so far that it needs one. */
const unused = {};
const identifiers = { userId: 'ann' };

const BUILDERS: readonly (readonly [string, (options: never) => unknown, object])[] = [
  ['flushThread', flushThread, { conversation: unused, tenant: 'acme', identifiers }],
  ['addThreadMessages', addThreadMessages, { memory: unused, tenant: 'acme', identifiers }],
  ['varveModel', varveModel, { conversation: unused, tenant: 'acme' }],
  [
    'VarveStore',
    (options) => new VarveStore(options),
    { memory: unused, tenant: 'acme', identifiers },
  ],
];

describe.each(BUILDERS)('%s', (_, build, options) => {
  const built = (given: unknown) => () => build(given as never);
  const refused = (said: string) =>
    expect.objectContaining({ code: 'INVALID_INPUT', message: expect.stringContaining(said) });

  test('takes its options', () => {
    expect(build(options as never)).toBeDefined();
  });

  test.each(Object.keys(options))('refuses to be built without %s', (name) => {
    expect(built({ ...options, [name]: undefined })).toThrow(refused(`set the option ${name}.`));
  });

  test('refuses a misspelled option and names the nearest', () => {
    expect(built({ ...options, tennant: 'acme' })).toThrow(refused('did you mean tenant?'));
  });

  test.each([undefined, null, 'acme'])('refuses %s in place of options', (given) => {
    expect(built(given)).toThrow(refused('Expected an object with'));
  });
});

test.each<[string, (options: never) => unknown]>([
  ['SummarizationNode', (options) => new SummarizationNode(options)],
  ['summarizationMiddleware', summarizationMiddleware],
])('%s refuses to be built without options', (_, build) => {
  expect(() => build(undefined as never)).toThrow('Expected an object with model, maxTokens');
});

describe('a developer who passes the wrong thing', () => {
  test.each([
    ['memoryFlushHook', { memoryFlushHook: 'log' }, 'memoryFlushHook: expected a function'],
    ['onHookError', { onHookError: true }, 'onHookError: expected a function'],
    ['tokenCounter', { tokenCounter: 4 }, 'tokenCounter: expected a function'],
    ['maxTokens', { maxTokens: 0 }, 'Expected a whole number of tokens from 1'],
    ['initialSummaryPrompt', { initialSummaryPrompt: 4 }, 'initialSummaryPrompt: expected a text'],
    ['finalPrompt', { finalPrompt: 4 }, 'finalPrompt: expected a text'],
  ])('is told of a wrong %s before any message is read', (_, wrong, message) => {
    expect(() => new SummarizationNode({ ...SIX, model, ...(wrong as object) })).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: expect.stringContaining(message) as string,
      }),
    );
  });

  test.each([Number.NaN, -1, undefined, 'many'])(
    'is told that the counter returned %s',
    async (count) => {
      const tokenCounter = (): number => count as number;
      await expect(
        summarizeMessages([new HumanMessage('Hi.')], { ...SIX, model, tokenCounter }),
      ).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('tokenCounter') as string,
      });
    },
  );
});

describe('a call of summarizeMessages', () => {
  test.each<[string, unknown, unknown, string]>([
    ['no options', [human('1', 'Go')], undefined, 'The options are undefined. Expected an object'],
    ['a summary below 0', [human('1', 'Go')], { maxSummaryTokens: -1 }, 'tokens from 0'],
    ['a text as messages', 'Go', {}, 'The input is no list'],
    ['a missing message', [human('1', 'Go'), null], {}, 'messages[1] is no message'],
    ['a message without content', [{ type: 'human' }], {}, 'messages[0] is no message'],
  ])('is refused with what was expected: %s', async (_, messages, options, said) => {
    const whole = options === undefined ? options : { ...SIX, model, ...(options as object) };
    await expect(
      summarizeMessages(messages as BaseMessage[], whole as never),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(said) });
  });
});
