/** The Lease object: what it says, and what the next one says. Pure. */
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
export interface LeaseTerm {
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
