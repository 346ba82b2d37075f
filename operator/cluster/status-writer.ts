/** The one status write of a reconcile: a server-side apply on the version that was read. */
import { keepNewest } from '#core/keep-newest.ts';
import { canonicalJson } from '#core/hash.ts';
import { VarveError } from '#core/errors.ts';
import type { KubernetesApi, KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import type { Clock, Platform } from '#core/ports/platform.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import type { Condition } from '#crds/status.ts';
import type { NewEvent, EventRecorder } from '../event-recorder.ts';
import { DONE, type ReconcileResult } from '../queue/reconcile-result.ts';
import {
  STATUS_OWNER,
  conditionsIn,
  momentOf,
  statusConditions,
  type ConditionState,
} from '../tenant/metadata-and-conditions.ts';
import { leadingEpoch, type Leadership } from './leader-fence.ts';

// Whether a status is written now, later or not at all: pure.

/** Counters change all the time, and people read them only now and then. */
export const COUNTERS_EVERY_MS = 60_000;
/** Fields that may wait; any other change is written at once. */
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
  /** Only counters changed, and they were written recently. */
  | { readonly kind: 'Later'; readonly inMs: number };

/** @param writtenAt when this process last wrote the status; null if it did not */
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

interface StatusWriterOptions {
  readonly api: Pick<KubernetesApi, 'apply'>;
  readonly clock: Clock;
  readonly leadership: Leadership;
}

interface StatusWrite {
  readonly type: ResourceType;
  /** The object as it was read. */
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
   * Writes the status if it differs. Returns the decision.
   * @throws VarveError CONFLICT if the resource has another version by now; errors of the API
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
    keepNewest(this.#writtenAt, REMEMBERED_MAX, [uid, now]);
    return decision;
  }

  /** Call it when the resource is gone. */
  forget(uid: string): void {
    this.#writtenAt.delete(uid);
  }
}

// Which changes of conditions are worth an Event: pure.

/**
 * Conditions that change in normal operation: an Event for each change would come every few
 * minutes.
 */
const QUIET: ReadonlySet<string> = new Set(['Fresh']);
/**
 * Reasons of a resource whose tenant has not applied it yet, as after every change. If the tenant
 * cannot, it has an Event of its own.
 */
const WAITING: ReadonlySet<string> = new Set(['TenantPending', 'TenantNotReady']);

/**
 * Records one Event for each condition that changed its status or reason; one for Ready only if no
 * other condition says the same. A resource that is fine from the start gets none.
 */
export function conditionEvents(
  regarding: KubernetesObject,
  before: readonly Condition[],
  after: readonly Condition[],
): readonly NewEvent[] {
  const turned = after.filter((condition) => {
    const { type, status, reason } = condition;
    const old = before.find((one) => one.type === type);
    if (status === 'Unknown' || QUIET.has(type) || WAITING.has(reason)) return false;
    if (status === 'True') return old?.status === 'False' && !WAITING.has(old.reason);
    return old?.status !== status || old.reason !== reason;
  });
  const others = turned.filter(({ type }) => type !== 'Ready');
  const notable = turned.filter(
    ({ type, reason }) => type !== 'Ready' || others.every((other) => other.reason !== reason),
  );
  return notable.map(({ type, status, reason, message }) => ({
    regarding,
    type: status === 'True' ? 'Normal' : 'Warning',
    reason,
    action: `Check${type}`,
    note: message,
  }));
}

/** Pause after a lost race: by then the caches have the other write. */
export const AFTER_CONFLICT_MS = 1_000;

interface StatusWithConditions extends StatusWrite {
  readonly status: { readonly conditions: readonly Condition[] };
}

interface StatusPorts {
  readonly statuses: StatusWriter;
  readonly recorder: EventRecorder;
}

/**
 * Writes the status if it differs and records changed conditions. A lost race is retried soon; a
 * resource that is gone needs no status.
 */
export async function writeStatus(
  write: StatusWithConditions,
  { statuses, recorder }: StatusPorts,
  requeueMs: number | null = null,
): Promise<ReconcileResult> {
  const { object, status } = write;
  const before = conditionsIn(object);
  try {
    const decision = await statuses.write(write);
    if (decision.kind === 'Write') {
      for (const newEvent of conditionEvents(object, before, status.conditions))
        recorder.record(newEvent);
    }
    const laterMs = decision.kind === 'Later' ? decision.inMs : Infinity;
    const ms = Math.min(laterMs, requeueMs ?? Infinity);
    return Number.isFinite(ms) ? { kind: 'RequeueAfter', ms } : DONE;
  } catch (error) {
    if (isLostRace(error)) return { kind: 'RequeueAfter', ms: AFTER_CONFLICT_MS };
    throw error;
  }
}

/** Whether the resource has another version by now, or is gone. */
export function isLostRace(error: unknown): boolean {
  return error instanceof VarveError && (error.code === 'CONFLICT' || error.code === 'NOT_FOUND');
}

interface ConditionsWrite extends Pick<StatusWrite, 'type' | 'object'> {
  readonly findings: Readonly<Record<string, ConditionState>>;
}

/** The end of a reconcile: its one status write, the Events about it, and the requeue. */
interface Writing {
  readonly context: StatusPorts & { readonly platform: Platform };
  readonly signal: AbortSignal;
}

/**
 * Writes some conditions and leaves the rest of the status as it is. That includes the enforced
 * generation, since what was declared later is not enforced.
 */
export async function writeConditions(
  { type, object, findings }: ConditionsWrite,
  { context, signal }: Writing,
): Promise<ReconcileResult> {
  const { statuses, platform, recorder } = context;
  const moment = momentOf(object, platform);
  const conditions = [
    ...statusConditions(findings, moment),
    ...moment.before.filter((condition) => !Object.hasOwn(findings, condition.type)),
  ];
  const old = object['status'];
  const rest = typeof old === 'object' && old !== null ? old : {};
  const status = { ...rest, conditions };
  return writeStatus({ type, object, status, signal }, { statuses, recorder });
}

/** Writes only Ready of a MemoryTenant; see `writeConditions`. */
export async function writeReady(
  object: KubernetesObject,
  finding: ConditionState,
  writing: Writing,
): Promise<ReconcileResult> {
  return writeConditions({ type: MEMORY_TENANT, object, findings: { Ready: finding } }, writing);
}
