/** A watch over HTTP: its lines, their limit, every way to end, and nothing left open. */
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { WatchEvent } from '#core/ports/kubernetes-api.ts';
import { readLines } from '#providers/kubernetes/requests.ts';
import { ANY_CHARACTER } from '#test/any-character.ts';
import { NOTE, NOTES, scriptedApi, send, statusOf, type ScriptedApi } from './scripted-api.ts';

/** A test waits for something that happens, and not for as long as it may take. */
const PATIENCE = { timeout: 15_000 };

const OPTIONS = { namespace: 'a', resourceVersion: '7', timeoutSeconds: 290 };

function line(type: string, object: object = NOTE): string {
  return `${JSON.stringify({ type, object })}\n`;
}

/** A server whose watch is written to by the test. */
async function watching() {
  const opened = Promise.withResolvers<ServerResponse>();
  const scripted = await scriptedApi((_request, response) => {
    response.writeHead(200).flushHeaders();
    opened.resolve(response);
  });
  return { scripted, opened: opened.promise };
}

interface Listening {
  readonly signal?: AbortSignal;
  readonly onEvent?: () => void;
}

async function all(
  { api }: ScriptedApi,
  { signal = new AbortController().signal, onEvent = () => undefined }: Listening = {},
): Promise<{ events: readonly WatchEvent[]; end: VarveError | null }> {
  const events: WatchEvent[] = [];
  try {
    for await (const event of api.watch(NOTES, OPTIONS, signal)) {
      events.push(event);
      onEvent();
    }
    return { events, end: null };
  } catch (error) {
    if (error instanceof VarveError) return { events, end: error };
    throw error;
  }
}

describe('a watch', () => {
  test('asks for bookmarks from a version with a timeout', async () => {
    await using scripted = await scriptedApi((_request, response) => send(response, 200, ''));
    expect(await all(scripted)).toEqual({ events: [], end: null });
    const [asked] = scripted.asked;
    const url = new URL(asked?.url ?? '', 'http://server');
    expect(url.pathname).toBe('/apis/test.dev/v1/namespaces/a/notes');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '7',
      timeoutSeconds: '290',
    });
  });

  test('yields an event as soon as its line is complete', async () => {
    const { scripted, opened } = await watching();
    await using _server = scripted;
    const events = scripted.api.watch(NOTES, OPTIONS, new AbortController().signal);
    const iterator = events[Symbol.asyncIterator]();
    const first = iterator.next();
    const response = await opened;
    response.write(line('ADDED').slice(0, 20));
    response.write(line('ADDED').slice(20));
    expect((await first).value).toEqual({ type: 'ADDED', object: NOTE });
    const second = iterator.next();
    const bookmark = {
      kind: 'Note',
      apiVersion: 'test.dev/v1',
      metadata: { resourceVersion: '9' },
    };
    response.write(line('BOOKMARK', bookmark));
    expect((await second).value).toEqual({ type: 'BOOKMARK', object: bookmark });
    response.end();
    expect((await iterator.next()).done).toBe(true);
  });

  const ENDS: readonly (readonly [string, (response: ServerResponse) => void, string | null])[] = [
    ['normally', (response) => response.end(), null],
    ['by a broken connection', (response) => response.destroy(), 'ConnectionFailed'],
    ['with half a line', (response) => response.end('{"type":"ADD'), null],
    ['with a line that is not JSON', (response) => response.end('hello\n'), 'AnswerInvalid'],
    ['with an event of unknown type', (response) => response.end(line('OTHER')), 'AnswerInvalid'],
    [
      'with an object without a name',
      (response) => response.end(line('ADDED', {})),
      'AnswerInvalid',
    ],
    [
      'with an endless line',
      (response) => {
        response.on('error', () => undefined);
        response.write('x'.repeat(9 * 1_024 * 1_024));
      },
      'AnswerTooLong',
    ],
  ];
  test.each(ENDS)('ends %s', async (_name, end, reason) => {
    const { scripted, opened } = await watching();
    await using _server = scripted;
    const response = opened;
    // What has not been read when a connection breaks may be lost.
    const done = all(scripted, { onEvent: () => void response.then(end) });
    (await response).write(line('MODIFIED'));
    const { events, end: failure } = await done;
    expect(events.map(({ type }) => type)).toEqual(['MODIFIED']);
    expect(failure?.details['reason'] ?? null).toBe(reason);
  });

  test('passes on an ERROR event unchanged', async () => {
    const status = statusOf('Expired', 'too old');
    await using scripted = await scriptedApi((_request, response) =>
      send(response, 200, line('ERROR', { ...status, code: 410 })),
    );
    const { events } = await all(scripted);
    expect(events).toEqual([{ type: 'ERROR', object: { ...status, code: 410 } }]);
  });

  test('fails if the server refuses it at the start', async () => {
    await using scripted = await scriptedApi((_request, response) =>
      send(response, 410, statusOf('Expired', 'too old')),
    );
    const { end } = await all(scripted);
    expect([end?.code, end?.details]).toEqual(['CONFLICT', { httpStatus: 410, reason: 'Expired' }]);
  });

  test('may stay silent for longer than a request may take', async () => {
    const opened = Promise.withResolvers<ServerResponse>();
    await using scripted = await scriptedApi(
      (_request, response) => {
        response.writeHead(200).flushHeaders();
        opened.resolve(response);
      },
      { timeLimitMs: 100 },
    );
    const done = all(scripted);
    const response = await opened.promise;
    // A request made now is over its limit before the watch says anything.
    const late = scripted.api.get(NOTES, { name: 'late' }).catch((error: unknown) => error);
    expect(await late).toBeInstanceOf(VarveError);
    response.end(line('ADDED'));
    expect((await done).events).toHaveLength(1);
  });
});

