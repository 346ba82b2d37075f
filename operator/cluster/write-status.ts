/** The end of a reconcile: its one status write, what is said of it, and when to look again. */
import type { Condition } from '#crds/status.ts';
import { VarveError } from '#core/errors.ts';
import { DONE, type ReconcileResult } from '../queue/reconcile-result.ts';
import { conditionsIn } from '../tenant/conditions.ts';
import type { ClusterContext } from './context.ts';
import type { StatusWrite } from './status-writer.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { EventNews } from '../events/event-object.ts';

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

export interface StatusWithConditions extends StatusWrite {
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
