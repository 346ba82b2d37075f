import { describe, expect, test } from 'vitest';
import {
  addThreadMessages,
  flushThread,
  summarizationMiddleware,
  SummarizationNode,
  VarveStore,
  varveModel,
} from '#langgraph/index.ts';

const any = {};
const identifiers = { userId: 'ann' };

const BUILDERS: readonly (readonly [string, (options: never) => unknown, object])[] = [
  ['flushThread', flushThread, { conversation: any, tenant: 'acme', identifiers }],
  ['addThreadMessages', addThreadMessages, { memory: any, tenant: 'acme', identifiers }],
  ['varveModel', varveModel, { conversation: any, tenant: 'acme' }],
  [
    'VarveStore',
    (options) => new VarveStore(options),
    { memory: any, tenant: 'acme', identifiers },
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
