/** How the API server ends: it finishes calls in progress, within a time limit. */
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { serveApi, TOKEN } from './served-api.ts';

const LONG_MS = 60_000;
const BODY = JSON.stringify({
  tenant: 'acme',
  layer: 'project',
  identifiers: { projectId: 'boat' },
  content: 'The boat is painted blue.',
});

test.each([
  ['finishes within the time limit', LONG_MS, 200],
  ['is cut if there is no time', 0, 'ECONNRESET'],
])('a call in progress when the server ends %s', async (_, finishWithinMs, outcome) => {
  const server = await serveApi({ differing: { finishWithinMs } });

  const sent = request(`${server.url}/memory.add`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(BODY),
      expect: '100-continue',
    },
  });
  const answered = new Promise<number | string>((resolve) => {
    sent.once('error', (error) => {
      resolve('code' in error ? String(error.code) : error.message);
    });
    sent.once('response', (response) => {
      void text(response).then(() => {
        resolve(response.statusCode ?? 0);
      });
    });
  });
  // The server has the call, and waits for its body.
  await new Promise((resolve) => sent.once('continue', resolve));
  const ended = server[Symbol.asyncDispose]();
  if (outcome === 200) sent.end(BODY);
  expect(await answered).toBe(outcome);
  sent.destroy();
  await ended;
  await expect(fetch(server.url)).rejects.toThrow('fetch failed');
});
