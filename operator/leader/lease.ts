/** The Lease object: what it says, and what the next one says. Pure. */
import { VarveError } from '#core/errors.ts';
import type { KubernetesObject, ObjectPlace, ResourceType } from '#core/ports/kubernetes-api.ts';
import { microTime } from '../micro-time.ts';

export const LEASE: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  isNamespaced: true,
};

/** What an elector goes by. The times in the object are for people, and other clocks'. */
export interface LeaseRecord {
  /** Empty where it was released. */
  readonly holder: string;
  /** 0 where the record names none; such a one is free. */
  readonly leaseMs: number;
  /** Rises with every new holder: the epoch that fences outside writes. */
  readonly transitions: number;
  /** Changes with every renewal. */
  readonly renewal: string;
}

/** What a write of the Lease says. */
interface LeaseTerm {
  readonly holder: string;
  readonly leaseMs: number;
  readonly epoch: number;
  /** Milliseconds since the epoch, by the clock on the wall. */
  readonly acquiredAt: number;
  readonly renewedAt: number;
}

/** @param lease as the server sent it; fields of the wrong type count as absent */
export function readLease(lease: KubernetesObject): LeaseRecord {
  const spec = isRecord(lease['spec']) ? lease['spec'] : {};
  const { holderIdentity, leaseDurationSeconds, leaseTransitions, renewTime } = spec;
  return {
    holder: typeof holderIdentity === 'string' ? holderIdentity : '',
    leaseMs: wholeOrZero(leaseDurationSeconds) * 1_000,
    transitions: wholeOrZero(leaseTransitions),
    renewal: `${String(renewTime)} ${lease.metadata.resourceVersion ?? ''}`,
  };
}

/** @param over what was read, whose version is the precondition; null to make a new one */
export function leaseObject(
  place: ObjectPlace,
  term: LeaseTerm,
  over: KubernetesObject | null,
): KubernetesObject {
  const spec = {
    holderIdentity: term.holder,
    leaseDurationSeconds: Math.round(term.leaseMs / 1_000),
    leaseTransitions: term.epoch,
    acquireTime: microTime(term.acquiredAt),
    renewTime: microTime(term.renewedAt),
  };
  return withSpec(place, spec, over);
}

/** A Lease that the next candidate may take at once. Its transitions stay: they only rise. */
export function releasedLease(
  place: ObjectPlace,
  { epoch, now }: { readonly epoch: number; readonly now: number },
  over: KubernetesObject,
): KubernetesObject {
  const spec = { leaseDurationSeconds: 1, leaseTransitions: epoch, renewTime: microTime(now) };
  return withSpec(place, spec, over);
}

function withSpec(
  place: ObjectPlace,
  spec: Readonly<Record<string, unknown>>,
  over: KubernetesObject | null,
): KubernetesObject {
  if (over !== null) return { ...over, spec };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { ...place }, spec };
}

function wholeOrZero(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

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
