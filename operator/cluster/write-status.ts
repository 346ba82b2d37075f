/** The end of a reconcile: its one status write, what is said of it, and when to look again. */
import { VarveError } from '#core/errors.ts';
import type { KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import type { Condition } from '#crds/status.ts';
import type { EventNews } from '../events/event-object.ts';
import { DONE, type ReconcileResult } from '../queue/reconcile-result.ts';
import { conditionsIn, conditionsOf, type ConditionState } from '../tenant/conditions.ts';
import type { ClusterContext } from './context.ts';
import type { StatusWrite } from './status-writer.ts';

// Which changes of conditions are worth an Event: pure.

/** Conditions whose turns are how memory works: they would be an Event every few minutes. */
const QUIET: ReadonlySet<string> = new Set(['Fresh']);

/**
 * One Event for each condition that turned to another status or reason, Ready where no other says
 * the same. That all is well from the first is no news.
 */
export function newsOf(
  regarding: KubernetesObject,
  before: readonly Condition[],
  after: readonly Condition[],
): readonly EventNews[] {
  const turned = after.filter((condition) => {
    const { type, status, reason } = condition;
    const old = before.find((one) => one.type === type);
    if (status === 'Unknown' || QUIET.has(type)) return false;
    if (status === 'True') return old?.status === 'False';
    return old?.status !== status || old.reason !== reason;
  });
  const others = turned.filter(({ type }) => type !== 'Ready');
  const told = turned.filter(
    ({ type, reason }) => type !== 'Ready' || others.every((other) => other.reason !== reason),
  );
  return told.map(({ type, status, reason, message }) => ({
    regarding,
    type: status === 'True' ? 'Normal' : 'Warning',
    reason,
    action: `Check${type}`,
    note: message,
  }));
}

/** A lost race is no news; the caches have the other's write within a moment. */
export const AFTER_CONFLICT_MS = 1_000;

interface StatusWithConditions extends StatusWrite {
  readonly status: { readonly conditions: readonly Condition[] };
}

/**
 * Writes what differs and records what turned. A lost race is tried again soon, and a resource
 * that is gone needs no status.
 */
export async function writeStatus(
  write: StatusWithConditions,
  { statuses, recorder }: Pick<ClusterContext, 'statuses' | 'recorder'>,
  requeueMs: number | null = null,
): Promise<ReconcileResult> {
  const { object, status } = write;
  const before = conditionsIn(object);
  try {
    const decision = await statuses.write(write);
    if (decision.kind === 'Write') {
      for (const news of newsOf(object, before, status.conditions)) recorder.record(news);
    }
    const laterMs = decision.kind === 'Later' ? decision.inMs : Infinity;
    const ms = Math.min(laterMs, requeueMs ?? Infinity);
    return Number.isFinite(ms) ? { kind: 'RequeueAfter', ms } : DONE;
  } catch (error) {
    if (isLostRace(error)) return { kind: 'RequeueAfter', ms: AFTER_CONFLICT_MS };
    throw error;
  }
}

/** Whether the resource is another version by now, or gone. */
export function isLostRace(error: unknown): boolean {
  return error instanceof VarveError && (error.code === 'CONFLICT' || error.code === 'NOT_FOUND');
}

interface ConditionsWrite {
  readonly type: ResourceType;
  readonly object: KubernetesObject;
  readonly findings: Readonly<Record<string, ConditionState>>;
}

export interface Writing {
  readonly context: Pick<ClusterContext, 'statuses' | 'platform' | 'recorder'>;
  readonly signal: AbortSignal;
}

/**
 * Writes some conditions alone and leaves the rest of the status as it stands, also which
 * generation was carried out: what was declared since is not.
 */
export async function writeConditions(
  { type, object, findings }: ConditionsWrite,
  { context, signal }: Writing,
): Promise<ReconcileResult> {
  const { statuses, platform, recorder } = context;
  const before = conditionsIn(object);
  const generation = object.metadata.generation ?? 0;
  const at = { generation, now: platform.clock() };
  const conditions = [
    ...conditionsOf(findings, before, at),
    ...before.filter((condition) => !Object.hasOwn(findings, condition.type)),
  ];
  const old = object['status'];
  const rest = typeof old === 'object' && old !== null ? old : {};
  const status = { ...rest, conditions };
  return writeStatus({ type, object, status, signal }, { statuses, recorder });
}

/** Writes Ready of a MemoryTenant alone; see `writeConditions`. */
export async function writeReady(
  object: KubernetesObject,
  finding: ConditionState,
  writing: Writing,
): Promise<ReconcileResult> {
  return writeConditions({ type: MEMORY_TENANT, object, findings: { Ready: finding } }, writing);
}
