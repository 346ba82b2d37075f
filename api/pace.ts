/** How fast callers may call, and how many of their calls are under way: by key and tenant. */
import { VarveError } from '#core/errors.ts';
import type { Clock } from '#core/ports/platform.ts';
import { createTokenBucket, type TokenBucket } from '#core/token-bucket.ts';
import type { Principal } from './principal.ts';

export interface PaceLimits {
  /** Calls a second; twice as many may come at once. */
  readonly perSecond: number;
  /** Calls under way. */
  readonly atOnce: number;
}

export interface PaceSettings {
  readonly key: PaceLimits;
  readonly tenant: PaceLimits;
}

export const PACE_DEFAULTS: PaceSettings = {
  key: { perSecond: 100, atOnce: 32 },
  tenant: { perSecond: 400, atOnce: 128 },
};

export interface Pace {
  /**
   * Begins a call, and answers what ends it.
   * @throws VarveError RATE_LIMITED with `limit` and `retryAfterMs`
   */
  enter(principal: Pick<Principal, 'name' | 'tenants'>): () => void;
}

interface Lane {
  readonly limits: PaceLimits;
  readonly bucket: TokenBucket;
  underWay: number;
}

/** Keys and tenants that are counted; of more, those begin anew that have no call under way. */
const LANES_MAX = 10_000;
const SECOND_MS = 1_000;

/** Of this process alone. Whoever runs the installation is not held up. */
export function createPace(settings: PaceSettings, clock: Clock): Pace {
  const lanes = new Map<string, Lane>();
  const laneOf = (name: string, limits: PaceLimits): Lane => {
    const known = lanes.get(name);
    if (known !== undefined) return known;
    if (lanes.size >= LANES_MAX) {
      for (const [each, { underWay }] of lanes) if (underWay === 0) lanes.delete(each);
    }
    const { perSecond } = limits;
    const bucket = createTokenBucket({ perSecond, burst: 2 * perSecond }, clock());
    const made: Lane = { limits, bucket, underWay: 0 };
    lanes.set(name, made);
    return made;
  };
  return {
    enter({ name, tenants }) {
      if (tenants === 'all') return () => undefined;
      const tenant = tenants.join(' ');
      // The key first: what it is refused takes nothing of its tenant's.
      const own = laneOf(`${tenant}/${name}`, settings.key);
      const shared = laneOf(tenant, settings.tenant);
      requireRoom(own, 'key');
      requireRoom(shared, 'tenant');
      requireToken(own, 'key', clock());
      requireToken(shared, 'tenant', clock());
      for (const lane of [own, shared]) lane.underWay += 1;
      return () => {
        for (const lane of [own, shared]) lane.underWay -= 1;
      };
    },
  };
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
