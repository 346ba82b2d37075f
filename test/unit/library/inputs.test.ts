import { describe, expect, test } from 'vitest';
import type { Varve } from '#cli/open-varve.ts';
import { failureOf } from '#test/unit/failures.ts';
import { newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();

/** Stands in every wrong input where memory text could; no answer may repeat it. */
const SECRET = 'Ann-has-a-secret';
const HALF = '\ud83d';
const NUL = '\0';

const ADD = { tenant: 'acme', layer: 'user', identifiers: { userId: 'ann' }, content: SECRET };
const TURN = { role: 'user', content: SECRET };
const SESSION = { tenant: 'acme', sessionId: 's', turns: [TURN] };
const FILTERED = (filter: unknown) => ({ ...ASK, filter });
const LIST = { tenant: 'acme', identifiers: { userId: 'ann' } };
const ITEM = { layer: 'user', identifiers: { userId: 'ann' }, content: SECRET };
const ASK = { tenant: 'acme', identifiers: { userId: 'ann' }, query: SECRET };

/** Objects as they come out of a JSON text, where `__proto__` is a field like any other. */
const json = (text: string): unknown => JSON.parse(text);
const nested = (levels: number): unknown =>
  Array.from({ length: levels }).reduce<unknown>((inner) => [inner], SECRET);

type Call = (varve: Varve, input: never) => Promise<unknown>;

const CALLS = {
  add: (varve, input) => varve.memory.add(input),
  get: (varve, input) => varve.memory.get(input),
  update: (varve, input) => varve.memory.update(input),
  delete: (varve, input) => varve.memory.delete(input),
  append: (varve, input) => varve.conversation.append(input),
  summary: (varve, input) => varve.summary.get(input),
  list: (varve, input) => varve.summary.list(input),
  search: (varve, input) => varve.memory.search(input),
  memories: (varve, input) => varve.memory.list(input),
  bulkAdd: (varve, input) => varve.memory.bulkAdd(input),
  bulkDelete: (varve, input) => varve.memory.bulkDelete(input),
  history: (varve, input) => varve.memory.history(input),
  assemble: (varve, input) => varve.context.assemble(input),
} as const satisfies Record<string, Call>;

const NOT_AN_OBJECT = Object.keys(CALLS).flatMap((call) =>
  [undefined, null, SECRET, 7, [SECRET]].map(
    (input) => [call as keyof typeof CALLS, input, 'input'] as const,
  ),
);

const ROWS: readonly (readonly [call: keyof typeof CALLS, input: unknown, path: string])[] = [
  ...NOT_AN_OBJECT,
  ['add', { ...ADD, other: SECRET }, 'other'],
  ['add', { ...ADD, tenant: 'Acme' }, 'tenant'],
  ['add', { ...ADD, tenant: `acme${NUL}` }, 'tenant'],
  ['add', { ...ADD, tenant: undefined }, 'tenant'],
  ['add', { ...ADD, layer: 3 }, 'layer'],
  ['add', { ...ADD, content: '' }, 'content'],
  ['add', { ...ADD, content: [SECRET] }, 'content'],
  ['add', { ...ADD, content: `${SECRET}${NUL}` }, 'content'],
  ['add', { ...ADD, content: `${SECRET}${HALF}` }, 'content'],
  ['add', { ...ADD, identifiers: { userId: `ann${HALF}` } }, 'identifiers.userId'],
  ['add', { ...ADD, identifiers: { userId: undefined } }, 'identifiers.userId'],
  ['append', { ...SESSION, identifiers: { userId: undefined } }, 'identifiers.userId'],
  [
    'search',
    { ...ASK, identifiers: { userId: 'ann', projectId: undefined } },
    'identifiers.projectId',
  ],
  ['assemble', { ...ASK, identifiers: { agentId: undefined } }, 'identifiers.agentId'],
  [
    'bulkAdd',
    { tenant: 'acme', memories: [{ ...ITEM, identifiers: { userId: undefined } }] },
    'memories.0.identifiers.userId',
  ],
  ['add', { ...ADD, identifiers: { userId: `ann${NUL}` } }, 'identifiers.userId'],
  ['add', { ...ADD, identifiers: { userId: 'a'.repeat(257) } }, 'identifiers.userId'],
  ['add', { ...ADD, identifiers: { userId: '' } }, 'identifiers.userId'],
  ['add', { ...ADD, identifiers: { userId: ' \n' } }, 'identifiers.userId'],
  ['add', { ...ADD, identifiers: { userId: '\u200b' } }, 'identifiers.userId'],
  ['add', { ...ADD, identifiers: { userId: 'undefined' } }, 'identifiers.userId'],
  ['search', { ...ASK, identifiers: { userId: String(null) } }, 'identifiers.userId'],
  ['append', { ...SESSION, identifiers: { userId: '[object Object]' } }, 'identifiers.userId'],
  ['append', { ...SESSION, identifiers: Promise.resolve({ userId: 'ann' }) }, 'identifiers'],
  ['search', { ...ASK, identifiers: new Map([['userId', 'ann']]) }, 'identifiers'],
  ['assemble', { ...ASK, identifiers: new Date() }, 'identifiers'],
  ['append', { ...SESSION, sessionId: ' ' }, 'sessionId'],
  ['append', { ...SESSION, sessionId: 'undefined' }, 'sessionId'],
  ['search', { ...ASK, tenant: 'undefined' }, 'tenant'],
  ['add', { ...ADD, content: '\u200b' }, 'content'],
  ['add', { ...ADD, tags: ['\t'] }, 'tags.0'],
  ['add', { ...ADD, key: ' ' }, 'key'],
  ['add', { ...ADD, idempotencyKey: ' ' }, 'idempotencyKey'],
  ['add', { ...ADD, identifiers: { user: 'ann' } }, 'identifiers.user'],
  ['add', { ...ADD, key: `k${HALF}` }, 'key'],
  ['add', { ...ADD, kind: SECRET }, 'kind'],
  ['add', { ...ADD, tags: [`t${NUL}`] }, 'tags.0'],
  ['add', { ...ADD, tags: Array.from({ length: 65 }, (_, n) => String(n)) }, 'tags'],
  ['add', { ...ADD, tags: { 0: SECRET } }, 'tags'],
  ['add', { ...ADD, at: 'yesterday' }, 'at'],
  ['add', { ...ADD, at: '1950-01-01T00:00:00Z' }, 'at'],
  ['add', { ...ADD, at: -1 }, 'at'],
  ['add', { ...ADD, at: Number.MAX_SAFE_INTEGER }, 'at'],
  ['add', { ...ADD, expiresAt: 0.5 }, 'expiresAt'],
  ['add', { ...ADD, metadata: SECRET }, 'metadata'],
  ['add', { ...ADD, metadata: [SECRET] }, 'metadata'],
  ['add', { ...ADD, metadata: new Map([['a', SECRET]]) }, 'metadata'],
  ['add', { ...ADD, metadata: { a: SECRET.repeat(1_100) } }, 'metadata'],
  ['add', { ...ADD, metadata: { a: Array.from({ length: 20_000 }, () => 1) } }, 'metadata'],
  ['add', { ...ADD, metadata: { a: `${SECRET}${HALF}` } }, 'metadata.a'],
  ['add', { ...ADD, metadata: { a: { b: `${SECRET}${NUL}` } } }, 'metadata.a.b'],
  ['add', { ...ADD, metadata: { a: new Date(0) } }, 'metadata.a'],
  ['add', { ...ADD, metadata: { a: Number.NaN } }, 'metadata.a'],
  ['add', { ...ADD, metadata: { a: 7n } }, 'metadata.a'],
  ['add', { ...ADD, metadata: { a: undefined } }, 'metadata.a'],
  ['add', { ...ADD, metadata: json('{"__proto__":{"a":1}}') }, 'metadata.__proto__'],
  ['add', { ...ADD, metadata: json('{"a":{"__proto__":1}}') }, 'metadata.a.__proto__'],
  [
    'add',
    { ...ADD, metadata: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [n, n])) },
    'metadata',
  ],
  ['add', { ...ADD, metadata: { a: nested(100_000) } }, `metadata.a${'.0'.repeat(16)}`],
  ['add', json(`{"__proto__":{"tenant":"acme"},"content":"${SECRET}"}`), 'tenant'],
  ['get', { tenant: 'acme', id: `i${HALF}` }, 'id'],
  ['get', { tenant: 'acme', id: 'i'.repeat(129) }, 'id'],
  ['update', { tenant: 'acme', id: 'i', content: '' }, 'content'],
  ['update', { tenant: 'acme', id: 'i', expectedVersion: 0 }, 'expectedVersion'],
  ['update', { tenant: 'acme', id: 'i', layer: 'team' }, 'layer'],
  ['append', { tenant: 'acme', sessionId: 's', turns: [] }, 'turns'],
  [
    'append',
    { tenant: 'acme', sessionId: 's', turns: Array.from({ length: 1_001 }, () => TURN) },
    'turns',
  ],
  ['append', { tenant: 'acme', sessionId: `s${HALF}`, turns: [TURN] }, 'sessionId'],
  [
    'append',
    { tenant: 'acme', sessionId: 's', turns: [TURN, { ...TURN, role: SECRET }] },
    'turns.1.role',
  ],
  ['append', { tenant: 'acme', sessionId: 's', turns: [{ ...TURN, id: NUL }] }, 'turns.0.id'],
  [
    'append',
    { tenant: 'acme', sessionId: 's', turns: [{ ...TURN, speaker: HALF }] },
    'turns.0.speaker',
  ],
  [
    'append',
    { tenant: 'acme', sessionId: 's', turns: [{ ...TURN, content: 'x'.repeat(262_145) }] },
    'turns.0.content',
  ],
  ['summary', { tenant: 'acme', layer: 'user', depth: SECRET }, 'depth'],
  ['list', { tenant: 'acme', layer: 'user' }, 'layer'],
  ['assemble', { ...ASK, query: '' }, 'query'],
  ['assemble', { ...ASK, query: `${SECRET}${HALF}` }, 'query'],
  ['assemble', { ...ASK, query: SECRET.repeat(600) }, 'query'],
  ['assemble', { ...ASK, maxTokens: 0 }, 'maxTokens'],
  ['assemble', { ...ASK, layerSummaries: 'yes' }, 'layerSummaries'],
  ['add', { ...ADD, key: 'content:abc' }, 'key'],
  ['add', { ...ADD, deduplicate: 'Near' }, 'deduplicate'],
  ['add', { ...ADD, idempotencyKey: '' }, 'idempotencyKey'],
  ['search', { ...ASK, query: '' }, 'query'],
  ['search', { ...ASK, mode: 'magic' }, 'mode'],
  ['search', { ...ASK, limit: 0 }, 'limit'],
  ['search', { ...ASK, limit: 101 }, 'limit'],
  ['search', { ...ASK, threshold: 1.1 }, 'threshold'],
  ['search', { ...ASK, threshold: '0.7' }, 'threshold'],
  ['search', { ...ASK, layers: [] }, 'layers'],
  ['search', { ...ASK, order: 'random' }, 'order'],
  ['search', { ...ASK, tags: [NUL] }, 'tags.0'],
  ['search', FILTERED({ $where: 'sleep(1)' }), 'filter'],
  ['search', FILTERED({ field: 'a', eq: { $ne: null } }), 'filter.eq'],
  ['search', FILTERED({ field: '$where', eq: 1 }), 'filter.field'],
  ['search', FILTERED({ field: 'a.__proto__', eq: 1 }), 'filter.field'],
  ['search', FILTERED(json('{"__proto__":{"field":"a","eq":1}}')), 'filter'],
  ['search', FILTERED(nested(100)), 'filter'],
  ['memories', { ...LIST, cursor: '' }, 'cursor'],
  ['memories', { ...LIST, cursor: SECRET }, 'cursor'],
  ['memories', { ...LIST, limit: 501 }, 'limit'],
  ['memories', { ...LIST, order: 'best' }, 'order'],
  ['bulkAdd', { tenant: 'acme', memories: [] }, 'memories'],
  ['bulkAdd', { tenant: 'acme', memories: [ITEM, { ...ITEM, content: '' }] }, 'memories.1.content'],
  ['bulkAdd', { tenant: 'acme', memories: [{ ...ITEM, tenant: 'other' }] }, 'memories.0.tenant'],
  ['bulkDelete', { tenant: 'acme', ids: [] }, 'ids'],
  ['bulkDelete', { tenant: 'acme', ids: [7] }, 'ids.0'],
  ['history', { tenant: 'acme', id: 'i', beforeVersion: 0 }, 'beforeVersion'],
  ['history', { tenant: 'acme', id: 'i', limit: 101 }, 'limit'],
];

