/** Options of the wrong type are refused where they are given, by name, value and expectation. */
import { expect, test } from 'vitest';
import { memoryMiddleware, memoryTools } from '#ai-sdk/index.ts';
import { addThreadMessages, flushThread } from '#langgraph/memory-flush-hooks.ts';
import { settingsOf } from '#langgraph/summarization-options.ts';
import { memoryMiddleware as memoryOfLangGraph } from '#langgraph/memory-middleware.ts';
import { varveModel } from '#langgraph/varve-model.ts';
import { VarveStore } from '#langgraph/store/varve-store.ts';
import { thrownBy } from '#test/unit/failures.ts';

const about = { tenant: 'acme', identifiers: { userId: 'ann' } };
const hook = { ...about, conversation: {}, memory: {} };
const { memory: _, ...flush } = hook;
const { conversation: __, ...add } = hook;

/** What makes something of these options, and options that it accepts. */
const MAKERS: Readonly<Record<string, readonly [(given: never) => unknown, object]>> = {
  memoryMiddleware: [memoryMiddleware, { ...about, varve: {}, sessionId: 's' }],
  memoryOfLangGraph: [memoryOfLangGraph, { ...about, varve: {} }],
  memoryTools: [memoryTools, { ...about, varve: {} }],
  flushThread: [flushThread, flush],
  addThreadMessages: [addThreadMessages, add],
  varveModel: [varveModel, { tenant: 'acme', conversation: {} }],
  VarveStore: [(given: never) => new VarveStore(given), add],
  SummarizationNode: [
    (given: never) => settingsOf(given, []),
    { model: { invoke: () => null }, maxTokens: 1_000 },
  ],
};

const of = (...names: readonly string[]) => names;
const ALL = of(...Object.keys(MAKERS).filter((name) => name !== 'SummarizationNode'));
const MIDDLEWARE = of('memoryMiddleware', 'memoryOfLangGraph');
const NAMED = ALL.filter((name) => name !== 'varveModel');

test.each([
  ['tenant', 5, 'a text', ALL],
  ['identifiers', 'ann', 'an object of identifiers', NAMED],
  ['identifiers', ['ann'], 'an object of identifiers', NAMED],
  ['varve', 'memory', 'an open library or a client', of(...MIDDLEWARE, 'memoryTools')],
  ['sessionId', 5, 'a text', of('memoryMiddleware')],
  ['maxTokens', '600', 'a whole number from 1', of(...MIDDLEWARE, 'varveModel')],
  ['maxTokens', 0.5, 'a whole number from 1', of(...MIDDLEWARE, 'varveModel')],
  ['store', 'no', 'true or false', MIDDLEWARE],
  ['forget', 'yes', 'true or false', of('memoryTools')],
  ['omitTools', 'clock', 'a list of texts', of(...MIDDLEWARE, 'flushThread')],
  ['omitTools', [5], 'a list of texts', of(...MIDDLEWARE, 'flushThread')],
  ['onError', 'log', 'a function', MIDDLEWARE],
  ['name', 5, 'a text', of('memoryOfLangGraph')],
  ['onDailySummary', 'log', 'a function', of('flushThread')],
  ['layer', 'session', "one of 'user', 'agent'", of('memoryTools')],
  ['layer', 'users', "one of 'agent'", of('VarveStore')],
  ['conversation', 'c', 'an object', of('flushThread', 'varveModel')],
  ['memory', 'm', 'an object', of('addThreadMessages', 'VarveStore')],
  ['log', { info: 5 }, 'an object with the methods', of('SummarizationNode')],
])('%s: %j is no value', (name, value, expected, makers) => {
  for (const maker of makers) {
    const [make, accepted] = MAKERS[maker] ?? [];
    const refused = thrownBy(() => make?.({ ...accepted, [name]: value } as never));
    expect([maker, refused.code]).toEqual([maker, 'INVALID_INPUT']);
    expect(refused.message).toContain(`${name}: expected ${expected}`);
    expect(refused.message).toContain(', found ');
  }
});

test.each(Object.entries(MAKERS))('%s takes what it should', (_name, [make, accepted]) => {
  expect(() => make(accepted as never)).not.toThrow();
});

test.each([
  ['memoryMiddleware', { maxTokens: 600, store: false, omitTools: ['clock'], onError: () => 0 }],
  ['memoryMiddleware', { maxTokens: undefined, store: undefined, onError: undefined }],
  ['memoryOfLangGraph', { identifiers: () => ({}), omitTools: [], onError: undefined }],
  ['memoryTools', { layer: 'team', forget: false }],
  ['flushThread', { identifiers: () => ({}), omitTools: [], onDailySummary: () => 0 }],
  ['addThreadMessages', { identifiers: () => ({}) }],
  ['varveModel', { maxTokens: 600 }],
  ['VarveStore', { layer: 'user' }],
  ['SummarizationNode', { log: console }],
])('%s takes %o', (maker, given) => {
  const [make, accepted] = MAKERS[maker] ?? [];
  expect(() => make?.({ ...accepted, ...given } as never)).not.toThrow();
});

test('an object that refers to itself is refused without being shown', () => {
  const circular: Record<string, unknown> = {};
  circular['self'] = circular;
  const refused = thrownBy(() => memoryTools({ ...about, varve: {}, layer: circular } as never));
  expect(refused.message).toContain('layer: expected one of');
});
