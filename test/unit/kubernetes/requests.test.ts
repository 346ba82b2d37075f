/** Requests to an API server with answers that a real one rarely gives. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import type { VarveError } from '#core/errors.ts';
import { failureOf } from '#test/unit/failures.ts';
import { NOTE, NOTES, PLACE, scriptedApi, send, statusOf, type Answer } from './scripted-api.ts';

/** A test waits for something that happens, and not for as long as it may take. */
const PATIENCE = { timeout: 15_000 };

const SECRETS = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  isNamespaced: true,
};

describe('HTTP errors', () => {
  const ROWS = [
    [400, 'PROVIDER_REJECTED', statusOf('BadRequest', 'bad'), { reason: 'BadRequest' }],
    [401, 'UNAUTHENTICATED', statusOf('Unauthorized', 'Unauthorized'), { reason: 'Unauthorized' }],
    [403, 'FORBIDDEN', statusOf('Forbidden', 'no'), { reason: 'Forbidden' }],
    [404, 'NOT_FOUND', '404 page not found', { reason: 'Status404' }],
    [409, 'CONFLICT', statusOf('Conflict', 'changed'), { reason: 'Conflict' }],
    [410, 'CONFLICT', statusOf('Expired', 'too old'), { reason: 'Expired' }],
    [410, 'CONFLICT', '', { reason: 'Expired' }],
    [422, 'PROVIDER_REJECTED', statusOf('Invalid', 'wrong'), { reason: 'Invalid' }],
    [429, 'RATE_LIMITED', statusOf('TooManyRequests', 'later'), { reason: 'TooManyRequests' }],
    [500, 'PROVIDER_ERROR', statusOf('InternalError', 'oh'), { reason: 'InternalError' }],
    [503, 'PROVIDER_ERROR', '<html>Bad gateway</html>', { reason: 'Status503' }],
    [302, 'PROVIDER_ERROR', '', { reason: 'Status302' }],
    [
      500,
      'PROVIDER_ERROR',
      statusOf('InternalError', 'wait', { retryAfterSeconds: 7 }),
      { reason: 'InternalError', retryAfterMs: 7_000 },
    ],
    [
      422,
      'PROVIDER_REJECTED',
      statusOf('Invalid', 'wrong', {
        causes: [{ field: 'spec.depth', reason: 'FieldValueInvalid' }],
      }),
      { reason: 'Invalid', causes: [{ field: 'spec.depth', reason: 'FieldValueInvalid' }] },
    ],
  ] as const;

  test.each(ROWS)('%i means %s (%#)', async (httpStatus, code, body, details) => {
    await using scripted = await scriptedApi((_request, response) =>
      send(response, httpStatus, body),
    );
    const failure = await failureOf(scripted.api.get(NOTES, PLACE));
    expect(failure.code).toBe(code);
    expect(failure.details).toEqual({ httpStatus, ...details });
  });

  test('a wait that the server asks for is passed on, up to ten minutes', async () => {
    for (const [header, retryAfterMs] of [
      ['3', 3_000],
      ['86400', 600_000],
      ['soon', undefined],
    ] as const) {
      await using scripted = await scriptedApi((_request, response) =>
        send(response, 429, '', { 'retry-after': header }),
      );
      const { details } = await failureOf(scripted.api.get(NOTES, PLACE));
      expect(details['retryAfterMs']).toBe(retryAfterMs);
    }
  });

  test('a missing object is null, and a missing kind is an error', async () => {
    const body = statusOf('NotFound', 'notes "note" not found', { name: 'note', kind: 'notes' });
    await using scripted = await scriptedApi((_request, response) => send(response, 404, body));
    expect(await scripted.api.get(NOTES, PLACE)).toBeNull();
    await scripted.api.delete(NOTES, PLACE);
    const written = await failureOf(scripted.api.replace(NOTES, NOTE));
    expect([written.code, written.details['httpStatus']]).toEqual(['NOT_FOUND', 404]);
    await using empty = await scriptedApi((_request, response) =>
      send(response, 404, '404 page not found'),
    );
    expect((await failureOf(empty.api.get(NOTES, PLACE))).code).toBe('NOT_FOUND');
    expect((await failureOf(empty.api.delete(NOTES, PLACE))).code).toBe('NOT_FOUND');
  });

  test('no error repeats what a server says about a Secret', async () => {
    await using scripted = await scriptedApi((_request, response) =>
      send(response, 422, statusOf('Invalid', 'key: Invalid value: "sk-very-secret"')),
    );
    const secret = await failureOf(scripted.api.get(SECRETS, PLACE));
    expect(told(secret)).not.toContain('sk-very-secret');
    const note = await failureOf(scripted.api.get(NOTES, PLACE));
    expect(note.message).toContain('sk-very-secret');
  });
});

