/**
 * One DeepDream: only its status is written, since it reaches the store with its tenant. Reads
 * nothing but memory.
 */
import type { DreamOutcome } from '#core/records/dream-outcome.ts';
import { NO_LIMITS } from '#crds/limit-values.ts';
import { DEEP_DREAM } from '#crds/resource-types.ts';
import { LastError, type Condition, type DeepDreamStatus } from '#crds/status.ts';
import { DONE, type ReconcileResult } from '../queue/reconcile-result.ts';
import type { ReconcileRequest } from '../queue/workqueue.ts';
import { isDeleting } from '../tenant/annotations.ts';
import { conditionsIn, firstUnmet, conditionsOf, fieldOf, timeText } from '../tenant/conditions.ts';
import { heardDreams, type SeenDream } from '../tenant/desired-dreams.ts';
import { placeOfKey } from '../tenant/resource-key.ts';
import type { ClusterContext } from './context.ts';
import { dreamConditions, type DreamView, roundError } from './dream-conditions.ts';
import type { TenantSnapshot } from './last-reconcile.ts';
import { tenantIdIn, tenantKeyIn, tenantNameIn } from './resource-lister.ts';
import { outageOfTenant } from './store-outage.ts';
import type { ShownRound } from './tenant-facts.ts';
import type { StatusMoment } from './tenant-status.ts';
import { writeConditions, writeStatus } from './write-status.ts';

export function createDreamReconcile(
  context: ClusterContext,
): (request: ReconcileRequest) => Promise<ReconcileResult> {
  return async ({ key, signal }) => {
    const { lister, views, platform } = context;
    const object = lister.dream(key);
    if (object === null || isDeleting(object.metadata)) return DONE;
    const tenantKey = tenantKeyIn(object);
    const tenant = lister.tenant(tenantKey);
    const snapshot = views.get(tenantKey);
    // Its tenant is looked at first, and says so.
    const isTenantPending = tenant !== null && snapshot?.uid !== tenant.metadata.uid;
    const isPending = isTenantPending && !isDeleting(tenant.metadata);
    const outage = isPending ? outageOfTenant(object, tenant) : null;
    if (isPending && outage === null) return DONE;
    const dream = { object, reading: lister.readDream(object) };
    const view = viewOf(dream, tenant === null ? null : snapshot, context);
    if (outage !== null) {
      const { Accepted } = dreamConditions(view);
      const findings = { Ready: firstUnmet([Accepted], outage), Accepted };
      return writeConditions({ type: DEEP_DREAM, object, findings }, { context, signal });
    }
    const before = conditionsIn(object);
    const status = dreamStatus(view, {
      generation: object.metadata.generation ?? 0,
      now: platform.clock(),
      before,
    });
    return writeStatus({ type: DEEP_DREAM, object, status, signal }, context);
  };
}

function viewOf(
  dream: SeenDream,
  snapshot: TenantSnapshot | null,
  { lister }: ClusterContext,
): DreamView {
  const { object } = dream;
  const { name, uid } = object.metadata;
  const tenantKey = tenantKeyIn(object);
  const tenant = lister.tenant(tenantKey);
  const heard = heardDreams(lister.dreamsOf(placeOfKey(tenantKey)));
  const { dreams = [] } = snapshot?.record?.policy ?? {};
  const { schedules = [], isWaiting = false } = snapshot?.facts?.dreams ?? {};
  return {
    dream,
    tenantName: tenantNameIn(object),
    tenant,
    tenantId: snapshot?.tenant ?? (tenant === null ? '' : tenantIdIn(tenant)),
    tenantReady: tenant === null ? null : readyOf(tenant),
    isHeard: heard.some((one) => one.object.metadata.uid === uid),
    applied: dreams.find((one) => one.name === name) ?? null,
    schedule: schedules.find((one) => one.name === name) ?? null,
    isWaiting,
    limits: snapshot?.limits ?? NO_LIMITS,
    before: readyOf(object),
  };
}

function readyOf(object: SeenDream['object']) {
  return conditionsIn(object).find(({ type }) => type === 'Ready') ?? null;
}

/** The times are those of its record, also while something is wrong with the resource. */
export function dreamStatus(
  view: DreamView,
  { generation, now, before }: StatusMoment,
): DeepDreamStatus & { readonly conditions: readonly Condition[] } {
  const conditions = conditionsOf({ ...dreamConditions(view) }, before, { generation, now });
  const { nextAt = null, last = null } = view.schedule ?? {};
  return {
    observedGeneration: generation,
    conditions,
    ...(nextAt === null ? {} : { nextDreamTime: timeText(nextAt) }),
    ...(last === null
      ? {}
      : { ...lastTime(last, view), lastOutcome: roundText(last), ...lastError(last, view) }),
  };
}

/** While a round is at work, that of the one before stays. */
function lastTime(
  { endedAt }: ShownRound,
  { dream }: DreamView,
): Pick<DeepDreamStatus, 'lastDreamTime'> {
  if (endedAt !== null) return { lastDreamTime: timeText(endedAt) };
  const before = fieldOf(dream.object['status'], 'lastDreamTime');
  return typeof before === 'string' ? { lastDreamTime: before } : {};
}

/** A round at work says nothing yet of whether that works again which did not. */
function lastError(round: ShownRound, { dream }: DreamView): Pick<DeepDreamStatus, 'lastError'> {
  const error = roundError(round);
  if (error !== null) return { lastError: error };
  if (round.endedAt !== null) return {};
  const before = LastError.safeParse(fieldOf(dream.object['status'], 'lastError'));
  return before.success ? { lastError: before.data } : {};
}

/** As long as the schema of the status has it. */
const OUTCOME_LENGTH_MAX = 128;
const NOTHING_NEW = 'nothing new';

/** Those that somebody has to see to first, so that they stand where a text is cut. */
const WORDS: Readonly<Record<DreamOutcome, string>> = {
  Failed: 'failed',
  BudgetExhausted: 'over budget',
  DeadLettered: 'given up',
  Waiting: 'waiting',
  LowGrounding: 'not grounded',
  Outdated: 'outdated',
  Dreamed: 'dreamed',
  Unchanged: 'unchanged',
  NothingNew: NOTHING_NEW,
  SameContent: NOTHING_NEW,
};

/** `1 waiting, 12 dreamed`; how many are still at work is its last part. */
export function roundText({ started, outcomes, endedAt }: ShownRound): string {
  const counts = new Map<string, number>();
  let ended = 0;
  for (const [outcome, words] of Object.entries(WORDS)) {
    const count = outcomes[outcome as DreamOutcome] ?? 0;
    counts.set(words, (counts.get(words) ?? 0) + count);
    ended += count;
  }
  counts.set('at work', endedAt === null ? Math.max(started - ended, 0) : 0);
  const told = [...counts].filter(([, count]) => count > 0);
  if (told.length === 0) return endedAt === null ? 'begun' : NOTHING_NEW;
  const text = told.map(([words, count]) => `${count} ${words}`).join(', ');
  return text.length <= OUTCOME_LENGTH_MAX ? text : `${text.slice(0, OUTCOME_LENGTH_MAX - 1)}…`;
}
