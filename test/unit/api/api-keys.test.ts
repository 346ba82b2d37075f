/** API keys over a real socket: whom they admit, with which rights, and until when. */
import { describe, expect, test } from 'vitest';
import { fillBoundIdentifiers } from '#api/check-access.ts';
import { authenticator } from '#api/authenticate.ts';
import type { ApiKey } from '#core/records/api-key.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { failureOf } from '#test/unit/library/open-library.ts';
import { serveApi, TOKEN } from './served-api.ts';
import { shared } from '#test/shared-fixture.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const DAY = 86_400_000;
const WRITES = { tenant: 'acme', name: 'bot', role: 'write' } as const;

const clock = { now: NOON };
const api = shared(() =>
  serveApi({
    instead: ({ platform }) => ({ platform: { ...platform, clock: () => clock.now } }),
  }),
);

async function send(key: string, path: string, body?: unknown): Promise<{ status: number }> {
  const response = await fetch(`${api().url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, ...((await response.json()) as object) };
}

const MEMORIES = '/v1/tenants/acme/memories';
const DANA = { layer: 'user', identifiers: { userId: 'dana' }, content: 'Dana likes maps.' };

describe('a key that is bound to a user', () => {
  const EVA = { identifiers: { userId: 'eva' } };
  const CHESS = 'Eva plays chess on Sundays.';
  const QUERY = { query: 'When does Eva play chess?' };
  const SEARCH = '/v1/tenants/acme/memories/search';
  const CONTEXTS = '/v1/tenants/acme/contexts';

  test('speaks for that user if a call names nobody, in writes and reads', async () => {
    const { key } = await api().admin.key.create({ ...WRITES, ...EVA });
    const one = { layer: 'user', content: CHESS };
    expect(await send(key, MEMORIES, one)).toMatchObject({ memory: { scopeId: 'eva' } });
    const many = { memories: [{ layer: 'user', content: 'Eva has two sons.' }] };
    expect(await send(key, `${MEMORIES}/bulk-add`, many)).toMatchObject({ status: 200 });
    expect(await send(key, MEMORIES)).toMatchObject({
      memories: [{ scopeId: 'eva' }, { scopeId: 'eva' }],
    });
    expect(JSON.stringify(await send(key, SEARCH, QUERY))).toContain(CHESS);
    const context = await send(key, CONTEXTS, QUERY);
    expect(context).toMatchObject({ status: 200 });
    expect(JSON.stringify(context)).toContain(CHESS);
    expect(JSON.stringify(context)).not.toContain('MISSING_IDENTIFIER');
    const input = encodeURIComponent(JSON.stringify({ tenant: 'acme', ...QUERY }));
    expect(JSON.stringify(await send(key, `/memory.search?input=${input}`))).toContain(CHESS);
  });

  test('is refused another user and the layers outside its binding', async () => {
    const { key } = await api().admin.key.create({ ...WRITES, ...EVA, layers: ['project'] });
    const bob = { ...QUERY, identifiers: { userId: 'bob' } };
    expect(await send(key, SEARCH, bob)).toMatchObject({ status: 403 });
    const own = { layer: 'user', content: 'Eva sings.' };
    expect(await send(key, MEMORIES, own)).toMatchObject({ status: 403 });
    const context = await send(key, CONTEXTS, QUERY);
    expect(JSON.stringify(context)).not.toContain(CHESS);
  });

  test('without a binding, a call that names nobody is refused for the missing identifier', async () => {
    const { key } = await api().admin.key.create(WRITES);
    expect(await send(key, MEMORIES, { layer: 'user', content: 'x' })).toMatchObject({
      code: 'MISSING_IDENTIFIER',
    });
  });
});

describe('identifiers that a call leaves open', () => {
  const principal = { bound: { userId: 'eva', sessionId: 'monday' } };

  test.each([
    ['come from the binding', { identifiers: {} }, { identifiers: principal.bound }],
    [
      'stay as the call names them',
      { identifiers: { userId: 'bob', agentId: 'x', sessionId: undefined } },
      { identifiers: { userId: 'bob', agentId: 'x', sessionId: 'monday' } },
    ],
    [
      'of each memory come from the binding',
      { memories: [{ identifiers: {} }, 'no memory'] },
      { memories: [{ identifiers: principal.bound }, 'no memory'] },
    ],
    ['are not added as arguments of the call', { sessionId: 'tuesday' }, { sessionId: 'tuesday' }],
    ['are not added to an input without identifiers', { tenant: 'acme' }, { tenant: 'acme' }],
    ['are not added if there is no input', undefined, undefined],
  ])('%s', (_, input, filled) => {
    expect(fillBoundIdentifiers(principal, input)).toEqual(filled);
  });

  test('are not filled in above an identifier that the call names', () => {
    const bound = { teamId: 'red', orgId: 'o', companyId: 'c' };
    const input = { identifiers: { projectId: 'garden' } };
    expect(fillBoundIdentifiers({ bound }, input)).toEqual(input);
    expect(fillBoundIdentifiers({ bound }, { identifiers: {} })).toEqual({ identifiers: bound });
  });

  test('stay open if the principal is bound to nothing', () => {
    const input = { identifiers: {} };
    expect(fillBoundIdentifiers({ bound: {} }, input)).toBe(input);
  });
});

describe('a key of a tenant', () => {
  test('writes in its own name, and the store holds only a hash of its secret', async () => {
    const { key, id } = await api().admin.key.create(WRITES);
    const added = await send(key, MEMORIES, DANA);
    expect(added).toMatchObject({ status: 200, memory: { origin: { principal: 'key:bot' } } });
    const kept = (await api().ports.store.apiKeys.get('acme', id)) as ApiKey;
    expect(kept.hash.algorithm).toBe('sha256');
    const secret = key.split('_').at(-1) ?? '';
    expect(secret).toHaveLength(64);
    expect(JSON.stringify(kept)).not.toContain(secret);
    expect(JSON.stringify(await api().admin.key.list({ tenant: 'acme' }))).not.toContain(
      kept.hash.digest,
    );
  });

  test('is accepted until it is revoked, without a restart', async () => {
    const { key, id } = await api().admin.key.create(WRITES);
    const health = () => send(key, '/v1/health');
    expect((await health()).status).toBe(200);
    expect(await api().admin.key.revoke({ tenant: 'acme', id })).toEqual({ revoked: true });
    expect(await health()).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    const again = await failureOf(api().admin.key.revoke({ tenant: 'acme', id }));
    expect(again).toMatchObject({ code: 'NOT_FOUND', details: { id } });
  });

  test('is accepted until the millisecond before it expires', async () => {
    clock.now = NOON;
    const { key } = await api().admin.key.create({ ...WRITES, expiresAt: NOON + DAY });
    clock.now = NOON + DAY - 1;
    expect((await send(key, '/v1/health')).status).toBe(200);
    clock.now = NOON + DAY;
    expect((await send(key, '/v1/health')).status).toBe(401);
    const listed = await api().admin.key.list({ tenant: 'acme' });
    expect(listed.keys.filter(({ hasExpired }) => hasExpired)).toHaveLength(1);
  });

  test('can be rotated: a second key of the same name works until either is revoked', async () => {
    const [first, second] = [
      await api().admin.key.create(WRITES),
      await api().admin.key.create(WRITES),
    ];
    for (const { key } of [first, second]) expect((await send(key, '/v1/health')).status).toBe(200);
    await api().admin.key.revoke({ tenant: 'acme', id: first.id });
    expect((await send(first.key, '/v1/health')).status).toBe(401);
    expect((await send(second.key, MEMORIES, DANA)).status).toBe(200);
  });

  test('is refused if it expires before it begins', async () => {
    const failure = await failureOf(api().admin.key.create({ ...WRITES, expiresAt: clock.now }));
    expect(failure).toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(new Date(clock.now).toISOString()),
    });
  });
});

describe('a wrong key', () => {
  test('is refused with the same answer, whatever is wrong with it', async () => {
    const { key } = await api().admin.key.create(WRITES);
    const wrong = [
      'x',
      `${key}0`,
      `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
      key.replace('varve_acme_', 'varve_other_'),
      key.replaceAll('_', '-'),
      `${TOKEN}x`,
    ];
    const answers = await Promise.all(wrong.map((each) => send(each, '/v1/health')));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
  });

  test('does not affect the token of the installation, which may still create keys', async () => {
    const asked = { name: 'second', role: 'read' };
    expect((await send(TOKEN, '/v1/tenants/acme/keys', asked)).status).toBe(200);
  });
});

