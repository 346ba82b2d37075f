/** The typed client against a running server, and what it does when calls fail. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { namedOperations, servedOperations } from '#api/operations/table.ts';
import { clientRoutes } from '#api/print-api-docs.ts';
import { createClient, VarveClientError, type ClientOptions } from '#client/index.ts';
import { pauseMs } from '#client/call-retries.ts';
import { ROUTES } from '#client/routes.generated.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { readProjectFile, ROOT } from '#test/tidy/source-file.ts';
import { serveApi, TOKEN } from '#test/unit/api/served-api.ts';
import { shared } from '#test/shared-fixture.ts';

const identifiers = { userId: 'ann' };

const api = shared(serveApi);

const clientOf = (options: Partial<ClientOptions> = {}) =>
  createClient({ url: api().url, token: TOKEN, tenant: 'acme', ...options });

/** Answers these in place of the server, the last one for ever, and counts. */
function answering(...answers: readonly (Response | Error | 'pass')[]) {
  const sent: Request[] = [];
  const send: typeof fetch = (url, init) => {
    const answer = answers[Math.min(sent.length, answers.length - 1)];
    sent.push(new Request(url, init));
    if (answer === 'pass') return fetch(url, init);
    return answer instanceof Response
      ? Promise.resolve(answer.clone())
      : Promise.reject(answer ?? new Error('no answer'));
  };
  return { sent, send };
}

function problem(status: number, code: string, retryable: boolean, after?: string): Response {
  const body = JSON.stringify({ detail: `it is ${code}`, code, retryable, details: {} });
  return new Response(body, {
    status,
    headers: after === undefined ? {} : { 'retry-after': after },
  });
}

const CUT = new TypeError('fetch failed');
const BUSY = problem(429, 'RATE_LIMITED', true, '0');

