/** Event streams over a real socket: who sees what, what is bounded, and how they end. */
import { once } from 'node:events';
import { connect as connectTo, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { libraryOf, type Library } from '#api/library.ts';
import { createCallLimiter, CALL_LIMIT_DEFAULTS } from '#api/call-limits.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { startApiServer, type ApiServer } from '#api/http-server.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { createClient, type VarveClientError } from '#client/index.ts';
import { VarveError } from '#core/errors.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { failureOf, newTenant } from '#test/unit/library/open-library.ts';

const TOKEN = 'a-token-of-this-installation';
const SUBSCRIPTIONS = 2;

let ports: ApiPorts;
let admin: Library;
let server: ApiServer;
const held = new AsyncDisposableStack();
const startServer = (given = ports) =>
  startApiServer({
    ports: given,
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    streamTimes: { pollMs: 5, heartbeatMs: 10 },
  });
beforeAll(async () => {
  const { folder } = held.use(await temporaryFolder());
  const parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG }));
  const { key, tenant } = CALL_LIMIT_DEFAULTS;
  const limits = { key: { ...key, subscriptions: SUBSCRIPTIONS }, tenant };
  const callLimiter = createCallLimiter(limits, parts.platform.clock);
  ports = apiPortsOf({ ...parts, callLimiter }, NO_REFRESH_TRIGGER, null);
  admin = libraryOf(ports, LOCAL_OPERATOR);
  server = held.use(await startServer());
});
afterAll(() => held.disposeAsync());

/** Something happens in a tenant that has an event; answers the event's id. */
async function happen(tenant: string, layer = 'user'): Promise<string> {
  const { newId, clock } = ports.platform;
  const id = newId();
  const type = 'memory_summary_created' as const;
  await ports.store.events.append({ tenant, id, at: clock(), type, attributes: { layer } });
  return id;
}

async function keyOf(tenant: string, more: object = {}) {
  const asked = { tenant, name: 'follower', role: 'read' as const, ...more };
  const { id, key: token } = await admin.key.create(asked);
  return { id, token };
}

function open(tenant: string, token: string, { query = '', headers = {}, url = server.url } = {}) {
  return fetch(`${url}/v1/tenants/${tenant}/events${query}`, {
    headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream', ...headers },
  });
}

/** What comes until `isEnough`, or until the server ends it. */
async function read(response: Response, isEnough: (text: string) => boolean = () => false) {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk);
    if (isEnough(text)) break;
  }
  return text;
}

const idsIn = (text: string) => [...text.matchAll(/"id":"([^"]+)"/gu)].map(([, id]) => id);

describe('a stream of events', () => {
  test('carries the filtered events of its tenant and nothing of another tenant', async () => {
    const [own, other] = [newTenant(), newTenant()];
    const { token } = await keyOf(own);
    const stream = await open(own, token, { query: '?layers=team' });
    expect(stream.headers.get('content-type')).toBe('text/event-stream');
    await happen(other, 'team');
    await happen(own, 'user');
    const id = await happen(own, 'team');
    const text = await read(stream, (each) => each.includes(id));
    expect(idsIn(text)).toEqual([id]);
    expect(text).toContain(`id: ${id}\ndata: {`);
    expect((await open(other, token)).status).toBe(403);
  });

  test('starts after Last-Event-ID and carries the same events as event.list', async () => {
    const tenant = newTenant();
    const { token } = await keyOf(tenant);
    const [first, second] = [await happen(tenant), await happen(tenant)];
    const headers = { 'last-event-id': first };
    const stream = await open(tenant, token, { headers });
    expect(idsIn(await read(stream, (text) => text.includes(second)))).toEqual([second]);
    const { events } = await admin.event.list({ tenant, after: first });
    expect(events.map(({ id }) => id)).toEqual([second]);
  });

  test('carries a late event whose id comes before one already sent', async () => {
    const tenant = newTenant();
    const { token } = await keyOf(tenant);
    const stream = await open(tenant, token);
    const early = ports.platform.newId();
    const later = await happen(tenant);
    const reader = read(stream, (text) => text.includes(early));
    const event = { tenant, id: early, at: 1, type: 'memory_dream_ended' as const, attributes: {} };
    await ports.store.events.append(event);
    expect(new Set(idsIn(await reader))).toEqual(new Set([early, later]));
  });

  test('carries the erasure of a user without the user id', async () => {
    const tenant = newTenant();
    const place = { layer: 'user', identifiers: { userId: 'ann-canary' } } as const;
    await admin.memory.add({ tenant, ...place, content: 'Ann sails.' });
    await admin.memory.erase({ tenant, target: { kind: 'User', id: 'ann-canary' } });
    const { events } = await admin.event.list({ tenant });
    const attributes = { sequence: 1, receiptId: expect.any(String) as string };
    expect(events).toMatchObject([{ type: 'memory_erasure_completed', attributes }]);
    expect(JSON.stringify(events)).not.toContain('canary');
  });

  test('is refused to a key bound to a user, and for a malformed Last-Event-ID', async () => {
    const tenant = newTenant();
    const bound = await keyOf(tenant, { identifiers: { userId: 'ann' } });
    expect((await open(tenant, bound.token)).status).toBe(403);
    const wrong = await open(tenant, TOKEN, { headers: { 'last-event-id': 'x' } });
    expect(wrong.status).toBe(400);
    expect((await open(tenant, 'nobody')).status).toBe(401);
  });

  test('is refused above the limit of a key until another stream closes', async () => {
    const tenant = newTenant();
    const { token } = await keyOf(tenant);
    const streams = [await open(tenant, token), await open(tenant, token)];
    const refused = await open(tenant, token);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('10');
    const details = { of: 'key', limit: SUBSCRIPTIONS };
    expect(await refused.json()).toMatchObject({ code: 'RATE_LIMITED', details });
    await streams[0]?.body?.cancel();
    await expect.poll(async () => (await open(tenant, token)).status).toBe(200);
  });

  test('ends when its key is revoked and when the server stops', async () => {
    const tenant = newTenant();
    const { token, id } = await keyOf(tenant);
    const stream = await open(tenant, token);
    await admin.key.revoke({ tenant, id });
    await happen(tenant);
    expect(idsIn(await read(stream))).toEqual([]);
    const ending = await startServer();
    const last = await open(tenant, TOKEN, { url: ending.url });
    await ending[Symbol.asyncDispose]();
    expect(idsIn(await read(last))).toEqual([]);
  });
});