test('if only keys are accepted, the token of the installation is refused', async () => {
  const platform = { ...createPlatform(), clock: () => clock.now };
  const who = authenticator({ ports: { store: api().ports.store, platform }, token: '' });
  const bearing = (token: string) =>
    who({ headers: { authorization: `Bearer ${token}` }, socket: { remoteAddress: '::1' } });
  for (const token of [TOKEN, '', ' ']) {
    await expect(bearing(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  }
  const { key } = await api().admin.key.create(WRITES);
  expect(await bearing(key)).toMatchObject({ name: 'key:bot' });
});

describe('MCP with a key', () => {
  async function call(key: string, address: string, tool: string, input: object) {
    const response = await fetch(`${api().url}/mcp?${address}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: tool, arguments: input },
      }),
    });
    return { status: response.status, text: await response.text() };
  }
  const note = { content: 'Dana moved to Porto.' };

  test('a key with the read role adds nothing', async () => {
    const { key } = await api().admin.key.create({ ...WRITES, role: 'read' });
    const { text } = await call(key, 'tenant=acme&userId=dana', 'add_memory', note);
    expect(text).toContain('FORBIDDEN');
  });

  test('a key acts for its own identifiers, not for another user or tenant', async () => {
    const bound = { identifiers: { userId: 'dana' } };
    const { key } = await api().admin.key.create({ ...WRITES, ...bound });
    const added = await call(key, 'tenant=acme', 'add_memory', note);
    expect(added.text).toContain('Porto');
    for (const address of ['tenant=acme&userId=bob', 'tenant=other&userId=dana']) {
      const refused = await call(key, address, 'search_memory', { query: 'Porto' });
      expect(refused).toMatchObject({ status: 403 });
    }
  });
});
