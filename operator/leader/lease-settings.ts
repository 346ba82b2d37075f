/** How long a Lease lasts and how it is kept, validated together. */
import { VarveError } from '#core/errors.ts';

export interface LeaseSettings {
  /** For how long a leader that is not heard of keeps its place. Whole seconds. */
  readonly leaseMs: number;
  /** After this long without a renewal a leader stops by itself. */
  readonly renewWithinMs: number;
  /** Between two looks at the Lease, by leaders and candidates alike. */
  readonly retryMs: number;
}

/**
 * client-go has 15, 10 and 2 s; operators with outside state report that short outages of the API
 * server then end them (cert-manager, network-operator). The price is a failover after 35 s.
 */
export const LEASE_SETTINGS: LeaseSettings = {
  leaseMs: 30_000,
  renewWithinMs: 20_000,
  retryMs: 5_000,
};

/** Candidates look up to a fifth later, so that they do not look together for ever (client-go). */
export const RETRY_JITTER = 0.2;
/** Two tries to renew have to fit, or one lost answer ends a leader. */
const TRIES_MIN = 2;
const LEASE_MS_MAX = 3_600_000;

/** @throws VarveError INVALID_INPUT with what has to be longer or shorter */
export function checkedLeaseSettings(settings: LeaseSettings): LeaseSettings {
  const { leaseMs, renewWithinMs, retryMs } = settings;
  const rules: readonly (readonly [boolean, string])[] = [
    [retryMs > 0, 'The pause between two looks at the Lease has to be above 0.'],
    [
      renewWithinMs >= retryMs * (1 + RETRY_JITTER) * TRIES_MIN,
      'The time to renew the Lease has to be at least 2.4 times the pause between two looks.',
    ],
    [leaseMs > renewWithinMs, 'The Lease has to last longer than the time to renew it.'],
    [leaseMs % 1_000 === 0, 'The Lease lasts whole seconds.'],
    [leaseMs <= LEASE_MS_MAX, 'The Lease lasts at most an hour.'],
  ];
  const broken = rules.filter(([holds]) => !holds).map(([, rule]) => rule);
  if (broken.length === 0) return settings;
  throw new VarveError('INVALID_INPUT', broken.join(' '), { details: { ...settings } });
}
