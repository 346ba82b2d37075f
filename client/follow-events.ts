/** Follows the events of a tenant as they happen, over as many connections as it takes. */
import type { Library } from '#api/calls/library.generated.ts';
import { failureOf, unreachable, VarveClientError } from './failure.ts';
import { pauseMs, wait } from './call-retries.ts';

type List = Library['event']['list'];
export type VarveEvent = Awaited<ReturnType<List>>['events'][number];
export type FollowInput = Omit<Parameters<List>[0], 'tenant' | 'limit'> & { tenant?: string };

/** Maximum connections in a row that bring nothing, before following fails. */
const TRIES_MAX = 100;
/** The server sends something every 15 seconds; a connection silent for longer is dead. */
const SILENCE_MS = 45_000;
/** Maximum event ids remembered: a new connection repeats the last seconds. */
const REMEMBERED_MAX = 10_000;
/** Maximum characters of one event; a server that sends more is not Varve. */
const EVENT_LENGTH_MAX = 1_000_000;

interface FollowParts {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly send: typeof fetch;
  readonly signal: AbortSignal | undefined;
}

/**
 * Yields new events; reconnects as needed.
 * @throws VarveClientError for what the server refuses; what the signal was aborted with
 */
export async function* follow(parts: FollowParts): AsyncGenerator<VarveEvent, void> {
  const place = placeFrom(parts.url);
  for (; ; place.tries += 1) {
    let failure = unreachable(parts.url.href, { cause: undefined, timeoutMs: 0, isLate: false });
    try {
      yield* connection(parts, place);
    } catch (cause) {
      parts.signal?.throwIfAborted();
      if (cause instanceof VarveClientError) failure = cause;
    }
    if (!failure.retryable || place.tries >= TRIES_MAX) throw failure;
    await wait(pauseMs(place.tries, failure.retryAfterMs, Math.random()), parts.signal);
  }
}

type Place = ReturnType<typeof placeFrom>;

/** The position of a follower, across all its connections. */
function placeFrom(from: URL) {
  const url = new URL(from);
  const known = new Set<string>();
  let last: string | null = null;
  return {
    url,
    /** Connections in a row that brought nothing. */
    tries: 0,
    headers: () => (last === null ? {} : { 'last-event-id': last }),
    isNew(block: Block): block is Block & { readonly event: VarveEvent } {
      const { id, event } = block;
      if (id !== null && (last === null || id > last)) last = id;
      // Keep where it began, so that a new connection also skips earlier events.
      if (last !== null && !url.searchParams.has('after')) url.searchParams.set('after', last);
      if (event === null || known.has(event.id)) return false;
      known.add(event.id);
      const [oldest] = known;
      if (known.size > REMEMBERED_MAX && oldest !== undefined) known.delete(oldest);
      return true;
    },
  };
}

interface Block {
  /** The position to resume from. */
  readonly id: string | null;
  /** Null for a heartbeat. */
  readonly event: VarveEvent | null;
}

/** Yields the new events of one connection, until it ends. */
async function* connection(
  { headers, send, signal }: FollowParts,
  place: Place,
): AsyncGenerator<VarveEvent, void> {
  const silence = new AbortController();
  const late = () => {
    silence.abort(new Error(`nothing came for ${String(SILENCE_MS)} ms`));
  };
  let timer = setTimeout(late, SILENCE_MS);
  try {
    const response = await send(place.url, {
      headers: { ...headers, ...place.headers() },
      signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok || response.body === null) throw await failureOf(response);
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      clearTimeout(timer);
      timer = setTimeout(late, SILENCE_MS);
      text += decoder.decode(chunk, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      if (text.length > EVENT_LENGTH_MAX) throw new Error('an event is too long');
      if (blocks.length > 0) place.tries = 0;
      yield* blocks.map(read).flatMap((block) => (place.isNew(block) ? [block.event] : []));
    }
  } finally {
    clearTimeout(timer);
    silence.abort();
  }
}

function read(block: string): Block {
  const lines = block.split('\n');
  const field = (name: string) =>
    lines.find((line) => line.startsWith(name))?.slice(name.length) ?? null;
  const data = field('data: ');
  return { id: field('id: '), event: data === null ? null : (JSON.parse(data) as VarveEvent) };
}
