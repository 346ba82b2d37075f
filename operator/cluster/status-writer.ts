/** The one status write of a reconcile: a server-side apply over the version that was looked at. */
import type { KubernetesApi, KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import type { Clock } from '#core/ports/platform.ts';
import { leadingEpoch, type Leadership } from './context.ts';
import { STATUS_OWNER } from '../tenant/annotations.ts';
import { canonicalJson } from '../tenant/policy-hash.ts';

// Whether a status is written now, later or not at all: pure.

/** Numbers and times move all the time; people look at them every now and then. */
export const COUNTERS_EVERY_MS = 60_000;
/** What may wait: everything else is written at once. */
const COUNTERS: ReadonlySet<string> = new Set([
  'freshness',
  'budget',
  'lastRefreshTime',
  'nextRefreshTime',
  'lastDreamTime',
  'nextDreamTime',
  'lastOutcome',
]);

type StatusDecision =
  | { readonly kind: 'Same' }
  | { readonly kind: 'Write' }
  /** Only counters moved, and they were written a moment ago. */
  | { readonly kind: 'Later'; readonly inMs: number };

/** @param writtenAt when this process last wrote the status; null where it did not */
export function statusDecision(
  before: unknown,
  after: object,
  { now, writtenAt }: { now: number; writtenAt: number | null },
): StatusDecision {
  if (canonicalJson(before ?? {}) === canonicalJson(after)) return { kind: 'Same' };
  const isOnlyCounters = canonicalJson(steadyOf(before)) === canonicalJson(steadyOf(after));
  const inMs = writtenAt === null ? 0 : writtenAt + COUNTERS_EVERY_MS - now;
  return isOnlyCounters && inMs > 0 ? { kind: 'Later', inMs } : { kind: 'Write' };
}

function steadyOf(status: unknown): object {
  if (typeof status !== 'object' || status === null) return {};
  return Object.fromEntries(Object.entries(status).filter(([field]) => !COUNTERS.has(field)));
}

/** Resources whose last write is remembered; for others a counter may be written too early. */
const REMEMBERED_MAX = 100_000;

export interface StatusWriterOptions {
  readonly api: Pick<KubernetesApi, 'apply'>;
  readonly clock: Clock;
  readonly leadership: Leadership;
}

export interface StatusWrite {
  readonly type: ResourceType;
  /** As it was when it was looked at. */
  readonly object: KubernetesObject;
  readonly status: object;
  readonly signal: AbortSignal;
}

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  /** By uid. */
  readonly #writtenAt = new Map<string, number>();

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /**
   * Writes what differs, and says what it did.
   * @throws VarveError CONFLICT where the resource is another version by now; what the API throws
   */
  async write({ type, object, status, signal }: StatusWrite): Promise<StatusDecision> {
    const { api, clock, leadership } = this.#options;
    const { name, namespace, uid = '', resourceVersion } = object.metadata;
    const now = clock();
    const writtenAt = this.#writtenAt.get(uid) ?? null;
    const decision = statusDecision(object['status'], status, { now, writtenAt });
    if (decision.kind !== 'Write') return decision;
    leadingEpoch({ leadership });
    const place = { name, ...(namespace === undefined ? {} : { namespace }) };
    const version = resourceVersion === undefined ? {} : { resourceVersion };
    await api.apply(
      type,
      {
        apiVersion: object.apiVersion,
        kind: object.kind,
        metadata: { ...place, uid, ...version },
        status,
      },
      { subresource: 'status', fieldManager: STATUS_OWNER, force: true, signal },
    );
    this.#remember(uid, now);
    return decision;
  }

  /** The resource is gone. */
  forget(uid: string): void {
    this.#writtenAt.delete(uid);
  }

  #remember(uid: string, now: number): void {
    this.#writtenAt.delete(uid);
    this.#writtenAt.set(uid, now);
    if (this.#writtenAt.size <= REMEMBERED_MAX) return;
    for (const oldest of this.#writtenAt.keys()) {
      this.#writtenAt.delete(oldest);
      return;
    }
  }
}