test('if the store fails, the client reconnects and misses no event', async () => {
  const tenant = newTenant();
  const before = await happen(tenant);
  const { events } = ports.store;
  const looks = { failing: 2 };
  const list: typeof events.list = (...asked) => {
    looks.failing -= 1;
    if (looks.failing !== 0) return events.list(...asked);
    return Promise.reject(new VarveError('PROVIDER_ERROR', 'The store is unavailable.'));
  };
  const away = { ...ports, store: { ...ports.store, events: { ...events, list } } };
  await using failing = await startServer(away);
  const client = createClient({ url: failing.url, token: TOKEN, tenant });
  const ending = new AbortController();
  const following = client.follow({ after: before }, { signal: ending.signal });
  const next = following.next();
  await vi.waitFor(() => expect(looks.failing).toBeLessThanOrEqual(0));
  const sent = await happen(tenant);
  expect((await next).value?.id).toBe(sent);
  ending.abort();
});

/** Passes bytes on to the server, and cuts what is open. */
async function cuttable() {
  const sockets = new Set<Socket>();
  const { hostname, port } = new URL(server.url);
  const between = createServer((socket) => {
    const to = connectTo(Number(port), hostname);
    for (const each of [socket, to]) sockets.add(each.on('error', () => undefined));
    socket.pipe(to).pipe(socket);
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  return {
    url: `http://127.0.0.1:${String((between.address() as AddressInfo).port)}`,
    cut: () => {
      for (const each of sockets) each.destroy();
    },
    [Symbol.asyncDispose]: async () => {
      for (const each of sockets) each.destroy();
      await new Promise((resolve) => between.close(resolve));
    },
  };
}

describe('client.follow', () => {
  test('continues after a cut connection without losing or repeating an event', async () => {
    const tenant = newTenant();
    await using between = await cuttable();
    const { token } = await keyOf(tenant);
    const before = await happen(tenant);
    const client = createClient({ url: between.url, token, tenant });
    const ending = new AbortController();
    const events = client.follow({ after: before }, { signal: ending.signal });
    const sent = [await happen(tenant)];
    const got = [(await events.next()).value?.id];
    between.cut();
    sent.push(await happen(tenant), await happen(tenant));
    for (let next = 0; next < 2; next += 1) got.push((await events.next()).value?.id);
    expect(got).toEqual(sent);
    const waiting = events.next();
    ending.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
  });

  test('fails with the code of the server if following is refused', async () => {
    const { token } = await keyOf(newTenant());
    const client = createClient({ url: server.url, token, tenant: newTenant() });
    const failure = (await failureOf(client.follow().next())) as VarveClientError;
    expect(failure).toMatchObject({ code: 'FORBIDDEN', status: 403 });
  });
});