const refusal = (call: keyof typeof CALLS, input: unknown) =>
  failureOf(CALLS[call](library().varve, input as never));

describe('wrong inputs', () => {
  test.each(ROWS)(
    '%s refuses input %#, and the error names the place',
    async (call, input, path) => {
      const before = library().dump();
      const error = await refusal(call, input);
      expect(error.code).toBe('INVALID_INPUT');
      const { issues } = error.details as { issues: { path: string; expected: string }[] };
      expect(issues[0]?.path).toBe(path);
      expect(JSON.stringify([error.message, error.details])).not.toContain(SECRET);
      expect(error.message.length).toBeLessThan(5_000);
      expect(library().dump()).toEqual(before);
    },
  );

  test('an endless field name is shortened in the error', async () => {
    const error = await refusal('add', { ...ADD, ['x'.repeat(1_000_000)]: 1 });
    expect(error.code).toBe('INVALID_INPUT');
    expect(error.message.length).toBeLessThan(500);
  });

  test('the error shows the first ten of many mistakes', async () => {
    const turns = Array.from({ length: 1_000 }, () => ({ role: 'nobody' }));
    const error = await refusal('append', { tenant: 'acme', sessionId: 's', turns });
    expect(error.details['issues']).toHaveLength(10);
  });

  test('MEM-24: an unknown layer is INVALID_LAYER before other checks', async () => {
    for (const call of ['add', 'summary'] as const) {
      const { content: _, ...rest } = ADD;
      const input = call === 'add' ? ADD : rest;
      const error = await refusal(call, { ...input, layer: '__proto__' });
      expect(error).toMatchObject({ code: 'INVALID_LAYER', retryable: false });
    }
  });

  test('MEM-03: a layer without its identifier is MISSING_IDENTIFIER, and the error names it', async () => {
    const error = await refusal('add', { ...ADD, layer: 'session' });
    const details = { layer: 'session', identifier: 'sessionId' };
    expect(error).toMatchObject({ code: 'MISSING_IDENTIFIER', details });
  });

  test('unusual but valid input is stored unchanged', async () => {
    const tenant = newTenant();
    const content = "Zoë \u202e\ufeff 👩‍👩‍👧 <script>\r\n\t' OR 1=1; --";
    const metadata = { 'a.b': '$where', constructor: 1, '': [null, { deep: [true] }] };
    const identifiers = { projectId: 'constructor' };
    const { memory } = await library().varve.memory.add({
      ...{ tenant, layer: 'team', identifiers, content, metadata },
      tags: ['$ne'],
      key: '__proto__',
    });
    expect(memory).toMatchObject({ content, metadata, scopeId: 'default', key: '__proto__' });
    expect(await library().varve.memory.get({ tenant, id: memory.id })).toEqual(memory);
  });
});

test('an empty identifier is refused in one sentence', async () => {
  const { message } = await failureOf(
    library().varve.memory.search({ tenant: 'acme', identifiers: { userId: '' }, query: 'tea' }),
  );
  expect(message).toBe('identifiers.userId: expected at least 1 character, found 0');
});
