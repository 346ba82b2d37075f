/**
 * Events of a tenant as they happen, as server-sent events.
 *
 * Flow: the caller is admitted as for `event.list` → the store is read every second → new events
 * are written, each with its id → without any, a comment keeps the connection open.
 * Guarantees: an event arrives at least once, even if the connection is cut and resumes after
 * `Last-Event-ID`; the caller is authenticated again before each event and each comment.
 */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { VarveError } from '#core/errors.ts';
import { EVENT_ID, following, type Following } from '#core/events/follow-position.ts';
import { shownEvents } from '../operations/event.ts';
import { knownFailure } from '../error-response.ts';
import { OPERATIONS } from '../operations/table.ts';
import { parseInput } from '../parse-input.ts';
import type { ApiPorts } from '../api-ports.ts';
import type { Authenticate } from '../authenticate.ts';
import type { ListEvents } from '../schemas/event.ts';
import { inputOf } from './request-input.ts';
import { matchRoute } from './routes.ts';

export const STREAM_TYPE = 'text/event-stream';
/** Maximum streams of one process, for all callers. */
const STREAMS_MAX = 256;
const POLL_MS = 1_000;
const HEARTBEAT_MS = 15_000;
/** Maximum events of one read. */
const PAGE = 200;
/** A caller that takes nothing for this long is disconnected. */
const DRAIN_MS = 30_000;
/** When a caller should reconnect after its connection was cut. */
const COME_AGAIN_MS = 2_000;

export interface StreamTimes {
  readonly pollMs: number;
  readonly heartbeatMs: number;
}

export interface StreamOptions {
  readonly ports: ApiPorts;
  /**
   * @throws VarveError UNAUTHENTICATED; RATE_LIMITED for a caller that is already over its limits
   */
  readonly authenticate: Authenticate;
  /** For streams, which stay open whatever else is called. @throws VarveError UNAUTHENTICATED */
  readonly follower: Authenticate;
}

export interface EventStreams extends Disposable {
  /**
   * Resolves once the stream has ended.
   * @throws VarveError UNAUTHENTICATED, FORBIDDEN, INVALID_INPUT, RATE_LIMITED before it begins
   */
  answer(request: IncomingMessage, response: ServerResponse, rest: StreamOptions): Promise<void>;
}

interface Stream {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly rest: StreamOptions;
  readonly asked: ListEvents;
  /** The last event of an interrupted stream. */
  readonly last: string | undefined;
  readonly times: StreamTimes;
  /** Aborted when the server ends or the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Whether a request is for the stream, and not for a page. */
export function wantsStream({ method, url = '/', headers }: IncomingMessage): boolean {
  if (method !== 'GET' || headers.accept?.includes(STREAM_TYPE) !== true) return false;
  const match = matchRoute(method, url.split('?', 1)[0] ?? '/');
  return match.kind === 'Found' && match.route.name === 'event.list';
}

export function createEventStreams(times: Partial<StreamTimes> = {}): EventStreams {
  const ending = new AbortController();
  let open = 0;
  return {
    async answer(request, response, rest) {
      const { asked, last } = askedOf(request);
      const principal = await rest.authenticate(request);
      await OPERATIONS.event.list.run(rest.ports, principal, { ...asked, limit: 1 });
      if (open >= STREAMS_MAX) throw tooMany();
      const leave = rest.ports.callLimiter?.subscribe(principal);
      open += 1;
      try {
        const gone = new AbortController();
        response.once('close', () => {
          gone.abort();
        });
        const signal = AbortSignal.any([ending.signal, gone.signal]);
        const all = { pollMs: POLL_MS, heartbeatMs: HEARTBEAT_MS, ...times };
        await follow({ request, response, rest, asked, last, times: all, signal });
      } finally {
        open -= 1;
        leave?.();
      }
    },
    [Symbol.dispose]: () => {
      ending.abort();
    },
  };
}

/** @throws VarveError INVALID_INPUT */
function askedOf(request: IncomingMessage): Pick<Stream, 'asked' | 'last'> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const match = matchRoute('GET', url.pathname);
  if (match.kind !== 'Found') {
    throw new VarveError('NOT_FOUND', 'There is no such path. GET /openapi.json lists all.');
  }
  const { route, params } = match;
  const query = url.searchParams;
  const input = inputOf(route, { params, query, body: undefined, idempotencyKey: undefined });
  const asked = parseInput(OPERATIONS.event.list.input, input);
  const last = request.headers['last-event-id'];
  if (last === undefined || EVENT_ID.test(String(last))) return { asked, last: last?.toString() };
  throw new VarveError(
    'INVALID_INPUT',
    'Last-Event-ID is not the id of an event; send the id of a received event.',
  );
}

function tooMany(): VarveError {
  const message = `At most ${String(STREAMS_MAX)} streams of events are open; try again later.`;
  const details = { of: 'process', limit: STREAMS_MAX, retryAfterMs: HEARTBEAT_MS };
  return new VarveError('RATE_LIMITED', message, { details });
}

/** Runs until the caller disconnects, is no longer admitted, or the server ends; never fails. */
async function follow(stream: Stream): Promise<void> {
  const { response, rest, asked, last, times, signal } = stream;
  const { platform, timer } = rest.ports;
  response.writeHead(200, {
    'content-type': STREAM_TYPE,
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  try {
    const place = following({ after: asked.after, last }, platform.clock());
    // Send a position to resume from, in case the connection ends before the first event.
    const from = last ?? place.after();
    await write(stream, `retry: ${String(COME_AGAIN_MS)}\nid: ${from}\n\n`);
    let saidAt = timer();
    while (!signal.aborted) {
      if (await passOn(stream, place)) saidAt = timer();
      if (timer() - saidAt >= times.heartbeatMs) {
        await say(stream, ': \n\n');
        saidAt = timer();
      }
      await pause(times.pollMs, undefined, { signal });
    }
  } catch (error) {
    // The log has failures of the store; the caller reconnects.
    if (!signal.aborted) knownFailure(error, platform.log);
  } finally {
    response.end();
  }
}

/** Returns whether anything was written. */
async function passOn(stream: Stream, place: Following): Promise<boolean> {
  const { rest, asked, signal } = stream;
  const { events } = rest.ports.store;
  let hasSaid = false;
  let afterId = place.after();
  while (!signal.aborted) {
    const page = await events.list(asked.tenant, { afterId, limit: PAGE });
    const shown = shownEvents(place.take(page), asked);
    if (shown.length > 0) {
      const lines = shown.map((each) => `id: ${each.id}\ndata: ${JSON.stringify(each)}\n\n`);
      await say(stream, lines.join(''));
      hasSaid = true;
    }
    const last = page.at(-1);
    if (page.length < PAGE || last === undefined) break;
    afterId = last.id;
  }
  return hasSaid;
}

/** @throws VarveError UNAUTHENTICATED if the caller's key was revoked or has ended */
async function say(stream: Stream, text: string): Promise<void> {
  await stream.rest.follower(stream.request);
  await write(stream, text);
}

async function write({ response, signal }: Stream, text: string): Promise<void> {
  if (response.write(text)) return;
  const late = AbortSignal.timeout(DRAIN_MS);
  try {
    await once(response, 'drain', { signal: AbortSignal.any([signal, late]) });
  } catch (error) {
    if (!late.aborted) throw error;
    response.destroy();
  }
}
