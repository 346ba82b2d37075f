/** Requests that reach no interface get a problem document with a code, over a real socket. */
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { serveApi, TOKEN } from './served-api.ts';
import { shared } from '#test/shared-fixture.ts';

const AUTH = `Authorization: Bearer ${TOKEN}\r\n`;
const CHUNKED = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';

const errors: unknown[] = [];
const log = { ...SILENT_LOG, error: (fields: unknown) => void errors.push(fields) };
const api = shared(() => serveApi({ log }));

function opened() {
  const { hostname, port } = new URL(api().url);
  return connect(Number(port), hostname);
}

async function answerTo(text: string): Promise<{ status: number; body: string }> {
  const socket = opened();
  socket.write(text);
  const answer = (await Array.fromAsync(socket)).join('');
  return { status: Number(answer.slice(9, 12)), body: answer.slice(answer.indexOf('{')) };
}

const BIG = 'x'.repeat(200_000);
const EXTENSION = 'x'.repeat(20_000);

test.each<[what: string, sent: string, status: number, code: string]>([
  ['that is not HTTP', 'hello\r\n\r\n', 400, 'INVALID_INPUT'],
  ['without a host', `GET /v1/health HTTP/1.1\r\n${AUTH}\r\n`, 400, 'INVALID_INPUT'],
  ['with an empty host', `GET /health HTTP/1.1\r\nHost: \r\n${AUTH}\r\n`, 400, 'INVALID_INPUT'],
  [
    'with an invalid host',
    `POST /mcp?tenant=a HTTP/1.1\r\nHost: a b\r\n\r\n`,
    400,
    'INVALID_INPUT',
  ],
  ['with a large head', `GET / HTTP/1.1\r\nHost: x\r\nX: ${BIG}\r\n\r\n`, 431, 'CONTENT_TOO_LONG'],
  [
    'with two lengths',
    'POST /v1/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
    400,
    'INVALID_INPUT',
  ],
  [
    'with a broken chunk',
    `POST /v1/tenants/acme/memories HTTP/1.1\r\nHost: x\r\n${AUTH}${CHUNKED}\r\nzz\r\n{}\r\n`,
    400,
    'INVALID_INPUT',
  ],
  [
    'with a long chunk extension',
    `POST /v1/tenants/acme/memories HTTP/1.1\r\nHost: x\r\n${AUTH}${CHUNKED}\r\n2;${EXTENSION}\r\n`,
    413,
    'CONTENT_TOO_LONG',
  ],
  [
    'with an unknown expectation',
    'GET /health HTTP/1.1\r\nHost: x\r\nExpect: a-lot\r\nConnection: close\r\n\r\n',
    417,
    'INVALID_INPUT',
  ],
  ['for a tunnel', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'INVALID_INPUT'],
  [
    'by TRACE',
    'TRACE /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    405,
    'INVALID_INPUT',
  ],
])('a request %s is answered with a problem and its code', async (_, sent, status, code) => {
  const answer = await answerTo(sent);
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.body)).toMatchObject({ status, code, title: code, retryable: false });
});

test.each([
  ['a memory', '/v1/tenants/acme/memories'],
  ['turns', '/v1/tenants/acme/sessions/s/turns'],
  ['a message of MCP', '/mcp?tenant=acme&userId=ann'],
])('a client that sends %s in Latin-1 is refused, and no letter is lost', async (_, path) => {
  const body = Buffer.from('{"content":"Zürich"}', 'latin1');
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const response = await fetch(`${api().url}${path}`, { method: 'POST', headers, body });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain('The body is not in UTF-8');
});

test('a caller who names a user in Latin-1 in a query string is refused', async () => {
  const headers = { authorization: `Bearer ${TOKEN}` };
  const memories = `${api().url}/v1/tenants/acme/memories?userId=`;
  const refused = await fetch(`${memories}J%F6rg`, { headers });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    code: 'INVALID_INPUT',
    detail: expect.stringContaining('%F6, which is not UTF-8') as string,
  });
  for (const user of ['J%C3%B6rg', '100%', 'a%20%E4%BD%A0%2B', '%zz']) {
    expect((await fetch(`${memories}${user}`, { headers })).status).toBe(200);
  }
});

test('a caller who leaves in the middle of a body causes no server error', async () => {
  const head = `POST /v1/tenants/acme/memories HTTP/1.1\r\nHost: x\r\n${AUTH}`;
  for (const path of ['/v1/tenants/acme/memories', '/mcp?tenant=acme&userId=ann', '/memory.add']) {
    const socket = opened();
    const type = 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{';
    socket.write(`${head.replace('/v1/tenants/acme/memories', path)}${type}`);
    await sleep(50);
    socket.destroy();
  }
  // Calls of others are answered, and by then the server has seen those that are gone.
  await sleep(100);
  const url = `${api().url}/v1/health`;
  expect((await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
  expect(errors).toEqual([]);
});

test('a malformed request after a good one gets its own problem on the same connection', async () => {
  const good = `GET /v1/health HTTP/1.1\r\nHost: x\r\n${AUTH}\r\n`;
  const socket = opened();
  socket.write(good);
  const answers: string[] = [];
  for await (const part of socket) {
    answers.push(String(part));
    if (answers.length === 1) socket.write('no HTTP\r\n\r\n');
  }
  expect(answers[0]).toMatch(/^HTTP\/1\.1 200 /u);
  expect(answers.slice(1).join('')).toContain('INVALID_INPUT');
});
