/** How callers are held up: by key, by tenant, by calls under way, and over the network. */
import { describe, expect, test } from 'vitest';
import { refusingEarly } from '#api/authenticate.ts';
import { libraryOf } from '#api/library.ts';
import { createPace } from '#api/pace.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { startApiServer } from '#api/server.ts';
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

function paceAt(settings: Parameters<typeof createPace>[0]) {
  const clock = { now: 0 };
  const pace = createPace(settings, () => clock.now);
  const call = (who: typeof bot) => {
    pace.enter(who)();
  };
  return { clock, pace, call };
}

describe('calls a second', () => {
  test('of a key: twice as many at once, then as fast as the limit; others go on', () => {
    const { clock, call } = paceAt({ key: NARROW, tenant: WIDE });
    for (let sent = 0; sent < 4; sent += 1) call(bot);
    const details = { of: 'key', limit: 2, retryAfterMs: 500 };
    expect(thrownBy(() => call(bot))).toMatchObject({ code: 'RATE_LIMITED', details });
    for (const who of [other, stranger]) call(who);
    clock.now += 499;
    expect(thrownBy(() => call(bot))).toMatchObject({ code: 'RATE_LIMITED' });
    clock.now += 1;
    call(bot);
  });

  test('of a tenant: its keys share them, and another tenant has its own', () => {
    const { call } = paceAt({ key: WIDE, tenant: NARROW });
    for (const who of [bot, other, bot, other]) call(who);
    expect(thrownBy(() => call(bot))).toMatchObject({ details: { of: 'tenant' } });
    for (let sent = 0; sent < 4; sent += 1) call(stranger);
  });
});

describe('a caller who is over its limits', () => {
  test('is refused by a look that takes nothing', async () => {
    const { clock, pace, call } = paceAt({ key: NARROW, tenant: WIDE });
    for (let sent = 0; sent < 3; sent += 1) call(bot);
    for (let looks = 0; looks < 9; looks += 1) await pace.check(bot);
    call(bot);
    const details = { of: 'key', limit: 2, retryAfterMs: 500 };
    await expect(pace.check(bot)).rejects.toMatchObject({ code: 'RATE_LIMITED', details });
    await pace.check(other);
    clock.now += 500;
    await pace.check(bot);
  });

  test('is refused over the network before its key is read', async () => {
    const read: string[] = [];
    const principal = { ...bot, bound: {}, role: 'read' as const };
    const { pace, call } = paceAt({ key: NARROW, tenant: WIDE });
    const known = refusingEarly(({ headers }) => {
      read.push(String(headers.authorization));
      return Promise.resolve(principal);
    }, pace);
    const ask = (token: string) => known({ headers: { authorization: `Bearer ${token}` } });
    expect(await ask('one')).toEqual(principal);
    for (let sent = 0; sent < 4; sent += 1) call(bot);
    await expect(ask('one')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await ask('another');
    expect(read).toEqual(['Bearer one', 'Bearer another']);
  });
});

describe('calls under way', () => {
  test('are bounded until one of them ends', () => {
    const { pace } = paceAt({ key: { ...WIDE, atOnce: 3 }, tenant: WIDE });
    const [first] = [pace.enter(bot), pace.enter(bot), pace.enter(bot)];
    const refused = thrownBy(() => pace.enter(bot));
    expect(refused).toMatchObject({ code: 'RATE_LIMITED', details: { of: 'key', limit: 3 } });
    first();
    pace.enter(bot);
  });

  test('of whoever runs the installation are not counted', () => {
    const { pace } = paceAt({ key: NARROW, tenant: NARROW });
    const calls = Array.from({ length: 100 }, () => () => pace.enter(LOCAL_OPERATOR));
    for (const call of calls) expect(call).not.toThrow();
  });
});

test('over REST and tRPC a caller hears 429 and when to come again', async () => {
  await using held = new AsyncDisposableStack();
  const { folder } = held.use(await temporaryFolder());
  const parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG }));
  const clock = () => 0;
  const narrow = { perSecond: 1, atOnce: 9, subscriptions: 1 };
  const pace = createPace({ key: narrow, tenant: WIDE }, clock);
  const ports = apiPortsOf({ ...parts, pace }, NO_REFRESH_TRIGGER, null);
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
