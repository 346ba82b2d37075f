/** The operations as resources, over a real socket. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { namedOperations, servedOperations } from '#api/operations/table.ts';
import { openApi } from '#api/rest/openapi.ts';
import { matchRoute, parametersOf, ROUTES } from '#api/rest/routes.ts';
import { readProjectFile } from '#test/tidy/source-file.ts';
import { AUTH, serveApi, TOKEN } from './served-api.ts';
import { shared } from '#test/shared-fixture.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const TENANT = '/v1/tenants/acme';

const api = shared(serveApi);

interface Sent {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

async function send(path: string, { method, body, headers = AUTH }: Sent = {}) {
  const response = await fetch(`${api().url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...headers, ...(body === undefined ? {} : JSON_TYPE) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  return { status: response.status, headers: response.headers, answer };
}

const ANN = { layer: 'user', identifiers: { userId: 'ann' } };

describe('resource paths', () => {
  test('API-02: every operation over HTTP has a path of its own', () => {
    const names = namedOperations(servedOperations()).map(([name]) => name);
    expect(ROUTES.map(({ name }) => name)).toEqual(names);
    const places = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(places).size).toBe(places.length);
  });

  test('the parameters of a path are fields of its operation', () => {
    for (const route of ROUTES) {
      const path = route.path.replaceAll(/\{(\w+)\}/gu, 'x');
      const match = matchRoute(route.method, path);
      expect(match).toMatchObject({ kind: 'Found', route: { name: route.name } });
      const shape = (route.operation.input as unknown as { shape?: object }).shape ?? {};
      for (const name of parametersOf(route)) expect(Object.keys(shape)).toContain(name);
    }
  });

  test('a memory is added, read, changed, listed, found and deleted', async () => {
    const content = 'Ann lives in Porto.';
    const added = await send(`${TENANT}/memories`, { body: { ...ANN, content } });
    expect(added).toMatchObject({ status: 200, answer: { memory: { content, layer: 'user' } } });
    const { id } = added.answer['memory'] as { id: string };
    const changed = { method: 'PATCH', body: { content: 'Ann lives in Braga.' } };
    expect((await send(`${TENANT}/memories/${id}`, changed)).status).toBe(200);
    const read = await send(`${TENANT}/memories/${id}`);
    expect(read.answer).toMatchObject({ id, content: 'Ann lives in Braga.' });
    const listed = await send(
      `${TENANT}/memories?userId=ann&companyId=acme&layers=user,company&limit=5`,
    );
    expect(listed.answer).toMatchObject({ totalCount: 1, memories: [{ id }] });
    const query = { identifiers: ANN.identifiers, query: 'Ann lives in Braga' };
    const found = await send(`${TENANT}/memories/search`, { body: query });
    expect(JSON.stringify(found.answer)).toContain(id);
    expect((await send(`${TENANT}/memories/${id}`, { method: 'DELETE' })).status).toBe(200);
    const gone = await send(`${TENANT}/memories/${id}`);
    expect(gone).toMatchObject({ status: 404 });
  });

  test('the same Idempotency-Key returns the same memory', async () => {
    const headers = { ...AUTH, 'idempotency-key': 'once' };
    const body = { ...ANN, content: 'Ann plays the cello.' };
    const first = await send(`${TENANT}/memories`, { body, headers });
    const second = await send(`${TENANT}/memories`, { body, headers });
    expect(second.answer).toMatchObject({ memory: first.answer['memory'] });
  });

  test('the same Idempotency-Key appends turns without ids once, in each session', async () => {
    const headers = { ...AUTH, 'idempotency-key': 'turns-once' };
    const said = (...contents: readonly string[]) => ({
      turns: contents.map((content) => ({ role: 'user', content })),
    });
    const sent = (session: string, ...contents: readonly string[]) =>
      send(`${TENANT}/sessions/${session}/turns`, { body: said(...contents), headers });
    const append = async (session: string, content: string) =>
      (await sent(session, content)).answer;
    const first = await append('keyed', 'I plant tulips.');
    expect(first).toMatchObject({ appended: 1 });
    expect(await append('keyed', 'I plant tulips.')).toEqual({ ...first, appended: 0 });
    const refused = { status: 409, answer: { code: 'CONFLICT', retryable: false } };
    expect(await sent('keyed', 'I plant roses.')).toMatchObject(refused);
    expect(await sent('keyed', 'I plant tulips.', 'I plant roses.')).toMatchObject(refused);
    expect(await append('keyed-2', 'I plant tulips.')).toMatchObject({ appended: 1 });
    const { messages } = (await send(`${TENANT}/sessions/keyed/turns`)).answer;
    expect(messages).toMatchObject([{ content: 'I plant tulips.' }]);
  });

  test.each(['/v1/health?tenant=acme', `${TENANT}/budget?tenat=acme`])(
    'an unknown parameter is refused as not known: %s',
    async (path) => {
      const { status, answer } = await send(path);
      expect([status, answer['detail']]).toEqual([400, expect.stringContaining('is not known')]);
    },
  );

  test.each([
    ['user=ann', 'user is not known; did you mean userId?'],
    ['tenat=acme', 'tenat is not known; did you mean tenant?'],
    ['zebra=1', /^zebra is not known; known are agentId, userId, .*tenant, .*limit/u],
  ])('listing sessions with ?%s names the parameters that work', async (query, said) => {
    const { status, answer } = await send(`${TENANT}/sessions?${query}`);
    expect(status).toBe(400);
    expect(answer['detail']).toMatch(said);
  });

  test('the subject of a file is a text or JSON', async () => {
    const [user, agent] = [
      { kind: 'user', id: 'ann/lee' },
      { kind: 'agent', id: 'helper' },
    ];
    for (const subject of [user, agent]) {
      await send(`${TENANT}/daily`, { body: { subject, text: `Notes of ${subject.id}.` } });
      const path = `${subject.kind}/${subject.id}`;
      for (const text of [path, encodeURIComponent(path), JSON.stringify(subject)]) {
        const { answer } = await send(`${TENANT}/daily?subject=${text}`);
        expect(JSON.stringify(answer)).toContain(`Notes of ${subject.id}.`);
      }
    }
    for (const wrong of ['ann', 'team/ann', 'user/', '{']) {
      const { status, answer } = await send(`${TENANT}/daily?subject=${wrong}`);
      expect([status, answer['detail']]).toEqual([400, expect.stringContaining('user/ann')]);
    }
  });

  test.each<[string, string, Sent, number, string]>([
    ['without a token', `${TENANT}/budget`, { headers: {} }, 401, 'UNAUTHENTICATED'],
    ['to an unknown path', '/v1/nothing', {}, 404, 'NOT_FOUND'],
    ['for an unknown memory', `${TENANT}/memories/none`, {}, 404, 'NOT_FOUND'],
    ['with an unsupported method', `${TENANT}/budget`, { method: 'PUT' }, 405, 'INVALID_INPUT'],
    ['with a field missing', `${TENANT}/memories`, { body: ANN }, 400, 'INVALID_INPUT'],
    ['with a list as body', `${TENANT}/memories`, { body: [] }, 400, 'INVALID_INPUT'],
    ['with a malformed number', `${TENANT}/sessions?limit=x`, {}, 400, 'INVALID_INPUT'],
    ['with a malformed object', `${TENANT}/sessions?identifiers=x`, {}, 400, 'INVALID_INPUT'],
    [
      'with another tenant in the body than in the path',
      `${TENANT}/memories`,
      { body: { ...ANN, content: 'Tea.', tenant: 'other' } },
      400,
      'INVALID_INPUT',
    ],
    ['with two users', `${TENANT}/sessions?userId=ann&userId=bob`, {}, 400, 'INVALID_INPUT'],
    [
      'with two users in two forms',
      `${TENANT}/sessions?userId=ann&identifiers=${encodeURIComponent('{"userId":"bob"}')}`,
      {},
      400,
      'INVALID_INPUT',
    ],
    ['with a malformed path', '/v1/tenants/%ff/budget', {}, 404, 'NOT_FOUND'],
    [
      'with a body above 4 MiB',
      `${TENANT}/memories`,
      { body: { ...ANN, content: 'x'.repeat(5 * 1024 * 1024) } },
      413,
      'CONTENT_TOO_LONG',
    ],
  ])('a call %s gets a problem with its code', async (_, path, sent, status, code) => {
    const { headers, answer, ...problem } = await send(path, sent);
    expect(problem.status).toBe(status);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(answer).toMatchObject({ status, code, title: code, type: `/errors#${code}` });
    expect(JSON.stringify(answer)).not.toContain('xxxx');
  });

  test.each([
    ['of another content type', { 'content-type': 'text/plain' }, 'application/json'],
    [
      'that is compressed',
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      'uncompressed',
    ],
  ])('a body %s is 415, and the answer says what to send', async (_, differing, wanted) => {
    const request = { method: 'POST', headers: { ...AUTH, ...differing }, body: '{}' };
    const response = await fetch(`${api().url}${TENANT}/memories`, request);
    expect(response.status).toBe(415);
    const { detail } = (await response.json()) as { detail: string };
    expect(detail).toContain(wanted);
  });
});

describe('GET /v1/memory/context', () => {
  const preview = (query: string, headers: Record<string, string> = AUTH) =>
    send(`/v1/memory/context?tenant=preview&${query}`, { headers });

  beforeAll(async () => {
    const turns = [{ role: 'user', content: 'My violin lesson is on Thursdays.' }];
    const body = { identifiers: { userId: 'ann' }, turns };
    await send('/v1/tenants/preview/sessions/chat-1/turns', { body });
    const memory = { ...ANN, content: 'Ann takes violin lessons from Mr. Bauer.' };
    await send('/v1/tenants/preview/memories', { body: memory });
  });

  test('ENG-09: returns the budget, the counts by layer and the context of a chat', async () => {
    const { status, answer } = await preview('chat_id=chat-1&query=violin+lessons&max_tokens=400');
    expect(status).toBe(200);
    expect(answer).toEqual({
      budget: { requested: 400, applied: 400, estimated_used: expect.any(Number) as number },
      sources: { hot_turns: 1, past_turns: 0, summaries: 0, entities: 1 },
      context: expect.stringContaining('Mr. Bauer') as string,
    });
    const { estimated_used: used } = answer['budget'] as { estimated_used: number };
    expect(used).toBeLessThanOrEqual(400);
  });

  test('caps a limit above the policy, and finds what another chat said', async () => {
    const asked = 'chat_id=chat-2&user_id=ann&query=When+is+my+violin+lesson%3F&max_tokens=99999';
    const { answer } = await preview(asked);
    expect(answer).toMatchObject({
      budget: { requested: 99_999, applied: 3_000 },
      sources: { hot_turns: 0, past_turns: 1 },
      context: expect.stringContaining('Thursdays') as string,
    });
  });

  test.each([
    ['without a chat', 'query=x', 'chat_id: required, a text'],
    ['without a query', 'chat_id=c', 'query: required, a text'],
    ['with an empty query', 'chat_id=c&query=', 'query: expected at least 1 character, found 0'],
    ['with a blank query', 'chat_id=c&query=+%0A', 'query: expected some text'],
    ['with an empty user', 'chat_id=c&query=x&user_id=', 'user_id: expected at least 1 character'],
    ['with no id of a tenant', 'chat_id=c&query=x&tenant=A+b', 'tenant: expected 1 to 63 charac'],
    ['with another name', 'chat_id=c&query=x&maxTokens=5', 'known; did you mean max_tokens?'],
    ['with a limit in words', 'chat_id=c&query=x&max_tokens=many', 'max_tokens: expected a whole'],
    ['with a limit of zero', 'chat_id=c&query=x&max_tokens=0', 'max_tokens: expected a whole'],
    ['with a huge limit', 'chat_id=c&query=x&max_tokens=1e20', 'max_tokens: expected a whole'],
  ])('a call %s is told what to change, and the next step', async (_, query, words) => {
    const response = await send(`/v1/memory/context?${query}`);
    expect(response).toMatchObject({
      status: 400,
      answer: { code: 'INVALID_INPUT', details: { issues: [{}] } },
    });
    expect(response.answer['detail']).toContain(words);
    expect(response.answer['detail']).toContain('; call /v1/memory/context?chat_id=…&query=…');
  });

  test('a call with a limit that nothing fits is refused', async () => {
    const { status, answer } = await preview('chat_id=c&query=x&max_tokens=1');
    expect([status, answer['code']]).toEqual([422, 'CONTEXT_LIMIT_TOO_SMALL']);
  });

  test('refuses a call without a token and a POST', async () => {
    expect((await preview('chat_id=c&query=x', {})).status).toBe(401);
    expect((await send('/v1/memory/context', { body: {} })).status).toBe(405);
  });
});

describe('pages for people', () => {
  test.each([
    ['/docs', 'POST /v1/tenants/{tenant}/memories/search'],
    ['/errors', '<tr id="RATE_LIMITED">'],
  ])('%s is HTML without scripts and needs no token', async (path, words) => {
    const response = await fetch(`${api().url}${path}`);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    const text = await response.text();
    expect(text).toContain(words);
    expect(text).not.toContain('<script');
  });

  test('every link within /docs leads to an anchor on the page', async () => {
    const text = await (await fetch(`${api().url}/docs`)).text();
    const links = [...text.matchAll(/href="#([^"]+)"/gu)].map(([, id = '']) => id);
    expect(links).toHaveLength(ROUTES.length);
    for (const id of links) expect(text).toContain(`id="${id}"`);
  });
});

interface Documented {
  readonly operationId: string;
  readonly parameters?: readonly { in: string; name: string; schema?: object }[];
  readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
}

interface Example {
  readonly schema: object;
  readonly example: unknown;
}
interface Exemplified {
  readonly operationId: string;
  readonly parameters?: readonly (Example & { readonly required: boolean })[];
  readonly requestBody?: { readonly content: { readonly 'application/json': Example } };
  readonly responses: {
    readonly '200': { readonly content: { readonly 'application/json': Example } };
  };
}

/** The document with references to `refs` and with null as a type, as JSON Schema has it. */
function inJsonSchema(refs: string): unknown {
  const text = JSON.stringify(openApi()).replaceAll('#/components/schemas/', refs);
  return JSON.parse(text, (_, part: unknown) => {
    const { nullable, exclusiveMinimum, minimum, ...rest } = Object(part) as Record<
      string,
      unknown
    >;
    if (nullable === true) return { anyOf: [{ ...rest, minimum }, { type: 'null' }] };
    return exclusiveMinimum === true ? { ...rest, exclusiveMinimum: minimum } : part;
  });
}

