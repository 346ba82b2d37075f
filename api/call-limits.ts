/** Rate limits, concurrent calls, open event streams, unknown callers, and whose call is next. */
import { VarveError } from '#core/errors.ts';
import { keepNewest } from '#core/keep-newest.ts';
import type { Clock } from '#core/ports/platform.ts';
import { createTokenBucket, type TokenBucket } from '#core/token-bucket.ts';
import type { Principal } from './principal.ts';
import { ALL_AT_ONCE, type CallKind } from './fair-scheduler.ts';

export interface CallLimits {
  /** Calls per second; a burst may have twice as many. */
  readonly perSecond: number;
  /** Concurrent calls. */
  readonly atOnce: number;
  /** Open event streams. */
  readonly subscriptions: number;
}

export interface CallLimitSettings {
  readonly key: CallLimits;
  readonly tenant: CallLimits;
}

export const CALL_LIMIT_DEFAULTS: CallLimitSettings = {
  key: { perSecond: 50, atOnce: 32, subscriptions: 8 },
  tenant: { perSecond: 200, atOnce: 128, subscriptions: 64 },
};

type Caller = Pick<Principal, 'name' | 'tenants' | 'isUnlimited'>;

function isFree({ tenants, isUnlimited = false }: Caller): boolean {
  return tenants === 'all' || isUnlimited;
}

/**
 * Calls without a valid key per second of a network address; a burst may have twice as many. Far
 * more than a client with a wrong key sends, and too few to keep a store busy.
 */
const UNKNOWN_PER_SECOND = 20;
/** Maximum addresses that are counted; the one that failed longest ago is forgotten first. */
const ADDRESSES_MAX = 10_000;

export interface CallLimiter {
  /** The returned function ends it. @throws VarveError RATE_LIMITED: `limit`, `retryAfterMs` */
  enter(principal: Caller): () => void;
  /**
   * Rejects with what `enter` would throw now, and uses up nothing. The server calls it to refuse a
   * known caller over its limits before it reads the key, the path or the body. It takes a moment,
   * since refusals wait for each other.
   * @throws VarveError RATE_LIMITED with `limit` and `retryAfterMs`
   */
  check(principal: Caller): Promise<void>;
  /**
   * Rejects if the address has sent too many calls without a valid key; uses up nothing. The server
   * calls it before it reads the key of an unknown caller.
   * @throws VarveError RATE_LIMITED with `limit` and `retryAfterMs`
   */
  checkAddress(address: string): Promise<void>;
  /** Counts a call without a valid key. */
  countUnknown(address: string): void;
  /** Resolves when an entered call may start; the returned function ends its turn. */
  turn(principal: Caller, kind: CallKind): Promise<() => void>;
  /** The returned function ends it. @throws VarveError RATE_LIMITED: `limit`, `retryAfterMs` */
  subscribe(principal: Caller): () => void;
}

interface Lane {
  readonly limits: CallLimits;
  readonly refusals: Refusals;
  readonly bucket: TokenBucket;
  underWay: number;
  following: number;
}

/** Maximum keys and tenants that are counted; above it, those without a running call are reset. */
const LANES_MAX = 10_000;
/** The name under which the operator's calls take turns with tenants; no tenant can have it. */
const OPERATOR = '*';
const SECOND_MS = 1_000;
/** Streams stay open for long, so a refused caller waits longer. */
const SUBSCRIBE_AGAIN_MS = 10_000;

