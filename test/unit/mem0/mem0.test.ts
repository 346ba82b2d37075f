/** mem0's API over a real socket, with the requests of its clients. */
import { beforeAll, describe, expect, test } from 'vitest';
import fc from 'fast-check';
import { MEM0_ROUTES } from '#api/mem0/routes.ts';
import { ANY_CHARACTER } from '#test/any-character.ts';
import { readProjectFile } from '#test/tidy/source-file.ts';
import { NPM_2, NPM_3, PYPI_1, PYPI_2, type Recorded } from './recorded.ts';
import { serveApi, TOKEN } from '#test/unit/api/served-api.ts';
import { shared } from '#test/shared-fixture.ts';

let acme: string;
const api = shared(serveApi);
beforeAll(async () => {
  ({ key: acme } = await api().admin.key.create({ tenant: 'acme', name: 'bot', role: 'write' }));
});

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly authorization?: string;
}

async function send(path: string, { method, body, authorization }: Sent = {}) {
  const response = await fetch(`${api().url}/mem0${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: {
      authorization: authorization ?? `Token ${acme}`,
      'content-type': 'application/json',
      // One that is kept may end while the test is busy.
      connection: 'close',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  return { status: response.status, headers: response.headers, answer };
}

/** With `$ID` in the place of an id, wherever it stands. */
function withId<T>(value: T, id: string): T {
  return JSON.parse(JSON.stringify(value).replaceAll('$ID', id)) as T;
}

test('a client that names a user in Latin-1 is refused, and deletes nothing', async () => {
  const { status, answer } = await send('/v1/memories?user_id=Ren%E9', { method: 'DELETE' });
  expect(status).toBe(400);
  expect(JSON.stringify(answer)).toContain('not UTF-8');
});

describe('requests', () => {
  test.each<[string, readonly Recorded[]]>([
    ['the npm client 3.3.1', NPM_3],
    ['the PyPI client 2.2.1', PYPI_2],
    ['the npm client 2.1.38', NPM_2],
    ['the PyPI client 1.0.0', PYPI_1],
  ])('of %s are answered in the format that it reads', async (_, requests) => {
    let id = '';
    for (const { by, method, path, body, answer } of requests) {
      const sent = body === undefined ? {} : { body: withId(body, id) };
      const got = await send(path.replace('$ID', id), { method, ...sent });
      expect({ by, ...got }).toMatchObject({ by, status: 200, answer: withId(answer, id) });
      const [added] = (got.answer as { results?: { event?: string; id?: string }[] }).results ?? [];
      if (by.startsWith('add') && added?.id !== undefined) ({ id } = added);
    }
  });
});

/** Does what `reset` of the PyPI client does, and answers the entities before and after. */
async function reset(authorization: string) {
  const listed = async () => {
    const { answer } = await send('/v1/entities/', { authorization });
    return (answer as { results: readonly { type: string; name: string }[] }).results;
  };
  const before = await listed();
  for (const { type, name } of before) {
    const path = `/v2/entities/${type}/${encodeURIComponent(name)}/`;
    expect(await send(path, { method: 'DELETE', authorization })).toMatchObject({ status: 200 });
  }
  return { before, after: await listed() };
}

describe('a reset', () => {
  const tenant = 'reset';
  let authorization = '';
  beforeAll(async () => {
    const { key } = await api().admin.key.create({ tenant, name: 'bot', role: 'write' });
    authorization = `Token ${key}`;
  });

  test('leaves no run that has only turns of a conversation, and none of its turns', async () => {
    const { conversation, memory } = api().admin;
    const session = { tenant, sessionId: 'call 1' };
    const identifiers = { userId: 'ann' };
    const turns = [{ role: 'user' as const, content: 'I live in Lyon.' }];
    await conversation.append({ ...session, identifiers, turns });
    await conversation.flush(session);
    await conversation.append({ ...session, identifiers, turns });
    const { before, after } = await reset(authorization);
    expect(before).toMatchObject([
      { type: 'run', name: 'call 1', total_memories: 2 },
      { type: 'user', name: 'ann', total_memories: 1 },
    ]);
    expect(after).toEqual([]);
    expect((await conversation.messages(session)).messages).toEqual([]);
    expect((await memory.list({ tenant, identifiers })).memories).toEqual([]);
  });

  test('leaves none of more entities than a page has', async () => {
    const memories = Array.from({ length: 120 }, (_, at) => ({
      layer: 'user' as const,
      identifiers: { userId: `user-${String(at)}` },
      content: 'Likes tea.',
    }));
    await api().admin.memory.bulkAdd({ tenant, memories });
    const { before, after } = await reset(authorization);
    expect([before.length, after.length]).toEqual([120, 0]);
  });
});

describe('a caller', () => {
  const ADD = {
    messages: 'Ola keeps bees.',
    infer: false,
  };

  test('without a valid key gets 401, with the words where the clients expect them', async () => {
    const { status, headers, answer } = await send('/v1/ping/', { authorization: 'Token wrong' });
    expect(status).toBe(401);
    expect(headers.get('content-type')).toBe('application/json');
    expect(answer).toMatchObject({ code: 'UNAUTHENTICATED', detail: expect.any(String) as string });
  });

  test('with the token of the installation uses the tenant in the address, or default', async () => {
    const authorization = `Token ${TOKEN}`;
    const ping = async (path: string) => (await send(path, { authorization })).answer;
    expect(await ping('/v1/ping/')).toMatchObject({ org_id: 'default' });
    expect(await ping('/tenants/globex/v1/ping')).toMatchObject({ org_id: 'globex' });
  });

  test('with a key is refused at the address of another tenant', async () => {
    expect(await send('/tenants/globex/v1/ping/')).toMatchObject({
      status: 403,
      answer: { code: 'FORBIDDEN' },
    });
  });

  test('with a key bound to a user acts only for that user', async () => {
    const { key } = await api().admin.key.create({
      tenant: 'acme',
      name: 'ola',
      role: 'write',
      identifiers: { userId: 'ola' },
    });
    const authorization = `Token ${key}`;
    const added = await send('/v3/memories/add/', { body: ADD, authorization });
    expect(added.status).toBe(200);
    const list = { body: { filters: {} }, authorization };
    expect((await send('/v3/memories/', list)).answer).toMatchObject({
      count: 1,
      results: [{ user_id: 'ola', memory: ADD.messages }],
    });
    for (const [path, sent] of [
      ['/v3/memories/', { body: { filters: { user_id: 'ann' } } }],
      ['/v3/memories/add/', { body: { ...ADD, agent_id: 'bot', user_id: 'ann' } }],
      ['/v1/entities/', {}],
      ['/v1/memories/?user_id=ann', { method: 'DELETE' }],
    ] as const) {
      const got = await send(path, { ...sent, authorization });
      expect({ path, ...got }).toMatchObject({ path, status: 403 });
    }
  });

  test('with a read-only key adds nothing', async () => {
    const { key } = await api().admin.key.create({ tenant: 'acme', name: 'reader', role: 'read' });
    const body = { ...ADD, user_id: 'ola' };
    const sent = { body, authorization: `Token ${key}` };
    expect(await send('/v3/memories/add/', sent)).toMatchObject({ status: 403 });
  });
});

describe('a memory added through mem0', () => {
  test('is a normal memory of Varve, and a memory of Varve is found through mem0', async () => {
    const body = { messages: 'Kim sails.', user_id: 'kim', run_id: 'r1', infer: false };
    await send('/v3/memories/add/', { body });
    const kim = { tenant: 'acme', identifiers: { userId: 'kim' } };
    const { memories } = await api().admin.memory.list(kim);
    expect(memories).toMatchObject([
      { layer: 'user', content: 'Kim sails.', origin: { principal: 'key:bot' } },
    ]);
    await api().admin.memory.add({ ...kim, layer: 'user', content: 'Kim cooks.', tags: ['food'] });
    const filters = { user_id: 'kim', categories: { in: ['food', 'drink'] } };
    const found = await send('/v3/memories/search/', { body: { query: 'cooks', filters } });
    expect(found.answer).toMatchObject({
      results: [{ memory: 'Kim cooks.', categories: ['food'] }],
    });
  });

  test('is found by a question without its words, unless a threshold excludes it', async () => {
    const body = { messages: 'I am allergic to peanuts.', user_id: 'uma' };
    await send('/v3/memories/add/', { body });
    const asked = { query: 'What may Uma not eat?', filters: { user_id: 'uma' } };
    const found = await send('/v3/memories/search/', { body: asked });
    expect(found.answer).toMatchObject({ results: [{ memory: 'I am allergic to peanuts.' }] });
    const near = await send('/v3/memories/search/', { body: { ...asked, threshold: 0.7 } });
    expect(near.answer).toEqual({ results: [] });
  });

  test('for a user and an agent belongs to the user, so an erasure of the user removes it', async () => {
    const messages = [
      { role: 'user', content: 'I live in Porto.' },
      { role: 'assistant', content: 'Lesson learned: never schedule Pia before nine.' },
    ];
    const ids = { user_id: 'pia', agent_id: 'bot' };
    const { answer } = await send('/v3/memories/add/', { body: { messages, ...ids } });
    expect(answer).toMatchObject({ results: [{ memory: 'I live in Porto.' }] });
    const filters = { AND: [{ agent_id: 'bot' }, { user_id: 'pia' }] };
    const listed = await send('/v3/memories/', { body: { filters } });
    expect(listed.answer).toMatchObject({ results: [ids] });
    await api().admin.memory.erase({ tenant: 'acme', target: { kind: 'User', id: 'pia' } });
    const { memories } = await api().admin.memory.list({
      tenant: 'acme',
      identifiers: { userId: 'pia', agentId: 'bot' },
      latestOnly: false,
    });
    expect(JSON.stringify(memories)).not.toContain('pia');
  });

  test('appears once across pages', async () => {
    const messages = Array.from({ length: 5 }, (_, at) => ({
      role: 'user',
      content: `Fact ${String(at)} of Lee.`,
    }));
    await send('/v3/memories/add/', { body: { messages, user_id: 'lee', infer: false } });
    const seen: string[] = [];
    for (const page of [1, 2, 3]) {
      const path = `/v3/memories/?page=${String(page)}&page_size=2`;
      const { answer } = await send(path, { body: { filters: { user_id: 'lee' } } });
      const { count, results } = answer as { count: number; results: { memory: string }[] };
      expect(count).toBe(5);
      seen.push(...results.map(({ memory }) => memory));
    }
    expect(seen).toEqual(messages.map(({ content }) => content).toReversed());
  });
});

const FILTERED = { query: 'x' };
const MESSAGES = { messages: [{ role: 'user', content: 'I live in Rome.' }], user_id: 'ann' };

describe('a call that cannot be answered', () => {
  test.each<[string, string, Sent, number, string]>([
    ['to an unsupported path of mem0', '/v1/feedback/', { body: {} }, 404, 'NOT_FOUND'],
    ['without a path', '', {}, 404, 'NOT_FOUND'],
    ['with another method', '/v1/memories/', { method: 'PATCH' }, 405, 'INVALID_INPUT'],
    ['for an unknown memory', '/v1/memories/none/', {}, 404, 'MEMORY_NOT_FOUND'],
    ['to a malformed path', '/v1/memories/%ff/', {}, 404, 'NOT_FOUND'],
    ['without an entity', '/v3/memories/search/', { body: FILTERED }, 400, 'MISSING_IDENTIFIER'],
    [
      'with only a run',
      '/v3/memories/add/',
      { body: { ...MESSAGES, user_id: null, run_id: 'r' } },
      400,
      'MISSING_IDENTIFIER',
    ],
    ['without a query', '/v3/memories/search/', { body: {} }, 400, 'INVALID_INPUT'],
    [
      'with an image',
      '/v3/memories/add/',
      {
        body: {
          user_id: 'ann',
          messages: [{ role: 'user', content: { type: 'image_url', image_url: { url: 'x' } } }],
        },
      },
      400,
      'INVALID_INPUT',
    ],
    [
      'with reserved metadata',
      '/v3/memories/add/',
      { body: { ...MESSAGES, metadata: { mem0: 1 } } },
      400,
      'INVALID_INPUT',
    ],
    [
      'with a field that cannot be set',
      '/v1/memories/none/',
      { method: 'PUT', body: { expiration_date: null } },
      400,
      'INVALID_INPUT',
    ],
    [
      'with delete_linked',
      '/v1/memories/none/?delete_linked=true',
      { method: 'DELETE' },
      400,
      'INVALID_INPUT',
    ],
    [
      'with filters in the address',
      '/v1/memories/?filters=%7B%27user_id%27%3A+%27ann%27%7D',
      { method: 'DELETE' },
      400,
      'INVALID_INPUT',
    ],
    [
      'beyond the last page',
      '/v3/memories/?page=999&page_size=500',
      { body: { filters: { user_id: 'ann' } } },
      400,
      'INVALID_INPUT',
    ],
    [
      'for an unknown entity type',
      '/v2/entities/team/x/',
      { method: 'DELETE' },
      400,
      'INVALID_INPUT',
    ],
  ])('%s is refused in the format of mem0', async (_, path, sent, status, code) => {
    const got = await send(path, sent);
    const detail = expect.stringMatching(/\w/u) as string;
    expect(got).toMatchObject({ status, answer: { code, detail } });
    expect(JSON.stringify(got.answer)).not.toContain('Rome');
  });

  test('to an unknown path lists the supported paths', async () => {
    const { answer } = await send('/v1/exports/', { body: {} });
    for (const route of MEM0_ROUTES) expect((answer as { detail: string }).detail).toContain(route);
  });

  test('never causes a server error, whatever is sent', async () => {
    const field = fc.constantFrom(
      ...'messages user_id run_id filters metadata query page text memories AND OR NOT'.split(' '),
      ...'categories in eq gte infer timestamp expiration_date role content top_k'.split(' '),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 5 },
        fc.string({ unit: ANY_CHARACTER }),
        fc.double(),
        fc.constantFrom(null, true, '*', 'ann', -1, 1e300),
        fc.array(tie('any'), { maxLength: 4 }),
        fc.dictionary(field, tie('any'), { maxKeys: 4 }),
      ),
    })).any;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...MEM0_ROUTES), value, async (route, body) => {
        const [method = '', path = ''] = route.split(' ');
        const real = path.replaceAll(/\{\w+\}/gu, 'user');
        const sent = method === 'GET' ? {} : { body };
        const query = method === 'GET' ? `?page=${encodeURIComponent(JSON.stringify(body))}` : '';
        const { status } = await send(`${real}/${query}`, { method, ...sent });
        expect(status).toBeLessThan(500);
      }),
      { numRuns: 100 },
    );
  });
});

test('docs/mem0.md names every supported path', () => {
  const { text } = readProjectFile('docs/mem0.md');
  for (const route of MEM0_ROUTES) expect(text).toContain(`\`${route}\``);
});