describe('the OpenAPI document', () => {
  test('is served without a token and equals the committed one', async () => {
    const { answer } = await send('/openapi.json', { headers: {} });
    expect(answer).toEqual(JSON.parse(readProjectFile('docs/openapi.json').text));
  });

  test('documents 401, 403, 405 and 429 with Retry-After for every path', () => {
    const { paths } = openApi() as { paths: Record<string, Record<string, Documented>> };
    for (const { operationId, responses } of Object.values(paths).flatMap(Object.values)) {
      const told = [operationId, Object.keys(responses)];
      expect(told).toEqual([operationId, expect.arrayContaining(['401', '403', '405', '429'])]);
      expect(responses['429']?.headers).toHaveProperty('Retry-After');
    }
  });

  test('has no schema that generators of clients for OpenAPI 3.0 refuse', () => {
    const newer: string[] = [];
    JSON.parse(JSON.stringify(openApi()), (key, part: unknown) => {
      if (['const', '$defs', 'contentMediaType', 'prefixItems'].includes(key)) newer.push(key);
      if (key === 'type' && (Array.isArray(part) || part === 'null')) newer.push(String(part));
      return part;
    });
    expect(newer).toEqual([]);
  });

  test('names no two parameters of a call alike but for case and hyphens', () => {
    const { paths } = openApi() as { paths: Record<string, Record<string, Documented>> };
    const all = Object.values(paths).flatMap((methods) => Object.values(methods));
    for (const { operationId, parameters = [] } of all) {
      const names = parameters.map(({ name }) => name.toLowerCase().replaceAll('-', ''));
      expect([operationId, names]).toEqual([operationId, [...new Set(names)]]);
    }
  });

  test('gives generated clients every query parameter as a text, a number, a flag or a list', () => {
    const { paths } = openApi() as { paths: Record<string, Record<string, Documented>> };
    const all = Object.values(paths).flatMap((methods) => Object.values(methods));
    for (const { operationId, parameters = [] } of all) {
      const query = parameters.filter((each) => each.in === 'query');
      const names = query.map(({ name }) => name);
      const others = query.filter(({ schema }) => schema === undefined || '$ref' in schema);
      expect([operationId, others]).toEqual([operationId, []]);
      const identified = names.includes('identifiers') ? ['userId', 'agentId', 'projectId'] : [];
      expect(names).toEqual(expect.arrayContaining(identified));
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test('has an example of each call and answer, which fits its schema', () => {
    const { paths, components } = inJsonSchema('all#/$defs/') as {
      paths: Record<string, Record<string, Exemplified>>;
      components: { schemas: object };
    };
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    ajv.addSchema({ $id: 'all', $defs: components.schemas });
    const all = Object.values(paths).flatMap((methods) => Object.values(methods));
    for (const { operationId, parameters = [], requestBody, responses } of all) {
      if (operationId === 'memory.context') continue;
      const parts = [
        ...parameters.filter((each) => each.required || 'example' in each),
        ...(requestBody === undefined ? [] : [requestBody.content['application/json']]),
        responses['200'].content['application/json'],
      ];
      for (const { schema, example } of parts) {
        const fits = ajv.compile(schema);
        expect([operationId, example, fits(example), fits.errors]).toEqual([
          ...[operationId, expect.anything()],
          ...[true, null],
        ]);
      }
    }
  });

  test('has schemas that compile and references that resolve', () => {
    const text = JSON.stringify(openApi());
    const document = JSON.parse(text) as {
      components: { schemas: Record<string, object> };
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const { components, paths } = document;
    const named = new Set(Object.keys(components.schemas));
    for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/gu)) {
      expect(named).toContain(name);
    }
    expect(text).not.toMatch(/#\/(?:\$defs|definitions)\//u);
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const { components: ajvComponents } = inJsonSchema('#/$defs/') as typeof document;
    const inPlace = ajvComponents.schemas;
    for (const schema of Object.values(inPlace)) ajv.compile({ ...schema, $defs: inPlace });
    const ids = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(ids).toContain('memory.context');
    expect(new Set(ids).size).toBe(ROUTES.length + 1);
  });
});

test('the commands of docs/rest.md run as they stand', async () => {
  const page = readProjectFile('docs/rest.md').text;
  const script = /```sh\n(.*?)```/su.exec(page)?.[1] ?? '';
  const env = { ...process.env, VARVE_API_URL: api().url, VARVE_API_TOKEN: TOKEN };
  const run = promisify(execFile);
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { env });
  expect(stdout).toContain('Ann lives in Porto.');
  expect(stdout).toContain('My dentist is Dr. Lima.');
  expect(stdout).toContain('{"deleted":["t1"]}');
  expect(stdout).toMatch(/"event":"ADD","id":"[^"]+","text":"My dentist is Dr\. Lima\."/u);
  expect(stdout).toMatch(/"state":"Done","erased":.*"receipt":\{"sequence":/u);
});
