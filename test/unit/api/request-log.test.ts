/** The log line of each request, and the id in it. */
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { libraryOf } from '#api/library.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { startApiServer, type ApiServer } from '#api/http-server.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import type { Log } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { until } from '#test/e2e/until.ts';

const TOKEN = 'a-token-of-this-installation';
const SECRET = 'Dana likes maps.';
const DANA = { layer: 'user', identifiers: { userId: 'dana' }, content: SECRET };
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/u;

interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

let lines: Line[] = [];
let held: AsyncDisposableStack;
let server: ApiServer;
let keys: readonly string[] = [];
beforeEach(async () => {
  lines = [];
  held = new AsyncDisposableStack();
  server = await serve(true);
});
afterEach(() => held.disposeAsync());

async function serve(isRequestLogOn: boolean): Promise<ApiServer> {
  const at =
    (level: string): Log['info'] =>
    (fields, message) =>
      void lines.push({ level, message, fields });
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const { folder } = held.use(await temporaryFolder());
  const parts = held.use(await openParts({ dataDir: folder, log }));
  const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
  const admin = libraryOf(ports, LOCAL_OPERATOR);
  const made = ['ann', 'bob'].map((name) =>
    admin.key.create({ tenant: 'acme', name, role: 'write' }),
  );
  keys = (await Promise.all(made)).map(({ key }) => key);
  const source = { healthz: () => FINE, readyz: () => FINE };
  const address = { host: '127.0.0.1', port: 0, token: TOKEN };
  const options = { ports, ...address, probes: source, isRequestLogOn };
  return held.use(await startApiServer(options));
}
const FINE = { ok: true, findings: [] };

interface Sent {
  readonly id: string;
  readonly status: number;
}

async function send(
  path: string,
  { token = TOKEN, body, id }: { token?: string; body?: unknown; id?: string } = {},
): Promise<Sent> {
  const response = await fetch(`${server.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(id === undefined ? {} : { 'x-request-id': id }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.text();
  return { id: response.headers.get('x-request-id') ?? '', status: response.status };
}

const requests = (): readonly Line[] => lines.filter(({ message }) => message === 'request');

async function lineOf({ id }: Sent): Promise<Line> {
  return until(`the line of ${id}`, () =>
    Promise.resolve(requests().find(({ fields }) => fields['request'] === id)),
  );
}

const MEMORIES = '/v1/tenants/acme/memories';
const ADD = { tenant: 'acme', ...DANA };
const TOOL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'add_memory', arguments: { content: SECRET } },
};

describe('a request', () => {
  test.each([
    ['REST', MEMORIES, DANA],
    ['tRPC', '/memory.add', ADD],
    ['MCP', '/mcp?tenant=acme&userId=dana', TOOL],
  ])('over %s logs one line, with its operation and without content', async (_, path, body) => {
    const { fields, level } = await lineOf(await send(path, { body }));
    expect(level).toBe('info');
    expect(fields).toEqual({
      request: expect.stringMatching(UUID) as unknown,
      caller: expect.stringMatching(/^[\da-f]{16}$/u) as unknown,
      operation: 'memory.add',
      status: 200,
      durationMs: expect.any(Number) as unknown,
    });
    expect(requests()).toHaveLength(1);
    expect(JSON.stringify(lines)).not.toMatch(/Dana|dana|acme/u);
  });

  test('logs the operation of a refused input, and every operation of a batch', async () => {
    const wrong = await send(MEMORIES, { body: { ...DANA, layer: 7 } });
    expect((await lineOf(wrong)).fields).toMatchObject({ operation: 'memory.add', status: 400 });
    const input = encodeURIComponent(JSON.stringify({ 0: {}, 1: { tenant: 'acme' } }));
    const batch = await send(`/health,audit.list?batch=1&input=${input}`);
    expect((await lineOf(batch)).fields).toMatchObject({ operation: 'health,audit.list' });
  });

  test('without a valid token logs no caller and nothing of its path', async () => {
    const refused = await send(`${MEMORIES}?userId=dana`, { token: 'none' });
    const unknown = await send('/v2/dana');
    const { fields } = await lineOf(refused);
    expect(fields).toMatchObject({ caller: null, operation: null, status: 401 });
    expect((await lineOf(unknown)).fields).toMatchObject({ operation: null, status: 404 });
    expect(JSON.stringify(lines)).not.toMatch(/dana/u);
  });

  test('logs the same caller alike each time, and different callers differently', async () => {
    const [ann = '', bob = ''] = keys;
    const sent = [];
    for (const token of [ann, ann, bob, TOKEN]) {
      sent.push(await lineOf(await send('/v1/health', { token })));
    }
    const [first, second, ...others] = sent.map(({ fields }) => fields['caller']);
    expect(second).toBe(first);
    expect(new Set([first, ...others]).size).toBe(3);
  });

  test('keeps a well-formed id of its caller, and gets a new id otherwise', async () => {
    const { id } = await send('/v1/health', { id: 'trace-1.A_b' });
    expect(id).toBe('trace-1.A_b');
    for (const wrong of ['a b', 'a"b', 'x'.repeat(129), 'a,b']) {
      expect((await send('/v1/health', { id: wrong })).id).toMatch(UUID);
    }
  });

  test('whose caller leaves before the answer is logged as 499', async () => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-length': 100 };
    const sent = request(`${server.url}${MEMORIES}`, { method: 'POST', headers });
    sent.on('error', () => undefined);
    sent.setHeader('x-request-id', 'gone').setHeader('expect', '100-continue').flushHeaders();
    await new Promise((resolve) => sent.once('continue', resolve));
    sent.destroy();
    expect((await lineOf({ id: 'gone', status: 0 })).fields).toMatchObject({ status: 499 });
  });

  test('to a probe is logged at the debug level', async () => {
    expect((await lineOf(await send('/readyz'))).level).toBe('debug');
  });

  test('has an id but no line if the request log is off', async () => {
    server = await serve(false);
    expect((await send('/v1/health')).id).toMatch(UUID);
    await server[Symbol.asyncDispose]();
    expect(requests()).toEqual([]);
  });
});
