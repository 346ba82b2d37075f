import { providerOver } from '#test/provider-over.ts';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { namedOperations, servedOperations } from '#api/operations/table.ts';
import { routeOf } from '#api/trpc-help-page.ts';
import { startApiServer, type ApiServer } from '#api/http-server.ts';
import { connectApi } from '#cli/api-client.ts';
import { apiPortsOf, openParts, type Parts } from '#cli/composition-root.ts';
import { openVarve } from '#cli/open-varve.ts';
import type { PartsSettings } from '#cli/store-and-model-settings.ts';
import type { ErrorCode } from '#core/error-codes.ts';
import type { Log } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import type { Store } from '#core/ports/store.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { shared } from '#test/shared-fixture.ts';

const TOKEN = 'a-token-of-this-installation';
const SECRET = 'Ann-has-a-secret';
const AUTHORIZED = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
const ADD = { tenant: 'acme', layer: 'user', identifiers: { userId: 'ann' }, content: SECRET };

interface Served extends AsyncDisposable {
  readonly server: ApiServer;
  readonly parts: Parts;
  readonly folder: string;
  readonly lines: unknown[];
}

async function serve(
  differing: (store: Store) => Partial<Store> = () => ({}),
  settings: PartsSettings = {},
  openFilesMax: number | null = null,
): Promise<Served> {
  await using held = new AsyncDisposableStack();
  const { folder } = held.use(await temporaryFolder());
  const lines: unknown[] = [];
  const note: Log['info'] = (fields, message) => void lines.push({ fields, message });
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const parts = held.use(await openParts({ dataDir: folder, log, settings }));
  const changed = differing(parts.store);
  const isChanged = Object.keys(changed).length > 0;
  const store = isChanged ? { ...parts.store, ...changed } : parts.store;
  const provider = store === parts.store ? parts.provider : providerOver({ ...parts, store });
  const ports = apiPortsOf({ ...parts, store, provider }, NO_REFRESH_TRIGGER, null);
  const address = { host: '127.0.0.1', port: 0, token: TOKEN };
  const server = held.use(await startApiServer({ ports, ...address, openFilesMax }));
  const open = held.move();
  return { server, parts, folder, lines, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

const served = shared(serve);

/** Sends requests over one connection, and answers all that came until it closes or is silent. */
async function overOneConnection(requests: readonly string[]): Promise<string> {
  const { port } = new URL(served().server.url);
  const socket = connect(Number(port), '127.0.0.1');
  const received: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => received.push(chunk));
  const over = new Promise<void>((resolve) => {
    socket.once('close', () => {
      resolve();
    });
    socket.setTimeout(500, () => {
      socket.destroy();
    });
  });
  for (const request of requests) socket.write(request);
  await over;
  return Buffer.concat(received).toString('utf8');
}

describe('a caller that is refused before the server reads its body', () => {
  const post = (length: number, body: string) =>
    `POST /v1/tenants/acme/memories HTTP/1.1\r\nhost: here\r\ncontent-type: application/json\r\n` +
    `content-length: ${String(length)}\r\n\r\n${body}`;

  test('keeps its connection when the body is small', async () => {
    const answers = await overOneConnection([post(2, '{}'), post(2, '{}')]);
    expect(answers.match(/HTTP\/1\.1 401/gu)).toHaveLength(2);
    expect(answers).not.toMatch(/connection: close/iu);
  });

  test('loses its connection when the body is large', async () => {
    const answers = await overOneConnection([post(1_000_000, '{'), post(2, '{}')]);
    expect(answers.match(/HTTP\/1\.1 401/gu)).toHaveLength(1);
    expect(answers).toMatch(/connection: close/iu);
  });
});

interface Call {
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly message: unknown;
  readonly data: Readonly<Record<string, unknown>>;
}

async function send(
  { path, method = 'POST', body, headers = AUTHORIZED }: Call,
  { server } = served(),
) {
  const response = await fetch(`${server.url}/${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const { error } = JSON.parse(text) as { error?: { message: unknown; data: Answered['data'] } };
  return { status: response.status, text, message: error?.message, data: error?.data ?? {} };
}

const post = (path: string, input: unknown): Call => ({ path, body: JSON.stringify(input) });
const query = (path: string, input: unknown): Call => ({
  path: `${path}?input=${encodeURIComponent(JSON.stringify(input))}`,
  method: 'GET',
});

describe('the API over HTTP', () => {
  test.each([
    ['no token', {}],
    ['an empty token', { authorization: 'Bearer ' }],
    ['a wrong token', { authorization: 'Bearer another' }],
    ['a longer token', { authorization: `Bearer ${TOKEN}x` }],
    ['a token in another scheme', { authorization: `Basic ${TOKEN}` }],
  ])('API-03: with %s, every procedure is UNAUTHENTICATED', async (_, headers) => {
    const calls = [post('memory.add', ADD), query('summary.list', {}), query('health', null)];
    for (const call of calls) {
      const given = { 'content-type': 'application/json', ...headers };
      const { status, data, text } = await send({ ...call, headers: given });
      expect(status).toBe(401);
      expect(data).toMatchObject({ code: 'UNAUTHENTICATED', retryable: false, details: {} });
      expect(text).not.toContain(TOKEN);
    }
  });

  test.each<[string, Call, status: number, code: ErrorCode]>([
    ['malformed JSON', { path: 'memory.add', body: `{"content":"${SECRET}` }, 400, 'INVALID_INPUT'],
    [
      'a malformed address',
      { path: `memory.get?input=${SECRET}`, method: 'GET' },
      400,
      'INVALID_INPUT',
    ],
    ['no body', { path: 'memory.add' }, 400, 'INVALID_INPUT'],
    ['an unknown procedure', post('memory.steal', ADD), 404, 'NOT_FOUND'],
    [
      'a procedure named after a method of every object',
      post('constructor', ADD),
      404,
      'NOT_FOUND',
    ],
    ['another method', query('memory.add', ADD), 405, 'INVALID_INPUT'],
    [
      'another kind of body',
      { ...post('memory.add', ADD), headers: { ...AUTHORIZED, 'content-type': 'text/plain' } },
      415,
      'INVALID_INPUT',
    ],
    ['a wrong input', post('memory.add', { ...ADD, kind: SECRET }), 400, 'INVALID_INPUT'],
    ['an unknown layer', post('memory.add', { ...ADD, layer: 'x' }), 400, 'INVALID_LAYER'],
    [
      'a missing identifier',
      post('memory.add', { ...ADD, layer: 'agent' }),
      400,
      'MISSING_IDENTIFIER',
    ],
    [
      'content too long',
      post('memory.add', { ...ADD, content: SECRET.repeat(30_000) }),
      413,
      'CONTENT_TOO_LONG',
    ],
    [
      'a body too large',
      post('memory.add', { ...ADD, content: SECRET.repeat(300_000) }),
      413,
      'CONTENT_TOO_LONG',
    ],
    [
      'an unknown memory',
      post('memory.update', { tenant: 'acme', id: 'x' }),
      404,
      'MEMORY_NOT_FOUND',
    ],
    [
      'a limit too small',
      query('context.assemble', { tenant: 'acme', query: SECRET, maxTokens: 1 }),
      422,
      'CONTEXT_LIMIT_TOO_SMALL',
    ],
  ])(
    'API-04: %s is refused with a code, without a stack or the text that was sent',
    async (_, call, status, code) => {
      const answered = await send(call);
      expect(answered).toMatchObject({ status, data: { code } });
      expect(Object.keys(answered.data).toSorted()).toEqual(
        [
          'code',
          'details',
          'httpStatus',
          'retryable',
          ...('path' in answered.data ? ['path'] : []),
        ].toSorted(),
      );
      expect(answered.text).not.toMatch(/secret|\.ts\b|node_modules|at [A-Z]\w*\.|stack/i);
    },
  );

  test.each<[string, Call, said: string]>([
    [
      'a write by GET',
      query('memory.add', ADD),
      'memory.add writes: send POST /memory.add with the input as a JSON body.',
    ],
    [
      'a read by POST',
      post('memory.search', {}),
      'memory.search reads: send GET /memory.search?input=<URL-encoded JSON>.',
    ],
    [
      'a body of another kind',
      { ...post('memory.add', ADD), headers: { ...AUTHORIZED, 'content-type': 'text/plain' } },
      'Send content-type: application/json.',
    ],
    [
      'a body of no kind',
      { path: 'memory.add', headers: { authorization: AUTHORIZED.authorization } },
      'Send content-type: application/json.',
    ],
    [
      'a misspelled name',
      post('memory.ad', ADD),
      'There is no such operation. Did you mean memory.add? GET / lists them.',
    ],
    [
      'an unknown identifier',
      post('memory.add', { ...ADD, identifiers: { user: 'ann' } }),
      'identifiers.user is not known; did you mean userId?',
    ],
  ])('the answer to %s says what to send instead', async (_, call, said) => {
    expect((await send(call)).message).toBe(said);
  });

  test('its front page lists every operation without a token', async () => {
    const response = await fetch(`${served().server.url}/`);
    expect(response.status).toBe(200);
    const page = await response.text();
    for (const [name, row] of namedOperations(servedOperations())) {
      expect(page).toContain(`\n${routeOf(name, row)}\n`);
    }
  });

  test('API-04: too many calls in one batch are refused', async () => {
    const path = Array.from({ length: 33 }, () => 'health').join(',');
    const { status } = await send({ path: `${path}?batch=1`, method: 'GET' });
    expect(status).toBe(400);
  });

  test('an unforeseen failure shows its details only in the log', async () => {
    const cause = () => Promise.reject(new Error(`${SECRET} in varve.db`));
    await using broken = await serve((store) => ({
      memories: { ...store.memories, get: cause },
      health: cause,
    }));
    for (const call of [query('memory.get', { tenant: 'acme', id: 'x' }), query('health', null)]) {
      const { status, data, text } = await send(call, broken);
      expect(status).toBe(500);
      expect(data).toMatchObject({ code: 'CORRUPT', retryable: false, details: {} });
      expect(text).not.toMatch(/secret|varve\.db/i);
    }
    expect(broken.lines).toHaveLength(2);
  });

  test('a client that stops halfway does not block the others', async () => {
    const { hostname, port } = new URL(served().server.url);
    const slow = connect(Number(port), hostname);
    await new Promise((resolve) => slow.once('connect', resolve));
    slow.write('POST /memory.add HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    expect((await send(query('health', null))).status).toBe(200);
    slow.destroy();
  });
});

describe('the metrics page', () => {
  const scrape = (headers: Readonly<Record<string, string>>, { server } = served()) =>
    fetch(`${server.url}/metrics`, { headers });

  test('shows the operations to a caller with the token', async () => {
    await send(post('memory.add', { ...ADD, tenant: 'measured' }));
    const response = await scrape({ authorization: `Bearer ${TOKEN}` });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=/);
    const text = await response.text();
    expect(text).toMatch(/memory_operations_total\{operation="add"\} [1-9]/);
    expect(text).toMatch(/memory_storage_size\{layer="user"\} [1-9]/);
    expect(text).not.toMatch(/secret|measured|acme/);
  });

  test.each<[string, Readonly<Record<string, string>>]>([
    ['no token', {}],
    ['a wrong token', { authorization: 'Bearer another' }],
  ])('with %s, it shows nothing', async (_, headers) => {
    const response = await scrape(headers);
    expect(response.status).toBe(401);
    expect(await response.text()).not.toContain('memory_');
  });

  test('is open without a token only if configured', async () => {
    await using open = await serve(() => ({}), { metricsOpen: true });
    const response = await scrape({}, open);
    expect(response.status).toBe(200);
    expect((await send({ ...query('health', null), headers: {} }, open)).status).toBe(401);
  });
});

