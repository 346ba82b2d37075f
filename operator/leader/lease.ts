/** The Lease of the leader: its durations, and how a process takes, renews and releases it. */
import { isRecord } from '#core/is-record.ts';
import { VarveError } from '#core/errors.ts';
import type {
  KubernetesObject,
  ObjectPlace,
  ResourceType,
  KubernetesApi,
} from '#core/ports/kubernetes-api.ts';
import type { Clock } from '#core/ports/platform.ts';
import { microTime } from '../timers.ts';

export const LEASE: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  isNamespaced: true,
};

/**
 * The fields that an elector uses. The times in the object come from other clocks; they are for
 * people.
 */
interface LeaseRecord {
  /** Empty if it was released. */
  readonly holder: string;
  /** 0 if the record has no duration; such a Lease is free. */
  readonly leaseMs: number;
  /** Rises with every new holder: the epoch that fences outside writes. */
  readonly transitions: number;
  /** Changes with every renewal. */
  readonly renewal: string;
}

/** @param lease as the server sent it; fields of the wrong type count as absent */
function readLease(lease: KubernetesObject): LeaseRecord {
  const spec = isRecord(lease['spec']) ? lease['spec'] : {};
  const { holderIdentity, leaseDurationSeconds, leaseTransitions, renewTime } = spec;
  return {
    holder: typeof holderIdentity === 'string' ? holderIdentity : '',
    leaseMs: wholeOrZero(leaseDurationSeconds) * 1_000,
    transitions: wholeOrZero(leaseTransitions),
    renewal: `${String(renewTime)} ${lease.metadata.resourceVersion ?? ''}`,
  };
}