describe('invalid answers', () => {
  const ROWS: readonly (readonly [string, Answer, object])[] = [
    [
      'a text',
      (_request, response) => send(response, 200, 'welcome'),
      { httpStatus: 0, reason: 'AnswerInvalid' },
    ],
    [
      'JSON of another shape',
      (_request, response) => send(response, 200, { hello: 'world' }),
      { httpStatus: 0, reason: 'AnswerInvalid' },
    ],
    [
      'an answer that is too large',
      (_request, response) => {
        response.writeHead(200);
        const megabyte = 'x'.repeat(1_048_576);
        const more = () => {
          while (response.writable && response.write(megabyte));
        };
        response.on('drain', more).on('error', () => undefined);
        more();
      },
      { httpStatus: 0, reason: 'AnswerTooLong' },
    ],
    [
      'a truncated answer',
      (_request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"half":');
        response.destroy();
      },
      { httpStatus: 0, reason: 'ConnectionFailed' },
    ],
    ['no answer in time', () => undefined, { httpStatus: 0, reason: 'Timeout', limitMs: 300 }],
    [
      'an endless body',
      (_request, response) => {
        response.writeHead(200).write('{');
      },
      { httpStatus: 0, reason: 'Timeout', limitMs: 300 },
    ],
  ];
  test.each(ROWS)('%s is a provider error', async (_name, answer, details) => {
    const limits = 'limitMs' in details ? { timeLimitMs: 300 } : {};
    await using scripted = await scriptedApi(answer, limits);
    const failure = await failureOf(scripted.api.get(NOTES, PLACE));
    expect(failure.code).toBe('PROVIDER_ERROR');
    expect(failure.details).toMatchObject(details);
  });

  test('a closed connection is a connection failure', async () => {
    await using scripted = await scriptedApi((_request, response) => response.destroy());
    const failure = await failureOf(scripted.api.get(NOTES, PLACE));
    expect(failure.code).toBe('PROVIDER_ERROR');
    expect(failure.details).toMatchObject({ httpStatus: 0, reason: 'ConnectionFailed' });
  });

  test('a redirect is not followed', async () => {
    await using other = await scriptedApi((_request, response) => send(response, 200, NOTE));
    await using scripted = await scriptedApi((_request, response) =>
      send(response, 307, '', { location: `${other.api.server}/elsewhere` }),
    );
    expect((await failureOf(scripted.api.create(NOTES, NOTE))).details['httpStatus']).toBe(307);
    expect(other.asked).toEqual([]);
  });
});

describe('cancellation', () => {
  test('a cancelled request ends at once and closes its connection', async () => {
    const stop = new AbortController();
    await using scripted = await scriptedApi(() => stop.abort());
    const failure = await failureOf(scripted.api.get(NOTES, PLACE, stop.signal));
    expect(failure.code).toBe('CANCELLED');
    await expect.poll(() => scripted.connections.open.size, PATIENCE).toBe(0);
  });

  test('a disposed client cancels its requests and accepts no more', async () => {
    const arrived = Promise.withResolvers<void>();
    await using scripted = await scriptedApi(() => arrived.resolve());
    const timers = failureOf(scripted.api.get(NOTES, PLACE));
    await arrived.promise;
    await scripted.api[Symbol.asyncDispose]();
    expect((await timers).code).toBe('CANCELLED');
    expect((await failureOf(scripted.api.get(NOTES, PLACE))).code).toBe('CANCELLED');
    expect(scripted.asked).toHaveLength(1);
  });

  test('an aborted signal sends nothing', async () => {
    await using scripted = await scriptedApi((_request, response) => send(response, 200, NOTE));
    const failure = await failureOf(scripted.api.get(NOTES, PLACE, AbortSignal.abort()));
    expect(failure.code).toBe('CANCELLED');
    expect(scripted.asked).toEqual([]);
  });
});

