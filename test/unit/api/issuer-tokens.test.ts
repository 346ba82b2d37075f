/**
 * Tokens of another issuer over real sockets: whom they admit, with which rights, and what happens
 * while the issuer is unavailable.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  SignJWT,
  UnsecuredJWT,
  type JWTPayload,
  exportJWK,
  generateKeyPair,
  type CryptoKey,
} from 'jose';
import { startApiServer, type ApiServer } from '#api/http-server.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { readConfig } from '#cli/config.ts';
import { openTokenReaders } from '#cli/access-token-settings.ts';
import type { Log } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

const NOON = Date.parse('2026-11-21T12:00:00Z');
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const ISSUER = 'https://login.example';
const MEMORIES = '/v1/tenants/acme/memories';
const DANA = { layer: 'user', identifiers: { userId: 'dana' }, content: 'Dana likes maps.' };

const clock = { now: NOON };
let lines: string[] = [];
let held: AsyncDisposableStack;
let issuer: Issuer;
let key: SigningKey;
let server: ApiServer;
beforeEach(async () => {
  clock.now = NOON;
  lines = [];
  held = new AsyncDisposableStack();
  issuer = held.use(await startIssuer());
  key = await issuer.add('first');
  server = await serve();
});
afterEach(() => held.disposeAsync());

async function serve(differing: Readonly<Record<string, string>> = {}): Promise<ApiServer> {
  const note: Log['info'] = (fields, message) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const { folder } = held.use(await temporaryFolder());
  const parts = held.use(await openParts({ dataDir: folder, log }));
  const platform = { ...parts.platform, clock: () => clock.now };
  const ports = apiPortsOf({ ...parts, platform }, NO_REFRESH_TRIGGER, null);
  const config = readConfig(
    {
      VARVE_JWT_ISSUER: ISSUER,
      VARVE_JWT_AUDIENCE: 'varve',
      VARVE_JWT_JWKS: issuer.jwksUrl,
      VARVE_JWT_ROLE_CLAIM: 'realm_access.roles',
      ...differing,
    },
    {},
  );
  const { readers: tokenReaders } = held.use(await openTokenReaders(config, { ...platform, log }));
  const address = { host: '127.0.0.1', port: 0, token: 'a-token-of-this-installation' };
  return held.use(await startApiServer({ ports, ...address, tokenReaders }));
}

/** Of Ann, who may write, for five minutes. */
const claims = (differing: JWTPayload = {}): JWTPayload => ({
  iss: ISSUER,
  aud: 'varve',
  sub: 'ann',
  tenant: 'acme',
  realm_access: { roles: ['offline_access', 'write', 'read'] },
  exp: (clock.now + 5 * MINUTE) / 1_000,
  ...differing,
});

interface Answered {
  readonly status: number;
  readonly code?: string;
  readonly detail?: string;
}