describe('the typed client', () => {
  const client = (token = TOKEN) => connectApi({ url: served().server.url, token });
  const identifiers = { userId: 'ann', sessionId: 'call' };

  test('makes every call of the library and gets the same answers', async () => {
    const { memory, conversation, summary, context, health } = client();
    const tenant = 'round-trip';
    const added = await memory.add({ tenant, layer: 'user', identifiers, content: 'Ann gardens.' });
    const { id } = added.memory;
    expect(await memory.get({ tenant, id })).toEqual(added.memory);
    expect(await memory.get({ tenant, id: 'nobody' })).toBeNull();
    const turns = [{ role: 'user' as const, content: 'The launch moves to June.' }];
    const session = { tenant, sessionId: 'call' };
    const said = await conversation.append({ ...session, identifiers, turns });
    expect(said).toMatchObject({ appended: 1, ids: [expect.any(String)] });
    const { messages } = await conversation.messages(session);
    expect(messages).toMatchObject([{ id: said.ids[0], content: turns[0]?.content }]);
    const { sessions } = await conversation.list({ tenant, identifiers });
    expect(sessions).toMatchObject([{ sessionId: 'call', endedAt: null }]);
    expect(await conversation.end(session)).toEqual({ ended: true });
    expect(await conversation.delete({ ...session, turnIds: ['none'] })).toEqual({ deleted: [] });
    await using varve = await openVarve({ dataDir: served().folder });
    await varve.refresh({ tenant });
    const of = { tenant, layer: 'user', identifiers } as const;
    expect(await summary.get(of)).toMatchObject({
      text: 'Ann gardens. The launch moves to June.',
    });
    expect(await summary.get(of)).toEqual(await varve.summary.get(of));
    const listed = await summary.list({ tenant, identifiers });
    expect(listed.summaries.map(({ scope }) => scope.layer)).toEqual(['user', 'session']);
    const asked = { tenant, identifiers, query: 'Does Ann garden?' };
    expect(await context.assemble(asked)).toEqual(await varve.context.assemble(asked));
    const found = { tenant, identifiers, query: 'garden' };
    expect((await memory.search(found)).hits.map(({ id: hit }) => hit)).toEqual([id]);
    expect(await memory.search(found)).toEqual(await varve.memory.search(found));
    expect(await memory.list({ tenant, identifiers })).toMatchObject({ totalCount: 2 });
    const more = [{ layer: 'user' as const, identifiers, content: 'Ann swims.' }];
    const { items } = await memory.bulkAdd({ tenant, memories: more, idempotencyKey: 'once' });
    expect(await memory.bulkAdd({ tenant, memories: more, idempotencyKey: 'once' })).toMatchObject({
      items,
    });
    const ids = items.flatMap((item) => (item.ok ? [item.id] : []));
    expect(await memory.bulkDelete({ tenant, ids })).toMatchObject({ succeeded: 1 });
    const changed = await memory.update({ tenant, id, metadata: { sure: true } });
    expect(changed.memory).toMatchObject({ version: 2, metadata: { sure: true } });
    expect(await memory.delete({ tenant, id })).toMatchObject({ success: true });
    const { changes } = await memory.history({ tenant, id });
    expect(changes.map(({ action }) => action)).toEqual(['Deleted', 'Updated', 'Added']);
    expect(await health()).toMatchObject({ ok: true, refresh: { by: 'inline' } });
  });

  test('gets errors back with the same name, code and details', async () => {
    const { memory } = client();
    const content = 'x'.repeat(262_145);
    const long = { tenant: 'acme', layer: 'user', identifiers, content } as const;
    await expect(memory.add(long)).rejects.toMatchObject({
      name: 'VarveError',
      code: 'CONTENT_TOO_LONG',
      retryable: false,
      details: { lengthMax: 262_144, length: 262_145 },
    });
    const stranger = client('another').health();
    await expect(stranger).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  test('sends the longest question in any script', async () => {
    const long = { tenant: 'acme', identifiers, query: '結'.repeat(8_192), maxTokens: 1 };
    await expect(client().context.assemble(long)).rejects.toMatchObject({
      code: 'CONTEXT_LIMIT_TOO_SMALL',
    });
  });
});

describe('the server', () => {
  test('a taken port is refused with its number', async () => {
    const port = Number(new URL(served().server.url).port);
    const ports = apiPortsOf(served().parts, NO_REFRESH_TRIGGER, null);
    const second = startApiServer({ ports, host: '127.0.0.1', port, token: TOKEN });
    await expect(second).rejects.toMatchObject({ code: 'INVALID_INPUT', details: { port } });
  });

  test('ends with its scope even while a client holds a connection', async () => {
    let url = '';
    {
      await using ended = await serve();
      ({ url } = ended.server);
      expect((await send(query('health', null), ended)).status).toBe(200);
    }
    await expect(fetch(`${url}/health`)).rejects.toThrow('fetch failed');
  });

  test('closes connections beyond its share of the open files', async () => {
    // Two connections of eight files.
    await using narrow = await serve(() => ({}), {}, 8);
    const { hostname, port } = new URL(narrow.server.url);
    const sockets = Array.from({ length: 6 }, () => connect(Number(port), hostname));
    try {
      const closed = sockets.map((socket) => new Promise((resolve) => socket.on('close', resolve)));
      const [first, second, ...rest] = sockets;
      await Promise.all(closed.slice(2));
      expect(rest.map(({ destroyed }) => destroyed)).toEqual([true, true, true, true]);
      expect([first?.destroyed, second?.destroyed]).toEqual([false, false]);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    await expect.poll(async () => (await send(query('health', null), narrow)).status).toBe(200);
  });

  test('refuses TRACE and says which methods it allows', async () => {
    const { hostname, port } = new URL(served().server.url);
    const socket = connect(Number(port), hostname);
    socket.write('TRACE /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    const answer = (await Array.fromAsync(socket)).join('');
    expect(answer).toMatch(/^HTTP\/1\.1 405 /u);
    expect(answer).toMatch(/^allow: GET, POST\r$/imu);
  });
});
