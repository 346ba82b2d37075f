/** How callers are limited: by key, by tenant, by calls in progress, and over the network. */
import { describe, expect, test } from 'vitest';
import { authenticator, type CallerRequest, withEarlyRefusal } from '#api/authenticate.ts';
import { libraryOf } from '#api/library.ts';
import { createCallLimiter } from '#api/call-limits.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { startApiServer } from '#api/http-server.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { thrownBy } from '#test/unit/failures.ts';

const WIDE = { perSecond: 1_000, atOnce: 1_000, subscriptions: 1_000 };
const NARROW = { perSecond: 2, atOnce: 3, subscriptions: 2 };
const bot = { name: 'key:bot', tenants: ['acme'] };
const other = { name: 'key:other', tenants: ['acme'] };
const stranger = { name: 'key:bot', tenants: ['globex'] };

function bearing(token: string, remoteAddress = '192.0.2.1'): CallerRequest {
  return { headers: { authorization: `Bearer ${token}` }, socket: { remoteAddress } };
}

function limiterAt(settings: Parameters<typeof createCallLimiter>[0]) {
  const clock = { now: 0 };
  const callLimiter = createCallLimiter(settings, () => clock.now);
  const call = (who: typeof bot) => {
    callLimiter.enter(who)();
  };
  return { clock, callLimiter, call };
}

describe('calls per second', () => {
  test('of a key: twice the limit at once, then at the limit, without affecting other keys', () => {
    const { clock, call } = limiterAt({ key: NARROW, tenant: WIDE });
    for (let sent = 0; sent < 4; sent += 1) call(bot);
    const details = { of: 'key', limit: 2, retryAfterMs: 500 };
    expect(thrownBy(() => call(bot))).toMatchObject({ code: 'RATE_LIMITED', details });
    for (const who of [other, stranger]) call(who);
    clock.now += 499;
    expect(thrownBy(() => call(bot))).toMatchObject({ code: 'RATE_LIMITED' });
    clock.now += 1;
    call(bot);
  });

  test('of a tenant: its keys share the limit, and another tenant has its own', () => {
    const { call } = limiterAt({ key: WIDE, tenant: NARROW });
    for (const who of [bot, other, bot, other]) call(who);
    expect(thrownBy(() => call(bot))).toMatchObject({ details: { of: 'tenant' } });
    for (let sent = 0; sent < 4; sent += 1) call(stranger);
  });
});

test.each([
  ['with the installation token', LOCAL_OPERATOR],
  ['with it in one tenant', { ...LOCAL_OPERATOR, tenants: ['acme'], isUnlimited: true }],
  ['of its own store', { name: 'mcp', tenants: ['acme'], isUnlimited: true }],
])('a caller %s has no limits', async (_who, caller) => {
  const { callLimiter } = limiterAt({ key: NARROW, tenant: NARROW });
  for (let sent = 0; sent < 9; sent += 1) {
    callLimiter.enter(caller);
    callLimiter.subscribe(caller);
  }
  await expect(callLimiter.check(caller)).resolves.toBeUndefined();
});