describe('varve/client', () => {
  test('has every operation of the table that a network face offers', () => {
    const names = namedOperations(servedOperations()).map(([name]) => name);
    expect(Object.keys(ROUTES)).toEqual(names);
    expect(readProjectFile('client/routes.generated.ts').text).toBe(clientRoutes());
  });

  test('adds, reads, changes, lists, finds and deletes a memory', async () => {
    const { memory } = clientOf();
    const content = 'Ann lives in Porto.';
    const { memory: added } = await memory.add({ layer: 'user', identifiers, content });
    const { id } = added;
    await memory.update({ id, content: 'Ann lives in Braga.' });
    expect(await memory.get({ id })).toMatchObject({ content: 'Ann lives in Braga.' });
    const listed = await memory.list({ identifiers, tags: [], layers: ['user'], limit: 5 });
    expect(listed).toMatchObject({ totalCount: 1, memories: [{ id }] });
    const { hits } = await memory.search({ identifiers, query: 'Where does Ann live? Braga' });
    expect(hits.map(({ text }) => text)).toContain('Ann lives in Braga.');
    await memory.delete({ id });
    expect(await memory.get({ id })).toBeNull();
  });

  test('refuses an undefined user id and sends nothing', async () => {
    const { sent, send } = answering('pass');
    const { conversation } = clientOf({ fetch: send });
    const turns = [{ role: 'user' as const, content: 'I like tea.' }];
    const append = conversation.append({
      sessionId: 'nobody',
      identifiers: { userId: undefined },
      turns,
    });
    await expect(append).rejects.toMatchObject({ code: 'INVALID_INPUT', retryable: false });
    await expect(append).rejects.toThrow('identifiers.userId is undefined');
    expect(sent).toHaveLength(0);
  });

  test('refuses a promise as identifiers and sends nothing', async () => {
    const { sent, send } = answering('pass');
    const promised = Promise.resolve({ userId: 'ann' }) as never;
    const search = clientOf({ fetch: send }).memory.search({ identifiers: promised, query: 'tea' });
    await expect(search).rejects.toThrow('identifiers: expected an object with fields');
    expect(sent).toHaveLength(0);
  });

  test('deletes no session where the ids of turns are undefined, and sends nothing', async () => {
    const { sent, send } = answering('pass');
    const { conversation } = clientOf({ fetch: send });
    const deletion = conversation.delete({ sessionId: 'kept', turnIds: undefined });
    await expect(deletion).rejects.toThrow('expected ids of turns, found undefined');
    expect(sent).toHaveLength(0);
  });

  test('appends a turn whose id is undefined once, even by a retry', async () => {
    const { sent, send } = answering(CUT, 'pass');
    const { conversation } = clientOf({ fetch: send });
    const turns = [{ id: undefined, role: 'user', content: 'Once more.' }] as never;
    await conversation.append({ sessionId: 'twice-undefined', turns });
    expect(sent).toHaveLength(2);
    const { messages } = await conversation.messages({ sessionId: 'twice-undefined' });
    expect(messages).toHaveLength(1);
  });

  test('sends a tag with a comma and an id with a slash unchanged', async () => {
    const { memory, conversation } = clientOf();
    const tags = ['a, b'];
    await memory.add({ layer: 'user', identifiers, content: 'Tagged.', tags });
    const { memories } = await memory.list({ identifiers, tags });
    expect(memories.map(({ content }) => content)).toEqual(['Tagged.']);
    const sessionId = 'monday/9 ä?';
    await conversation.append({ sessionId, turns: [{ role: 'user', content: 'Hello.' }] });
    const { messages } = await conversation.messages({ sessionId });
    expect(messages).toHaveLength(1);
  });

  test('returns the health of the installation, whatever its tenant', async () => {
    expect(await clientOf({ tenant: 'acme' }).health()).toMatchObject({ ok: true });
  });

  test('throws an error with the code and the status of the server', async () => {
    const failure = clientOf().memory.add({ layer: 'session', identifiers, content: 'x' });
    await expect(failure).rejects.toMatchObject({
      name: 'VarveClientError',
      code: 'MISSING_IDENTIFIER',
      status: 400,
      retryable: false,
    });
    const stranger = clientOf({ token: 'wrong', retries: 0 }).health();
    await expect(stranger).rejects.toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
  });

  test.each<[string, readonly (Response | Error | 'pass')[], number]>([
    ['once the connection was cut', [CUT, 'pass'], 2],
    ['once the server was busy', [BUSY, BUSY, 'pass'], 3],
    ['once a gateway had no upstream', [new Response('', { status: 502 }), 'pass'], 2],
  ])('retries a keyed write %s, and it counts once', async (_, answers, tries) => {
    const { sent, send } = answering(...answers);
    const content = `Tried ${String(tries)} times: ${_}.`;
    await clientOf({ fetch: send }).memory.add({ layer: 'user', identifiers, content });
    expect(sent).toHaveLength(tries);
    const keys = await Promise.all(
      sent.map(async (each) => ((await each.json()) as { idempotencyKey: string }).idempotencyKey),
    );
    expect(new Set(keys).size).toBe(1);
    const { memories } = await clientOf().memory.list({ identifiers, limit: 50 });
    expect(memories.filter((each) => each.content === content)).toHaveLength(1);
  });

  test('does not retry a write without a key once it may have run', async () => {
    const { sent, send } = answering(CUT);
    const grant = clientOf({ fetch: send }).dream.run({ subject: { kind: 'user', id: 'ann' } });
    await expect(grant).rejects.toMatchObject({ code: 'PROVIDER_ERROR', retryable: true });
    expect(sent).toHaveLength(1);
  });

  test('appends turns without ids once, even by a retry', async () => {
    const { sent, send } = answering(CUT, 'pass');
    const { conversation } = clientOf({ fetch: send });
    const sessionId = 'twice';
    await conversation.append({ sessionId, turns: [{ role: 'user', content: 'Once.' }] });
    expect(sent).toHaveLength(2);
    expect((await conversation.messages({ sessionId })).messages).toHaveLength(1);
    await conversation.append({ sessionId, turns: [{ role: 'user', content: 'Once.' }] });
    expect((await conversation.messages({ sessionId })).messages).toHaveLength(2);
  });

  test.each([
    ['at once if a retry cannot help', problem(400, 'INVALID_INPUT', false), 1],
    ['after the allowed number of tries', BUSY, 3],
  ])('fails a call %s', async (_, answer, tries) => {
    const { sent, send } = answering(answer);
    const failure = clientOf({ fetch: send, retries: 2 }).budget.get();
    await expect(failure).rejects.toBeInstanceOf(VarveClientError);
    expect(sent).toHaveLength(tries);
  });

  test('stops waiting for the next try when a signal aborts the call', async () => {
    const { send } = answering(problem(429, 'RATE_LIMITED', true, '50'));
    const stop = new AbortController();
    const call = clientOf({ fetch: send }).health(undefined, { signal: stop.signal });
    setTimeout(() => {
      stop.abort(new Error('enough'));
    }, 10);
    await expect(call).rejects.toThrow('enough');
  });

  test('gives up on a server that hangs after the timeout, with the code TIMEOUT', async () => {
    const send: typeof fetch = async (_, init) => {
      await new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => {
          reject(init.signal?.reason as Error);
        });
      });
      throw new Error('never');
    };
    const call = clientOf({ fetch: send, timeoutMs: 20, retries: 0 }).health();
    await expect(call).rejects.toMatchObject({ code: 'TIMEOUT', retryable: true });
  });

  test.each<[string, Partial<ClientOptions>]>([
    ['an invalid address', { url: 'localhost:7420' }],
    ['an empty token', { token: '' }],
    ['no token', { token: undefined as unknown as string }],
    ['too many retries', { retries: 11 }],
    ['an address with a query', { url: 'http://127.0.0.1:7420/?tenant=acme' }],
    ['a misspelled option', { tokens: TOKEN } as object],
    ['a timeout of no time', { timeoutMs: 0 }],
    ['an empty tenant', { tenant: '' }],
  ])('refuses %s before sending anything', (_, options) => {
    expect(() => clientOf(options)).toThrow(VarveClientError);
  });

  test.each(['hush\nhush', 'hush hush', 'hush\u2028hush'])(
    'refuses the token %j without showing it',
    (token) => {
      const refusal = expect.objectContaining({
        code: 'INVALID_INPUT',
        message: expect.stringMatching(/^(?!.*hush)token has a/u) as string,
      }) as Error;
      expect(() => clientOf({ token })).toThrow(refusal);
    },
  );

  test('says what to pass when it is created without options', () => {
    const message = 'options: expected { url, token }, found undefined';
    const call = () => createClient(undefined as unknown as ClientOptions);
    expect(call).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', message }) as Error);
  });

  test('names the option that a misspelled one resembles', () => {
    const options = { baseUrl: 'http://127.0.0.1:7420', tokens: TOKEN } as unknown as ClientOptions;
    expect(() => createClient(options)).toThrow(/^baseUrl: no such option; take url, token/u);
    const { baseUrl: _, ...others } = { ...options, url: 'http://x' } as Record<string, unknown>;
    expect(() => createClient(others as unknown as ClientOptions)).toThrow(
      'tokens: no such option; did you mean token?',
    );
  });

  test.each(['/', '//', '/v1', '/v1/'])('calls an address that ends in %s', async (end) => {
    expect(await clientOf({ url: api().url + end }).health()).toMatchObject({ ok: true });
  });

  test('lists from the beginning when the cursor is the null of a last page', async () => {
    const listed = await clientOf().memory.list({ identifiers, cursor: null, limit: 1 });
    expect(listed).toHaveProperty('nextCursor');
  });

  test('ignores a line break after a token', async () => {
    expect(await clientOf({ token: `${TOKEN}\n` }).health()).toMatchObject({ ok: true });
  });

  test('refuses an empty id before sending anything', async () => {
    const call = clientOf().memory.get({ id: '' });
    await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT', status: 0 });
  });

  test.each([
    [0, null, 0.5, 100],
    [3, null, 0.5, 800],
    [20, null, 0.999, 4_995],
    [0, 7_000, 0.5, 7_000],
    [0, 3_600_000, 0.5, 60_000],
  ])('limits the pause after %i tries and Retry-After %j', (tries, after, random, ms) => {
    expect(pauseMs(tries, after, random)).toBe(ms);
  });
});

test('the example of docs/client.md runs as it stands', async () => {
  await using temporary = await temporaryFolder();
  const { folder } = temporary;
  const [, sample = ''] =
    /```ts\n([\s\S]+?)```/u.exec(readProjectFile('docs/client.md').text) ?? [];
  const own = path.join(folder, 'node_modules', 'varve');
  await mkdir(own, { recursive: true });
  const source = path.join(ROOT, 'client', 'index.ts');
  await writeFile(path.join(own, 'package.json'), '{"exports":{"./client":"./client.mjs"}}');
  await writeFile(path.join(own, 'client.mjs'), `export * from ${JSON.stringify(source)};\n`);
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(path.join(folder, 'example.ts'), sample);
  const env = { ...process.env, VARVE_API_URL: api().url, VARVE_API_TOKEN: TOKEN };
  const { stdout } = await promisify(execFile)(process.execPath, ['example.ts'], {
    cwd: folder,
    env,
  });
  expect(stdout).toContain('I moved to Braga in May.');
  expect(stdout).toContain('MISSING_IDENTIFIER');
});