/** Creates the limiter of this process. A caller that runs the installation has no limit. */
export function createCallLimiter(
  settings: CallLimitSettings,
  clock: Clock,
  turns = ALL_AT_ONCE,
): CallLimiter {
  const lanes = new Map<string, Lane>();
  const refusals = { key: refusalsOf('key', settings), tenant: refusalsOf('tenant', settings) };
  const laneOf = (name: string, of: keyof CallLimitSettings): Lane => {
    const known = lanes.get(name);
    if (known !== undefined) return known;
    if (lanes.size >= LANES_MAX) {
      for (const [each, { underWay, following }] of lanes) {
        if (underWay === 0 && following === 0) lanes.delete(each);
      }
    }
    const limits = settings[of];
    const { perSecond } = limits;
    const bucket = createTokenBucket({ perSecond, burst: 2 * perSecond }, clock());
    const made = { limits, refusals: refusals[of], bucket, underWay: 0, following: 0 };
    lanes.set(name, made);
    return made;
  };
  const lanesOf = ({ name, tenants }: Caller) => {
    const tenant = namesOf(tenants);
    return { own: laneOf(`${tenant}/${name}`, 'key'), shared: laneOf(tenant, 'tenant') };
  };
  const unknown = new Map<string, TokenBucket>();
  return {
    async checkAddress(address) {
      if (unknown.get(address)?.has(clock()) ?? true) return;
      await turns.refuse();
      throw TOO_MANY_UNKNOWN;
    },
    countUnknown(address) {
      const limits = { perSecond: UNKNOWN_PER_SECOND, burst: 2 * UNKNOWN_PER_SECOND };
      const bucket = unknown.get(address) ?? createTokenBucket(limits, clock());
      bucket.take(clock());
      keepNewest(unknown, ADDRESSES_MAX, [address, bucket]);
    },
    turn: ({ tenants }, kind) => turns.begin(namesOf(tenants), kind),
    enter(caller) {
      if (isFree(caller)) return () => undefined;
      // The key first: a call that its key's limits refuse uses up nothing of its tenant's limits.
      const { own, shared } = lanesOf(caller);
      for (const lane of [own, shared]) requireRoom(lane);
      for (const lane of [own, shared]) {
        if (!lane.bucket.take(clock())) throw lane.refusals.perSecond;
      }
      for (const lane of [own, shared]) lane.underWay += 1;
      return () => {
        for (const lane of [own, shared]) lane.underWay -= 1;
      };
    },
    async check(caller) {
      if (isFree(caller)) return;
      const { own, shared } = lanesOf(caller);
      try {
        for (const lane of [own, shared]) {
          requireRoom(lane);
          if (!lane.bucket.has(clock())) throw lane.refusals.perSecond;
        }
      } catch (refusal) {
        await turns.refuse();
        throw refusal;
      }
    },
    subscribe(caller) {
      if (isFree(caller)) return () => undefined;
      const { own, shared } = lanesOf(caller);
      for (const { limits, following, refusals: made } of [own, shared]) {
        if (following >= limits.subscriptions) throw made.subscriptions;
      }
      for (const lane of [own, shared]) lane.following += 1;
      return () => {
        for (const lane of [own, shared]) lane.following -= 1;
      };
    },
  };
}

function namesOf(tenants: Caller['tenants']): string {
  return tenants === 'all' ? OPERATOR : tenants.join(' ');
}

function requireRoom({ limits, underWay, refusals }: Lane): void {
  if (underWay >= limits.atOnce) throw refusals.atOnce;
}

const TOO_MANY_UNKNOWN = new VarveError(
  'RATE_LIMITED',
  `An address may send ${String(UNKNOWN_PER_SECOND)} calls a second without a valid key; ` +
    'check the key, and send them more slowly.',
  { details: { of: 'address', limit: UNKNOWN_PER_SECOND, retryAfterMs: SECOND_MS } },
);

type Refusals = Readonly<Record<keyof CallLimits, VarveError>>;

/** Creates each refusal once: in a flood of calls, stack traces would take most of the time. */
function refusalsOf(of: keyof CallLimitSettings, settings: CallLimitSettings): Refusals {
  const { perSecond, atOnce, subscriptions } = settings[of];
  const refusal = (message: string, limit: number, retryAfterMs: number) =>
    new VarveError('RATE_LIMITED', message, { details: { of, limit, retryAfterMs } });
  return {
    perSecond: refusal(
      `A ${of} may make ${String(perSecond)} calls a second; send them more slowly.`,
      perSecond,
      Math.ceil(SECOND_MS / perSecond),
    ),
    atOnce: refusal(
      `At most ${String(atOnce)} calls of a ${of} are under way at once; send fewer.`,
      atOnce,
      SECOND_MS,
    ),
    subscriptions: refusal(
      `A ${of} may have ${String(subscriptions)} streams of events open; close one of them.`,
      subscriptions,
      SUBSCRIBE_AGAIN_MS,
    ),
  };
}
