/** MCP at `/mcp` of the API server, over a real socket, with clients of two vendors. */
import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createMCPClient } from '@ai-sdk/mcp';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, test } from 'vitest';
import { createCallLimiter } from '#api/call-limits.ts';
import type { ErrorCode } from '#core/error-codes.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { readProjectFile, ROOT } from '#test/tidy/source-file.ts';
import { callsOf, createClient, textOf } from './connected.ts';
import { AUTH, serveApi, TOKEN } from '#test/unit/api/served-api.ts';
import { shared } from '#test/shared-fixture.ts';

const ANN = '/mcp?tenant=acme&userId=ann';
const CALLS_AT_ONCE = 20;

const api = shared(serveApi);

async function connect(path: string) {
  const client = createClient();
  const requestInit = { headers: AUTH };
  const transport = new StreamableHTTPClientTransport(new URL(path, api().url), { requestInit });
  await client.connect(transport);
  return { ...callsOf(client), [Symbol.asyncDispose]: () => client.close() };
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

interface Posted {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

function post({ path = ANN, method = 'POST', headers = {}, body }: Posted, url = api().url) {
  return fetch(`${url}${path}`, {
    method,
    headers: {
      ...AUTH,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    ...(method === 'POST' ? { body: body ?? JSON.stringify(INITIALIZE) } : {}),
  });
}

function rpc(differing: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: {}, ...differing });
}

describe('MCP over HTTP', () => {
  test('a memory of one user is found only by that user', async () => {
    await using ann = await connect(ANN);
    await using bob = await connect('/mcp?tenant=acme&userId=bob');
    const content = 'Ann is allergic to peanuts.';
    const { memory } = await ann.answer<{ memory: { id: string } }>('add_memory', { content });
    const query = 'Is Ann allergic to peanuts?';
    expect(textOf(await ann.call('search_memory', { query }))).toContain(memory.id);
    expect(textOf(await bob.call('search_memory', { query }))).not.toContain(memory.id);
    const refused = await bob.call('delete_memory', { id: memory.id });
    expect(refused).toMatchObject({ isError: true });
    const why = textOf(await ann.call('why', { ref: memory.id }));
    expect(why).toContain(', by mcp. It came in by api.');
  });

  test('concurrent calls each get their own answer', async () => {
    await using ann = await connect(ANN);
    const contents = Array.from({ length: CALLS_AT_ONCE }, (_, at) => `Box ${String(at)} is red.`);
    const answers = await Promise.all(
      contents.map((content) =>
        ann.answer<{ memory: { content: string } }>('add_memory', { content }),
      ),
    );
    expect(answers.map(({ memory }) => memory.content)).toEqual(contents);
  });

  test('calls with the token of the installation have no limits', async () => {
    const narrow = { perSecond: 1, atOnce: 1, subscriptions: 1 };
    await using limited = await serveApi({
      instead: ({ platform }) => ({
        callLimiter: createCallLimiter({ key: narrow, tenant: narrow }, platform.clock),
      }),
    });
    const body = rpc({ params: { name: 'search_memory', arguments: { query: 'Boxes?' } } });
    const sent = Array.from({ length: CALLS_AT_ONCE }, () => post({ body }, limited.url));
    const answers = await Promise.all(sent);
    for (const answer of answers) expect(await answer.text()).not.toContain('RATE_LIMITED');
  });

  test('the client of the AI SDK gets the tools and calls them', async () => {
    const url = `${api().url}/mcp?tenant=acme&userId=carla`;
    const client = await createMCPClient({ transport: { type: 'http', url, headers: AUTH } });
    try {
      const { add_memory: add, search_memory: search } = await client.tools();
      const options = { toolCallId: '1', messages: [], context: {} };
      await add?.execute({ content: 'Carla sings in a choir.' }, options);
      const found: unknown = await search?.execute({ query: 'Does Carla sing?' }, options);
      expect(JSON.stringify(found)).toContain('Carla sings in a choir.');
    } finally {
      await client.close();
    }
  });

  test.each<[string, Posted, number, string]>([
    ['without a token', { headers: { authorization: '' } }, 401, 'UNAUTHENTICATED'],
    ['with another token', { headers: { authorization: 'Bearer x' } }, 401, 'UNAUTHENTICATED'],
    ['from a foreign page', { headers: { origin: 'https://evil.example' } }, 403, 'FORBIDDEN'],
    ['from a page with a null origin', { headers: { origin: 'null' } }, 403, 'FORBIDDEN'],
    [
      'from a page with a deceptive name',
      { headers: { origin: 'http://127.0.0.1.evil.example' } },
      403,
      'FORBIDDEN',
    ],
    ['without a tenant', { path: '/mcp?userId=ann' }, 400, 'tenant'],
    ['without an identifier', { path: '/mcp?tenant=acme' }, 400, 'No identifier is fixed'],
    ['with an unknown parameter', { path: `${ANN}&projectid=x` }, 400, 'did you mean projectId?'],
    ['with a parameter twice', { path: `${ANN}&userId=bob` }, 400, 'userId: expected a text'],
    [
      'for nobody',
      { path: '/mcp?tenant=acme&userId=undefined' },
      400,
      'userId: expected an id, found undefined',
    ],
    ['by GET', { method: 'GET' }, 405, 'send POST'],
    ['by DELETE', { method: 'DELETE' }, 405, 'send POST'],
    ['with a body that is not JSON', { body: '{' }, 400, 'not JSON'],
    ['with a body above 4 MiB', { body: 'x'.repeat(5 * 1024 * 1024) }, 413, 'CONTENT_TOO_LONG'],
    [
      'with an unknown protocol version',
      { headers: { 'mcp-protocol-version': '1999-01-01' } },
      400,
      'version',
    ],
  ])('a call %s is refused', async (_, posted, status, words) => {
    const sent =
      posted.headers?.['mcp-protocol-version'] === undefined
        ? posted
        : { ...posted, body: JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' }) };
    const response = await post(sent);
    expect(response.status).toBe(status);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({ jsonrpc: '2.0', error: {}, id: null });
    expect(text).toContain(words);
  });

  test.each<[string, Posted, ErrorCode, RegExp]>([
    ['of an unknown method', { body: rpc({ method: 'sampling/x' }) }, 'NOT_FOUND', /not found/u],
    ['that is not a message', { body: '{"jsonrpc":"2.0","id":{}}' }, 'INVALID_INPUT', /JSON-RPC/u],
    [
      'with an accept header for anything',
      { headers: { accept: '*/*' } },
      'INVALID_INPUT',
      /must accept/u,
    ],
    ['without a body', { body: '' }, 'INVALID_INPUT', /JSON/u],
    [
      'of an unknown tool',
      { body: rpc({ params: { name: 'x', arguments: {} } }) },
      'INVALID_INPUT',
      /no such tool/u,
    ],
    [
      'with a text as arguments',
      { body: rpc({ params: { name: 'why', arguments: 'a secret' } }) },
      'INVALID_INPUT',
      /fit the method: params\.arguments/u,
    ],
    [
      'for a resource with an invalid name',
      { body: rpc({ method: 'resources/read', params: { uri: 'secret' } }) },
      'INVALID_INPUT',
      /fit the method: params\.uri/u,
    ],
  ])('a call %s is refused with a code of Varve', async (_, posted, code, words) => {
    const text = await (await post(posted)).text();
    const { error } = JSON.parse(text) as { error: { message: string } };
    expect(error).toMatchObject({ code: expect.any(Number), data: { code, retryable: false } });
    expect(error.message).toMatch(words);
    expect(text).not.toContain('secret');
  });

  test.each(['constructor', 'toString', '__proto__'])(
    'completing %s returns nothing',
    async (name) => {
      const ref = { type: 'ref/resource', uri: 'varve://summary/{layer}/{depth}' };
      const params = { ref, argument: { name, value: '' } };
      const response = await post({ body: rpc({ method: 'completion/complete', params }) });
      expect(await response.json()).toMatchObject({ result: { completion: { values: [] } } });
    },
  );

  test('a call is answered even if its batch cancels it', async () => {
    const call = { jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} };
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled' };
    const batch = [call, { ...cancelled, params: { requestId: 7, reason: 'x' } }];
    const response = await post({ body: JSON.stringify(batch) });
    expect(response.status).toBe(200);
    expect(JSON.stringify(await response.json())).toContain('"id":7');
  });

  test('the path may end with a slash', async () => {
    const response = await post({ path: ANN.replace('?', '/?') });
    expect(await response.json()).toMatchObject({ result: { serverInfo: { name: 'varve' } } });
  });

  test('a page on this machine is answered, without a session', async () => {
    const response = await post({ headers: { origin: 'http://localhost:6274' } });
    expect(response.status).toBe(200);
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect(await response.json()).toMatchObject({ result: { serverInfo: { name: 'varve' } } });
  });
});

test('the example of docs/mcp.md runs as it stands', async () => {
  await using temporary = await temporaryFolder();
  const { folder } = temporary;
  const page = readProjectFile('docs/mcp.md').text;
  const sample = /```ts\n([\s\S]+?)```/u.exec(page)?.[1] ?? '';
  await writeFile(path.join(folder, 'package.json'), '{"type": "module"}');
  await symlink(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  await writeFile(path.join(folder, 'example.ts'), sample);
  const env = { ...process.env, VARVE_API_URL: api().url, VARVE_API_TOKEN: TOKEN };
  const run = promisify(execFile);
  const { stdout } = await run(process.execPath, ['example.ts'], { cwd: folder, env });
  expect(stdout).toContain('Ann is allergic to peanuts.');
});