async function send(token: string, path = '/v1/health', body?: unknown): Promise<Answered> {
  const response = await fetch(`${server.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { code, detail, ...rest } = (await response.json()) as Omit<Answered, 'status'>;
  return { ...rest, status: response.status, ...(code === undefined ? {} : { code, detail }) };
}

const ann = async (differing?: JWTPayload) => signed(key, claims(differing));

describe('a token of the issuer', () => {
  test('acts for its subject, with its tenant and the highest of its roles', async () => {
    const token = await ann();
    expect(await send(token, MEMORIES, DANA)).toMatchObject({
      status: 200,
      memory: { origin: { principal: 'jwt:ann' } },
    });
    const other = await send(token, '/v1/tenants/other/memories', DANA);
    expect(other).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect(await send(token, '/v1/tenants/acme/keys')).toMatchObject({ code: 'FORBIDDEN' });
  });

  test('acts only for the identifiers in its claims', async () => {
    server = await serve({ VARVE_JWT_IDENTIFIER_CLAIMS: 'userId=sub,projectId=project' });
    const token = await ann({ sub: 'dana', project: 'boat' });
    expect(await send(token, MEMORIES, DANA)).toMatchObject({ status: 200 });
    const bob = { ...DANA, identifiers: { userId: 'bob' } };
    expect(await send(token, MEMORIES, bob)).toMatchObject({ status: 403 });
    expect(await send(await ann({ sub: 'dana' }))).toMatchObject({ status: 401 });
  });

  test('is valid from its beginning until its end plus the tolerance', async () => {
    const token = await ann({ nbf: (NOON - MINUTE) / 1_000 });
    clock.now = NOON + 5 * MINUTE + 29_000;
    expect((await send(token)).status).toBe(200);
    clock.now += 1_000;
    expect((await send(token)).status).toBe(401);
    clock.now = NOON - 2 * MINUTE;
    expect((await send(token)).status).toBe(401);
  });

  test.each([
    ['has expired', { exp: NOON / 1_000 - 60 }],
    ['never ends', { exp: undefined }],
    ['is for another audience', { aud: 'payroll' }],
    ['names another issuer', { iss: 'https://login.example.evil' }],
    ['names no subject', { sub: undefined }],
    ['names no tenant', { tenant: undefined }],
    ['names an invalid tenant', { tenant: 'acme/other' }],
    ['names a list of tenants', { tenant: ['acme'] }],
    ['has an unknown role', { realm_access: { roles: 'king' } }],
    ['has only roles of other programs', { realm_access: { roles: ['offline_access'] } }],
    ['has no role', { realm_access: {} }],
    ['names a subject that is too long', { sub: 'a'.repeat(201) }],
  ] as [string, JWTPayload][])('is refused if it %s', async (_, differing) => {
    const refused = await send(await ann(differing));
    expect(refused).toEqual(await send('no-token-at-all'));
    expect(refused.status).toBe(401);
    expect(lines.join('')).not.toContain('ann');
  });

  test('is refused unsigned, signed with a shared secret or another key, or altered', async () => {
    const token = await ann();
    const [head = '', body = '', signature = ''] = token.split('.');
    const forged = { ...claims(), tenant: 'other' };
    const secret = new TextEncoder().encode(JSON.stringify(key.kid).padEnd(64, 'x'));
    const kid = 'first';
    const wrong = [
      new UnsecuredJWT(claims()).encode(),
      await new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid }).sign(secret),
      await signed({ ...(await (await startedElsewhere()).add(kid)), kid }, claims()),
      [head, Buffer.from(JSON.stringify(forged)).toString('base64url'), signature].join('.'),
      `${head}.${body}.`,
    ];
    for (const each of wrong) expect((await send(each)).status).toBe(401);
    expect((await send(token)).status).toBe(200);
  });

  test('is refused if its algorithm is not allowed', async () => {
    server = await serve({ VARVE_JWT_ALGORITHMS: 'RS256' });
    expect((await send(await ann())).status).toBe(401);
    key = await issuer.add('second', 'RS256');
    clock.now += MINUTE;
    expect((await send(await ann())).status).toBe(200);
  });
});

async function startedElsewhere(): Promise<Issuer> {
  return held.use(await startIssuer());
}

describe('the keys of the issuer', () => {
  test('are fetched once, and again for a new key after the cooldown', async () => {
    for (const _ of [1, 2, 3]) await send(await ann());
    expect(issuer.asked()).toBe(1);
    key = await issuer.add('second');
    clock.now += 29_000;
    expect((await send(await ann())).status).toBe(401);
    expect(issuer.asked()).toBe(1);
    clock.now += 1_000;
    expect((await send(await ann())).status).toBe(200);
    expect(issuer.asked()).toBe(2);
    // Tokens with made-up keys cause no additional requests.
    for (const _ of [1, 2, 3]) await send(await signed({ ...key, kid: 'none' }, claims()));
    expect(issuer.asked()).toBe(2);
  });

  test('are fetched once for many calls at a time, and never for another issuer', async () => {
    await send(await ann({ iss: 'https://elsewhere.example' }));
    expect(issuer.asked()).toBe(0);
    const token = await ann();
    await Promise.all([1, 2, 3, 4, 5].map(() => send(token)));
    expect(issuer.asked()).toBe(1);
  });

  test('are refused within ten minutes after the issuer dropped them', async () => {
    const before = key;
    expect((await send(await ann())).status).toBe(200);
    issuer.drop(before);
    clock.now += 10 * MINUTE;
    expect((await send(await ann())).status).toBe(401);
  });

  test.each([
    ['answers with a failure', { status: 500, body: '' }],
    ['answers with no keys', { status: 200, body: '{"keys":"none"}' }],
    ['answers too much', { status: 200, body: ' '.repeat(2 * 1024 * 1024) }],
  ])('that are known stay valid for a day while the issuer %s', async (_, answer) => {
    expect((await send(await ann())).status).toBe(200);
    issuer.answer = answer;
    clock.now += DAY - 1;
    expect((await send(await ann())).status).toBe(200);
    expect(lines.filter((line) => line.startsWith('keys of the issuer'))).toHaveLength(1);
    clock.now += 1;
    const refused = await send(await ann());
    expect(refused).toMatchObject({ status: 503, code: 'PROVIDER_ERROR' });
    issuer.answer = null;
    clock.now += MINUTE;
    expect((await send(await ann())).status).toBe(200);
  });

  test('are also read from a file, and again for a new key', async () => {
    const { folder } = held.use(await temporaryFolder());
    const file = path.join(folder, 'keys.json');
    const publish = async () => writeFile(file, await (await fetch(issuer.jwksUrl)).text());
    await publish();
    server = await serve({ VARVE_JWT_JWKS: file });
    expect((await send(await ann())).status).toBe(200);
    key = await issuer.add('second');
    await publish();
    clock.now += MINUTE;
    expect((await send(await ann())).status).toBe(200);
  });

  test('that were never read fail calls with 503, and are fetched no sooner', async () => {
    issuer.answer = { status: 503, body: '' };
    for (const _ of [1, 2]) expect((await send(await ann())).status).toBe(503);
    expect(issuer.asked()).toBe(1);
    expect((await send('no-token-at-all')).status).toBe(401);
  });
});

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
}

interface Issuer extends AsyncDisposable {
  readonly jwksUrl: string;
  /** What it answers with; null for its keys. */
  answer: { readonly status: number; readonly body: string } | null;
  /** How often its keys were asked for. */
  readonly asked: () => number;
  /** Publishes a new key. */
  add(kid: string, alg?: string): Promise<SigningKey>;
  /** Publishes a key no more. */
  drop(key: SigningKey): void;
}

async function startIssuer(): Promise<Issuer> {
  const published = new Map<string, object>();
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    const { status, body } = issuer.answer ?? {
      status: 200,
      body: JSON.stringify({ keys: [...published.values()] }),
    };
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const issuer: Issuer = {
    jwksUrl: `http://127.0.0.1:${String(port)}/jwks`,
    answer: null,
    asked: () => asked,
    add: async (kid, alg = 'ES256') => {
      const { privateKey, publicKey } = await generateKeyPair(alg);
      published.set(kid, { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' });
      return { kid, alg, privateKey };
    },
    drop: ({ kid }) => {
      published.delete(kid);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return issuer;
}

/** A token with exactly these claims. */
export function signed({ kid, alg, privateKey }: SigningKey, claims: JWTPayload): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(privateKey);
}