describe('leaving a watch', () => {
  test('by an abort ends it at once and closes its connection', async () => {
    const stop = new AbortController();
    const { scripted, opened } = await watching();
    await using _server = scripted;
    const done = all(scripted, { signal: stop.signal });
    await opened;
    stop.abort();
    expect((await done).end?.code).toBe('CANCELLED');
    await expect.poll(() => scripted.connections.open.size, PATIENCE).toBe(0);
  });

  test('by the reader closes its connection', async () => {
    const { scripted, opened } = await watching();
    await using _server = scripted;
    const reading = (async () => {
      const events = scripted.api.watch(NOTES, OPTIONS, new AbortController().signal);
      for await (const event of events) return event.type;
      return null;
    })();
    (await opened).write(line('ADDED'));
    expect(await reading).toBe('ADDED');
    await expect.poll(() => scripted.connections.open.size, PATIENCE).toBe(0);
  });
});

describe('lines', () => {
  test('are the same however the bytes are split', async () => {
    const part = fc
      .string({ unit: ANY_CHARACTER, maxLength: 8 })
      .map((text) => text.replaceAll('\n', ''));
    const text = fc.array(part, { maxLength: 8 });
    const cuts = fc.array(fc.nat(), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(text, cuts, async (lines, places) => {
        const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
        const at = places.map((place) => place % (bytes.length + 1)).toSorted((a, b) => a - b);
        const chunks = [0, ...at].map((from, index) => bytes.subarray(from, at[index]));
        const read: string[] = [];
        for await (const each of readLines(streamOf(chunks), 1_000)) read.push(each);
        const expected = Buffer.from(lines.filter((each) => each !== '').join('\n')).toString();
        expect(read.join('\n')).toBe(expected);
      }),
    );
  });

  test('are read up to the limit and refused beyond it', async () => {
    const read = async (bytes: number) => {
      const lines: string[] = [];
      const chunks = [Buffer.from('x'.repeat(bytes)), Buffer.from('\n')];
      for await (const part of readLines(streamOf(chunks), 10)) lines.push(part);
      return lines;
    };
    expect(await read(10)).toEqual(['x'.repeat(10)]);
    await expect(read(11)).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
  });
});

async function* streamOf(chunks: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* chunks;
}
