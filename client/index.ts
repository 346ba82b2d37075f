/**
 * A typed client of a running Varve, for Node and browsers: `fetch` and nothing else. Its methods
 * are those of the library. The API sends no CORS headers, so a browser needs a server of yours in
 * between, which also keeps the token.
 */
import type { ServedLibrary } from '#api/calls/library.generated.ts';
import { failureOf, unreachable, VarveClientError } from './failure.ts';
import { mayRepeat, pauseMs, wait } from './call-retries.ts';
import { checkedClientOptions, invalid } from './check-client-options.ts';
import type { CheckedOptions, ClientOptions } from './check-client-options.ts';
import { follow, type FollowInput, type VarveEvent } from './follow-events.ts';
import { ROUTES, type ClientRoute } from './routes.generated.ts';

export type * from '#api/calls/library.generated.ts';
export type { ClientOptions } from './check-client-options.ts';
export { VarveClientError } from './failure.ts';
export type { FollowInput, VarveEvent } from './follow-events.ts';

export interface CallOptions {
  /** Ends the call, also while it waits for its next try. */
  readonly signal?: AbortSignal;
  /** A repeated key returns the first answer; if absent, generated, for retries. */
  readonly idempotencyKey?: string;
}

/** The operations that Varve offers over the network; each takes options after its input. */
export interface VarveClient extends WithOptions<ServedLibrary> {
  /** Yields what happens in a tenant until the signal ends it, over cut connections. */
  follow(
    input?: FollowInput,
    options?: Pick<CallOptions, 'signal'>,
  ): AsyncGenerator<VarveEvent, void>;
}

type WithOptions<Tree> = {
  readonly [Name in keyof Tree]: Tree[Name] extends (...input: infer In) => infer Answer
    ? (...input: Asked<In>) => Answer
    : WithOptions<Tree[Name]>;
};
type Asked<In extends readonly unknown[]> = In extends [infer Input]
  ? Input extends { tenant: string }
    ? Partial<ClientInput<Input>> extends ClientInput<Input>
      ? [input?: ClientInput<Input>, options?: CallOptions]
      : [input: ClientInput<Input>, options?: CallOptions]
    : [input: Input, options?: CallOptions]
  : [input?: In[0], options?: CallOptions];

/** An input of the library without its tenant, since the client may have one. */
export type ClientInput<Input> = Omit<Input, 'tenant'> & { readonly tenant?: string };

/** @throws VarveClientError INVALID_INPUT for an invalid address or a broken token */
export function createClient(options: ClientOptions): VarveClient {
  const checked = checkedClientOptions(options);
  const client: Record<string, unknown> = {};
  for (const [name, route] of Object.entries(ROUTES)) {
    const call = (input: Fields = {}, each: CallOptions = {}): Promise<unknown> =>
      called({ name, route }, input, { ...checked, ...each });
    const [group = '', method] = name.split('.');
    if (method === undefined) client[group] = call;
    else client[group] = { ...(client[group] as object | undefined), [method]: call };
  }
  client['follow'] = (input: Fields = {}, { signal }: CallOptions = {}) =>
    follow(followParts(input, checked, signal));
  return client as unknown as VarveClient;
}

function followParts(input: Fields, settings: Settings, signal: AbortSignal | undefined) {
  const { tenant } = settings;
  const fields = { ...(tenant === undefined ? {} : { tenant }), ...input };
  const { url, init } = requestOf('follow', ROUTES['event.list'], fields, settings);
  const headers = { ...(init.headers as Record<string, string>), accept: 'text/event-stream' };
  return { url: new URL(url), headers, send: settings.fetch ?? globalThis.fetch, signal };
}

type Fields = Readonly<Record<string, unknown>>;
type Settings = CheckedOptions & CallOptions;

interface Named {
  readonly name: string;
  readonly route: ClientRoute;
}