describe('credentials', () => {
  const tokenFile = (folder: string) => ({
    'auth-provider': { name: 'tokenFile', config: { tokenFile: path.join(folder, 'token') } },
  });
  const takes =
    (token: () => string): Answer =>
    ({ headers }, response) =>
      headers.authorization === `Bearer ${token()}`
        ? send(response, 200, NOTE)
        : send(response, 401, statusOf('Unauthorized', 'Unauthorized'));

  test('a replaced token is read again when the server refuses the old one', async () => {
    let valid = 'first';
    let now = 0;
    const timers = { timer: () => now, wait: () => Promise.resolve() };
    const server = takes(() => valid);
    await using scripted = await scriptedApi(server, { user: tokenFile, timers });
    const file = path.join(scripted.folder, 'token');
    // Files of tokens often end in a line break.
    await writeFile(file, 'first\n');
    expect(await scripted.api.get(NOTES, PLACE)).toEqual(NOTE);
    valid = 'second';
    await writeFile(file, 'second\n');
    now += 6_000;
    expect(await scripted.api.get(NOTES, PLACE)).toEqual(NOTE);
    expect(scripted.asked).toHaveLength(3);
  });

  test('credentials that stay refused are tried once per request', async () => {
    let now = 0;
    const timers = { timer: () => now, wait: () => Promise.resolve() };
    const server = takes(() => 'another');
    await using scripted = await scriptedApi(server, { user: () => ({ token: 'mine' }), timers });
    for (let request = 1; request <= 3; request += 1) {
      now += 6_000;
      const failure = await failureOf(scripted.api.get(NOTES, PLACE));
      expect(failure.code).toBe('UNAUTHENTICATED');
      expect(told(failure)).not.toContain('mine');
      expect(scripted.asked).toHaveLength(request);
    }
  });

  test('the output of a failed credential plugin is not repeated', async () => {
    const script = 'process.stderr.write("password=hunter2"); process.exit(1)';
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', script],
    };
    await using scripted = await scriptedApi(() => undefined, { user: () => ({ exec }) });
    const failure = await failureOf(scripted.api.get(NOTES, PLACE));
    expect(failure.code).toBe('UNAUTHENTICATED');
    expect(told(failure)).not.toContain('hunter2');
  });

  test('concurrent requests start a credential plugin once', async () => {
    const script = (folder: string) =>
      `require('node:fs').appendFileSync(${JSON.stringify(path.join(folder, 'starts'))}, 'x');` +
      `console.log(JSON.stringify({ status: { token: 'by-plugin' } }))`;
    const exec = (folder: string) => ({
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', script(folder)],
    });
    await using scripted = await scriptedApi(
      takes(() => 'by-plugin'),
      { user: (folder) => ({ exec: exec(folder) }) },
    );
    const all = await Promise.all(Array.from({ length: 20 }, () => scripted.api.get(NOTES, PLACE)));
    expect(all).toHaveLength(20);
    expect(await readFile(path.join(scripted.folder, 'starts'), 'utf8')).toBe('x');
  });

  test('a hanging credential plugin ends at the time limit of a request', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', 'setTimeout(() => {}, 3_000)'],
    };
    await using scripted = await scriptedApi(() => undefined, {
      user: () => ({ exec }),
      timeLimitMs: 200,
    });
    expect((await failureOf(scripted.api.get(NOTES, PLACE))).details['reason']).toBe('Timeout');
  });
});

describe('connections', () => {
  test('consecutive requests share a connection', async () => {
    await using scripted = await scriptedApi((_request, response) => send(response, 200, NOTE));
    for (let request = 0; request < 50; request += 1) await scripted.api.get(NOTES, PLACE);
    // The pool may not have seen the end of one answer when the next request comes.
    expect(scripted.connections.opened).toBeLessThanOrEqual(2);
  });

  test('concurrent requests open no more connections than the limit', async () => {
    await using scripted = await scriptedApi((_request, response) => send(response, 200, NOTE));
    await Promise.all(Array.from({ length: 300 }, () => scripted.api.get(NOTES, PLACE)));
    expect(scripted.asked).toHaveLength(300);
    expect(scripted.connections.opened).toBeLessThanOrEqual(32);
  });

  test('requests find a connection, however many watches are open', async () => {
    const opened: (() => void)[] = [];
    await using scripted = await scriptedApi(({ url }, response) => {
      if (!url.includes('watch=true')) return send(response, 200, NOTE);
      response.writeHead(200).flushHeaders();
      opened.push(() => response.end());
    });
    const options = { resourceVersion: '7', timeoutSeconds: 290 };
    const { signal } = new AbortController();
    const watched = Array.from({ length: 50 }, async () => {
      const events = scripted.api.watch(NOTES, options, signal);
      for await (const event of events) return event;
      return null;
    });
    const ends = Promise.allSettled(watched);
    await expect.poll(() => opened.length, PATIENCE).toBe(50);
    expect(await scripted.api.get(NOTES, PLACE)).toEqual(NOTE);
    for (const end of opened) end();
    const inOrder = (await ends).filter(({ status }) => status === 'fulfilled');
    expect(inOrder).toHaveLength(50);
  });
});

/** Everything of an error that a log might show. */
function told(error: VarveError): string {
  const cause = error.cause instanceof Error ? String(error.cause.stack) : String(error.cause);
  return `${error.message} ${JSON.stringify(error.details)} ${cause}`;
}
