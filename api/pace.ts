/** How fast callers may call, how many of their calls are under way, and what they follow. */
import { VarveError } from '#core/errors.ts';
import type { Clock } from '#core/ports/platform.ts';
import { createTokenBucket, type TokenBucket } from '#core/token-bucket.ts';
import type { Principal } from './principal.ts';

export interface PaceLimits {
  /** Calls a second; twice as many may come at once. */
  readonly perSecond: number;
  /** Calls under way. */
  readonly atOnce: number;
  /** Streams of events that are open. */
  readonly subscriptions: number;
}

export interface PaceSettings {
  readonly key: PaceLimits;
  readonly tenant: PaceLimits;
}

export const PACE_DEFAULTS: PaceSettings = {
  key: { perSecond: 100, atOnce: 32, subscriptions: 8 },
  tenant: { perSecond: 400, atOnce: 128, subscriptions: 64 },
};

export interface Pace {
  /**
   * Begins a call, and answers what ends it.
   * @throws VarveError RATE_LIMITED with `limit` and `retryAfterMs`
   */
  enter(principal: Pick<Principal, 'name' | 'tenants'>): () => void;
  /**
   * Begins a stream of events, and answers what ends it.
   * @throws VarveError RATE_LIMITED with `limit` and `retryAfterMs`
   */
  subscribe(principal: Pick<Principal, 'name' | 'tenants'>): () => void;
}

interface Lane {
  readonly limits: PaceLimits;
  readonly bucket: TokenBucket;
  underWay: number;
  following: number;
}

/** Keys and tenants that are counted; of more, those begin anew that have no call under way. */
const LANES_MAX = 10_000;
const SECOND_MS = 1_000;
/** Streams stay open for long. */
const SUBSCRIBE_AGAIN_MS = 10_000;

/** Of this process alone. Whoever runs the installation is not held up. */
export function createPace(settings: PaceSettings, clock: Clock): Pace {
  const lanes = new Map<string, Lane>();
  const laneOf = (name: string, limits: PaceLimits): Lane => {
    const known = lanes.get(name);
    if (known !== undefined) return known;
    if (lanes.size >= LANES_MAX) {
      for (const [each, { underWay, following }] of lanes) {
        if (underWay === 0 && following === 0) lanes.delete(each);
      }
    }
    const { perSecond } = limits;
    const bucket = createTokenBucket({ perSecond, burst: 2 * perSecond }, clock());
    const made: Lane = { limits, bucket, underWay: 0, following: 0 };
    lanes.set(name, made);
    return made;
  };
  const lanesOf = (name: string, tenants: readonly string[]) => {
    const tenant = tenants.join(' ');
    const own = laneOf(`${tenant}/${name}`, settings.key);
    return { own, shared: laneOf(tenant, settings.tenant) };
  };
  return {
    enter({ name, tenants }) {
      if (tenants === 'all') return () => undefined;
      // The key first: what it is refused takes nothing of its tenant's.
      const { own, shared } = lanesOf(name, tenants);
      requireRoom(own, 'key');
      requireRoom(shared, 'tenant');
      requireToken(own, 'key', clock());
      requireToken(shared, 'tenant', clock());
      for (const lane of [own, shared]) lane.underWay += 1;
      return () => {
        for (const lane of [own, shared]) lane.underWay -= 1;
      };
    },
    subscribe({ name, tenants }) {
      if (tenants === 'all') return () => undefined;
      const { own, shared } = lanesOf(name, tenants);
      requireSubscription(own, 'key');
      requireSubscription(shared, 'tenant');
      for (const lane of [own, shared]) lane.following += 1;
      return () => {
        for (const lane of [own, shared]) lane.following -= 1;
      };
    },
  };
}

function requireSubscription({ limits, following }: Lane, of: 'key' | 'tenant'): void {
  const { subscriptions: limit } = limits;
  if (following < limit) return;
  const message = `A ${of} may have ${String(limit)} streams of events open; close one of them.`;
  const details = { of, limit, retryAfterMs: SUBSCRIBE_AGAIN_MS };
  throw new VarveError('RATE_LIMITED', message, { details });
}

function requireRoom({ limits, underWay }: Lane, of: 'key' | 'tenant'): void {
  const { atOnce } = limits;
  if (underWay < atOnce) return;
  const message = `At most ${String(atOnce)} calls of a ${of} are under way at once; send fewer.`;
  const details = { of, limit: atOnce, retryAfterMs: SECOND_MS };
  throw new VarveError('RATE_LIMITED', message, { details });
}

function requireToken({ limits, bucket }: Lane, of: 'key' | 'tenant', now: number): void {
  if (bucket.take(now)) return;
  const { perSecond } = limits;
  const message = `A ${of} may make ${String(perSecond)} calls a second; send them more slowly.`;
  const details = { of, limit: perSecond, retryAfterMs: Math.ceil(SECOND_MS / perSecond) };
  throw new VarveError('RATE_LIMITED', message, { details });
}
