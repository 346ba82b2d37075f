/** A key of idempotency that was used with another body: no face offers another try. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApiServer, type ApiServer } from '#api/http-server.ts';
import { connectApi } from '#cli/api-client.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { createClient } from '#client/index.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const TOKEN = 'a-token-of-this-installation';
const REFUSED = { code: 'CONFLICT', retryable: false };
const OTHER = {
  layer: 'user',
  identifiers: { userId: 'ann' },
  content: 'Ann plays the flute.',
  idempotencyKey: 'used',
} as const;

let server: ApiServer;
const held = new AsyncDisposableStack();
beforeAll(async () => {
  const { folder } = held.use(await temporaryFolder());
  const parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG }));
  const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
  server = held.use(await startApiServer({ ports, host: '127.0.0.1', port: 0, token: TOKEN }));
  const client = createClient({ url: server.url, token: TOKEN, tenant: 'acme' });
  await client.memory.add({ ...OTHER, content: 'Ann plays the cello.' });
});
afterAll(() => held.disposeAsync());

async function send(path: string, body: unknown) {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const response = await fetch(`${server.url}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  return { status: response.status, answer };
}

describe('a key that was used with another body is not worth another try', () => {
  test('over REST', async () => {
    const { status, answer } = await send('/v1/tenants/acme/memories', OTHER);
    expect([status, answer]).toMatchObject([409, REFUSED]);
  });

  test('over tRPC, also as the command line reads it', async () => {
    const { status, answer } = await send('/memory.add', { tenant: 'acme', ...OTHER });
    expect([status, answer]).toMatchObject([409, { error: { data: REFUSED } }]);
    const { memory } = connectApi({ url: server.url, token: TOKEN });
    await expect(memory.add({ tenant: 'acme', ...OTHER })).rejects.toMatchObject(REFUSED);
  });

  test('for varve/client, which sends it once', async () => {
    let sent = 0;
    const counting: typeof fetch = (...request) => {
      sent += 1;
      return fetch(...request);
    };
    const client = createClient({ url: server.url, token: TOKEN, tenant: 'acme', fetch: counting });
    await expect(client.memory.add(OTHER)).rejects.toMatchObject(REFUSED);
    expect(sent).toBe(1);
  });
});