describe('a caller who is over its limits', () => {
  test('is refused by a check that uses up no calls', async () => {
    const { clock, callLimiter, call } = limiterAt({ key: NARROW, tenant: WIDE });
    for (let sent = 0; sent < 3; sent += 1) call(bot);
    for (let looks = 0; looks < 9; looks += 1) await callLimiter.check(bot);
    call(bot);
    const details = { of: 'key', limit: 2, retryAfterMs: 500 };
    await expect(callLimiter.check(bot)).rejects.toMatchObject({ code: 'RATE_LIMITED', details });
    await callLimiter.check(other);
    clock.now += 500;
    await callLimiter.check(bot);
  });

  test('is refused over the network before its key is read', async () => {
    const read: string[] = [];
    const principal = { ...bot, bound: {}, role: 'read' as const };
    const { callLimiter, call } = limiterAt({ key: NARROW, tenant: WIDE });
    const known = withEarlyRefusal(({ headers }) => {
      read.push(String(headers.authorization));
      return Promise.resolve(principal);
    }, callLimiter);
    const ask = (token: string) => known(bearing(token));
    expect(await ask('one')).toEqual(principal);
    for (let sent = 0; sent < 4; sent += 1) call(bot);
    await expect(ask('one')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await ask('another');
    expect(read).toEqual(['Bearer one', 'Bearer another']);
  });
});

describe('concurrent calls', () => {
  test('are limited until one of them ends', () => {
    const { callLimiter } = limiterAt({ key: { ...WIDE, atOnce: 3 }, tenant: WIDE });
    const [first] = [callLimiter.enter(bot), callLimiter.enter(bot), callLimiter.enter(bot)];
    const refused = thrownBy(() => callLimiter.enter(bot));
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', details: { of: 'key', limit: 3 } });
    first();
    callLimiter.enter(bot);
  });

  test('of the operator of the installation are not counted', () => {
    const { callLimiter } = limiterAt({ key: NARROW, tenant: NARROW });
    const calls = Array.from({ length: 100 }, () => () => callLimiter.enter(LOCAL_OPERATOR));
    for (const call of calls) expect(call).not.toThrow();
  });
});

describe('calls without a valid key', () => {
  const PER_SECOND = 20;
  const TOKEN = 'a-long-token-of-ours';

  async function doorAt() {
    const read: string[] = [];
    const { clock, callLimiter } = limiterAt({ key: WIDE, tenant: WIDE });
    const held = new AsyncDisposableStack();
    const { folder } = held.use(await temporaryFolder());
    const parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG }));
    const admin = libraryOf(apiPortsOf(parts, NO_REFRESH_TRIGGER, null), LOCAL_OPERATOR);
    const { key } = await admin.key.create({ tenant: 'acme', name: 'bot', role: 'read' });
    const reader = {
      read: (token: string) => {
        read.push(token);
        return Promise.resolve(null);
      },
    };
    const options = { ports: parts, token: TOKEN, tokenReaders: [reader] };
    const known = authenticator({ ...options, unknownCallers: callLimiter });
    const ask = withEarlyRefusal(known, callLimiter);
    return { ask, key, read, clock, [Symbol.asyncDispose]: () => held.disposeAsync() };
  }

  async function failAll(ask: (request: CallerRequest) => Promise<unknown>, calls: number) {
    for (let sent = 0; sent < calls; sent += 1) {
      await expect(ask(bearing('wrong'))).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
  }

  test('are refused above the limit of their address, before the key is read', async () => {
    await using door = await doorAt();
    await failAll(door.ask, 2 * PER_SECOND);
    const details = { of: 'address', limit: PER_SECOND, retryAfterMs: 1_000 };
    const refused = { code: 'RATE_LIMITED', details };
    await expect(door.ask(bearing('wrong'))).rejects.toMatchObject(refused);
    expect(door.read).toHaveLength(2 * PER_SECOND);
    await expect(door.ask(bearing('wrong', '192.0.2.2'))).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    door.clock.now += 1_000;
    await failAll(door.ask, PER_SECOND);
  });

  test('do not lock out a caller whose key was valid before, or the token', async () => {
    await using door = await doorAt();
    await door.ask(bearing(door.key));
    await failAll(door.ask, 2 * PER_SECOND);
    await expect(door.ask(bearing(door.key))).resolves.toMatchObject({ name: 'key:bot' });
    await expect(door.ask(bearing(TOKEN))).resolves.toEqual(LOCAL_OPERATOR);
  });
});

test('over REST and tRPC, a refused caller gets 429 and Retry-After', async () => {
  await using held = new AsyncDisposableStack();
  const { folder } = held.use(await temporaryFolder());
  const parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG }));
  const clock = () => 0;
  const narrow = { perSecond: 1, atOnce: 9, subscriptions: 1 };
  const callLimiter = createCallLimiter({ key: narrow, tenant: WIDE }, clock);
  const ports = apiPortsOf({ ...parts, callLimiter }, NO_REFRESH_TRIGGER, null);
  const admin = libraryOf(ports, LOCAL_OPERATOR);
  const server = held.use(
    await startApiServer({ ports, host: '127.0.0.1', port: 0, token: 'a-long-token-of-ours' }),
  );
  const { key } = await admin.key.create({ tenant: 'acme', name: 'bot', role: 'read' });
  const headers = { authorization: `Bearer ${key}` };
  const ask = (path: string) => fetch(`${server.url}${path}`, { headers });
  for (const path of ['/v1/health', '/health']) expect((await ask(path)).status).toBe(200);
  for (const path of ['/v1/health', '/health']) {
    const refused = await ask(path);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
  }
});