/** @param over the Lease that was read, whose version is the precondition; null to create one */
function leaseObject(
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

export interface LeaseSettings {
  /** How long a silent leader keeps its place. Whole seconds. */
  readonly leaseMs: number;
  /** A leader stops after this long without a renewal. */
  readonly renewWithinMs: number;
  /** Pause between two checks of the Lease, for leaders and candidates alike. */
  readonly retryMs: number;
}

/**
 * client-go uses 15, 10 and 2 s; operators with outside state report that short outages of the API
 * server then end them (cert-manager, network-operator). The price is a failover after 35 s.
 */
export const LEASE_SETTINGS: LeaseSettings = {
  leaseMs: 30_000,
  renewWithinMs: 20_000,
  retryMs: 5_000,
};

/** Candidates wait up to a fifth longer, so that they do not stay in step (client-go). */
export const RETRY_JITTER = 0.2;
/** At least two tries to renew have to fit, or one lost answer would end a leader. */
const TRIES_MIN = 2;
const LEASE_MS_MAX = 3_600_000;

/** @throws VarveError INVALID_INPUT that says which time has to be longer or shorter */
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

/** Options of one process's hold on one Lease. */
export interface HoldingOptions {
  readonly api: KubernetesApi;
  readonly place: ObjectPlace;
  readonly identity: string;
  readonly settings: LeaseSettings;
  /** The monotonic clock, for decisions. */
  readonly timer: () => number;
  /** The wall clock, for the times that people read. */
  readonly clock: Clock;
}

interface Held {
  readonly object: KubernetesObject;
  readonly epoch: number;
  readonly acquiredAt: number;
  /** When the last renewal was sent. */
  readonly renewedAt: number;
}

/**
 * One process and one Lease: what was seen of it, and whether it is held. Every write names the
 * version that it replaces, so of two candidates only one gets it. All methods throw what the API
 * throws, and change nothing once their signal is aborted.
 */
export class LeaseHolding {
  readonly #options: HoldingOptions;
  #seen: Observation | null = null;
  #held: Held | null = null;

  constructor(options: HoldingOptions) {
    this.#options = options;
  }

  /** How long this process may still regard itself as the holder; 0 if it may not. */
  get leftMs(): number {
    if (this.#held === null) return 0;
    const { settings, timer } = this.#options;
    return Math.max(0, this.#held.renewedAt + settings.renewWithinMs - timer());
  }

  /** The epoch of the last term; 0 if there was none or it was dropped. */
  get epoch(): number {
    return this.#held?.epoch ?? 0;
  }

  /** The holder, as far as this process knows. */
  get holder(): string | null {
    if (this.leftMs > 0) return this.#options.identity;
    const isHeld = heldForMs(this.#seen, this.#options.timer()) > 0;
    return isHeld ? (this.#seen?.record.holder ?? null) : null;
  }

  /** Stops holding the Lease, whatever the server answers. */
  drop(): void {
    this.#held = null;
  }

  async takeIfFree(signal: AbortSignal): Promise<void> {
    const { api, place, identity, timer, clock } = this.#options;
    const object = await api.get(LEASE, place, signal);
    if (signal.aborted) return;
    if (object !== null) this.#see(object);
    // The holder of a deleted Lease still relies on it.
    const { holder = '', transitions = 0 } = this.#seen?.record ?? {};
    if (holder !== identity && heldForMs(this.#seen, timer()) > 0) return;
    // A new epoch even if the answer to an own write was lost: no epoch is used for two terms.
    await this.#write(object, { epoch: nextEpoch(transitions, clock()), signal });
  }

  /** Extends the hold on the Lease, or drops it if another process has it. */
  async renew(signal: AbortSignal): Promise<void> {
    const held = this.#held;
    if (held === null) return;
    try {
      await this.#write(held.object, { epoch: held.epoch, signal });
    } catch (error) {
      if (!isConflict(error) || signal.aborted) throw error;
      const object = await this.#readOwn(held, signal);
      if (object !== null) await this.#write(object, { epoch: held.epoch, signal });
    }
  }

  /** Leaves the Lease to the next holder. */
  async release(signal: AbortSignal): Promise<void> {
    const held = this.#held;
    this.#held = null;
    if (held === null) return;
    const { api, place, clock } = this.#options;
    // The next candidate may take it at once. It keeps the transitions, which only rise.
    const lasting = { leaseDurationSeconds: 1, leaseTransitions: held.epoch };
    const free = (over: KubernetesObject) => {
      const spec = { ...lasting, renewTime: microTime(clock()) };
      return api.replace(LEASE, leaseObject(place, spec, over), { signal });
    };
    try {
      await free(held.object);
    } catch (error) {
      if (!isConflict(error)) throw error;
      const object = await this.#readOwn(held, signal);
      if (object !== null) await free(object);
    }
  }

  /**
   * Reads the Lease after a conflict: a person labeled it, the answer to an own renewal was lost,
   * or another process leads. In the last case, drops the Lease and returns null.
   */
  async #readOwn(held: Held, signal: AbortSignal): Promise<KubernetesObject | null> {
    const { api, place, identity } = this.#options;
    const object = await api.get(LEASE, place, signal);
    if (signal.aborted) return null;
    const record = object === null ? null : this.#see(object);
    if (record?.holder === identity && record.transitions === held.epoch) return object;
    this.#held = null;
    return null;
  }

  async #write(
    over: KubernetesObject | null,
    { epoch, signal }: { readonly epoch: number; readonly signal: AbortSignal },
  ): Promise<void> {
    const { api, place, identity, settings, timer, clock } = this.#options;
    const sentAt = timer();
    const acquiredAt = this.#held?.acquiredAt ?? clock();
    const spec = {
      holderIdentity: identity,
      leaseDurationSeconds: Math.round(settings.leaseMs / 1_000),
      leaseTransitions: epoch,
      acquireTime: microTime(acquiredAt),
      renewTime: microTime(clock()),
    };
    const next = leaseObject(place, spec, over);
    const object =
      over === null
        ? await api.create(LEASE, next, { signal })
        : await api.replace(LEASE, next, { signal });
    // A late answer must not make this process the leader again.
    if (signal.aborted) return;
    this.#see(object);
    this.#held = { object, epoch, acquiredAt, renewedAt: sentAt };
  }

  #see(object: KubernetesObject) {
    const record = readLease(object);
    this.#seen = observed(record, this.#seen, this.#options.timer());
    return record;
  }
}

const MINUTE_MS = 60_000;

/**
 * Returns the epoch of a new term: above that of every term that the Lease records or that ended
 * before now.
 */
function nextEpoch(transitions: number, now: number): number {
  return Math.max(transitions + 1, firstEpoch(now));
}

/**
 * Returns the lowest epoch for a term that begins now. A store remembers the epochs of a Lease that
 * was deleted or restored, or of an installation in another namespace, and would refuse a lower one
 * forever. A Lease changes its holder less than once a minute, and minutes fit the 32 bits of its
 * counter.
 */
export function firstEpoch(now: number): number {
  return Math.max(1, Math.floor(now / MINUTE_MS));
}

function isConflict(error: unknown): boolean {
  return error instanceof VarveError && error.code === 'CONFLICT';
}

/**
 * What this process saw of the Lease. A Lease counts as held until its duration has passed, on this
 * process's own clock, since it was last seen to change. The times in the record are never used,
 * since they come from another clock (client-go tools/leaderelection does the same).
 */
interface Observation {
  readonly record: LeaseRecord;
  /** When this record was first seen here, in milliseconds of the monotonic clock. */
  readonly since: number;
}

/** @param now not before the answer with the record arrived */
function observed(record: LeaseRecord, before: Observation | null, now: number): Observation {
  const isSame = before !== null && before.record.renewal === record.renewal;
  return { record, since: isSame ? before.since : now };
}

/** Returns how long the Lease must be left alone; 0 if it may be taken. */
function heldForMs(observation: Observation | null, now: number): number {
  if (observation === null || observation.record.holder === '') return 0;
  return Math.max(0, observation.since + observation.record.leaseMs - now);
}
