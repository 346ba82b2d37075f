/** An idempotency key that was used with another body: no interface suggests a retry. */
import { beforeAll, describe, expect, test } from 'vitest';
import { connectApi } from '#cli/api-client.ts';
import { createClient } from '#client/index.ts';
import { serveApi, TOKEN } from './served-api.ts';
import { shared } from '#test/shared-fixture.ts';

const REFUSED = { code: 'CONFLICT', retryable: false };
const OTHER = {
  layer: 'user',
  identifiers: { userId: 'ann' },
  content: 'Ann plays the flute.',
  idempotencyKey: 'used',
} as const;

const api = shared(serveApi);
beforeAll(async () => {
  const client = createClient({ url: api().url, token: TOKEN, tenant: 'acme' });
  await client.memory.add({ ...OTHER, content: 'Ann plays the cello.' });
});

async function send(path: string, body: unknown) {
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const response = await fetch(`${api().url}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const answer: unknown = await response.json();
  return { status: response.status, answer };
}

describe('an idempotency key that was used with another body is CONFLICT and not retryable', () => {
  test('over REST', async () => {
    const { status, answer } = await send('/v1/tenants/acme/memories', OTHER);
    expect([status, answer]).toMatchObject([409, REFUSED]);
  });

  test('over tRPC and in the client of the command line', async () => {
    const { status, answer } = await send('/memory.add', { tenant: 'acme', ...OTHER });
    expect([status, answer]).toMatchObject([409, { error: { data: REFUSED } }]);
    const { memory } = connectApi({ url: api().url, token: TOKEN });
    await expect(memory.add({ tenant: 'acme', ...OTHER })).rejects.toMatchObject(REFUSED);
  });

  test('in varve/client, which sends the call once', async () => {
    let sent = 0;
    const counting: typeof fetch = (...request) => {
      sent += 1;
      return fetch(...request);
    };
    const client = createClient({ url: api().url, token: TOKEN, tenant: 'acme', fetch: counting });
    await expect(client.memory.add(OTHER)).rejects.toMatchObject(REFUSED);
    expect(sent).toBe(1);
  });
});