/** Makes one call, with its retries. */
async function called({ name, route }: Named, input: Fields, settings: Settings): Promise<unknown> {
  const { tenant, retries, signal } = settings;
  const [method, place, repeats] = route;
  const isOnce = repeats === 'write' && method !== 'DELETE';
  const keyed =
    repeats === 'keyed'
      ? { idempotencyKey: settings.idempotencyKey ?? globalThis.crypto.randomUUID() }
      : {};
  const isOfTenant = tenant !== undefined && place.includes('{tenant}');
  const fields = { ...(isOfTenant ? { tenant } : {}), ...keyed, ...input };
  const request = requestOf(name, route, fields, settings);
  for (let tries = 0; ; tries += 1) {
    const failure = await tried(request, settings);
    if (failure.ok) return failure.answer;
    const { error } = failure;
    if (!mayRepeat(error, isOnce) || tries >= retries) throw error;
    await wait(pauseMs(tries, error.retryAfterMs, Math.random()), signal);
  }
}

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
}

function requestOf(name: string, [method, path]: ClientRoute, input: Fields, to: Settings): Sent {
  requireNamed(name, input);
  requireTurns(name, input);
  const left = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const pathname = path.replaceAll(/\{(\w+)\}/gu, (_, field: string) => {
    const value = left.get(field);
    left.delete(field);
    if (typeof value !== 'string' || value === '') {
      const place = field === 'tenant' ? ' in the call or in the options of createClient' : '';
      throw invalid(`${name}: ${field} is ${JSON.stringify(value)}; expected a text${place}`);
    }
    return encodeURIComponent(value);
  });
  const url = new URL(to.url + pathname);
  const headers: Record<string, string> = { authorization: `Bearer ${to.token}` };
  if (method === 'GET' || method === 'DELETE') {
    // A query string has no null; `nextCursor` of the last page is one.
    for (const [field, value] of left) {
      if (value !== null) url.searchParams.set(field, inQuery(value));
    }
    return { url: url.href, init: { method, headers } };
  }
  headers['content-type'] = 'application/json';
  const body = JSON.stringify(Object.fromEntries(left));
  return { url: url.href, init: { method, headers, body } };
}

/** Refuses an undefined id or a promise: JSON drops both, and the call would name nobody. */
function requireNamed(name: string, { identifiers }: Fields): void {
  if (typeof identifiers !== 'object' || identifiers === null) return;
  const field = Object.entries(identifiers).find(([, id]) => id === undefined)?.[0];
  if (field !== undefined) {
    throw invalid(
      `${name}: identifiers.${field} is undefined; give the id, or leave the field out`,
    );
  }
  if (identifiers instanceof Promise || identifiers instanceof Map) {
    throw invalid(`${name}: identifiers: expected an object with fields; await a promise first`);
  }
}

/** Refuses undefined ids of turns: without the field, the whole session would be deleted. */
function requireTurns(name: string, input: Fields): void {
  if (name !== 'conversation.delete' || !('turnIds' in input)) return;
  if (input['turnIds'] !== undefined) return;
  throw invalid(
    `${name}: turnIds: expected ids of turns, found undefined; ` +
      'leave the field out to delete the whole session',
  );
}

function inQuery(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

type Tried =
  | { readonly ok: true; readonly answer: unknown }
  | { readonly ok: false; readonly error: VarveClientError };

/** @throws what the signal was aborted with */
async function tried({ url, init }: Sent, settings: Settings): Promise<Tried> {
  const { signal, timeoutMs } = settings;
  const late = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? late : AbortSignal.any([signal, late]);
  const send = settings.fetch ?? globalThis.fetch;
  try {
    const response = await send(url, { ...init, signal: either });
    if (response.ok) return { ok: true, answer: await response.json() };
    // The library returns null for what does not exist.
    const error = await failureOf(response);
    return isNothing(error) ? { ok: true, answer: null } : { ok: false, error };
  } catch (cause) {
    signal?.throwIfAborted();
    return { ok: false, error: unreachable(url, { cause, timeoutMs, isLate: late.aborted }) };
  }
}

/** Whether an operation found nothing, as opposed to an unknown path. */
function isNothing({ code, message }: VarveClientError): boolean {
  return code === 'NOT_FOUND' && message.endsWith('found nothing under this path.');
}
