/**
 * Reconciles one DeepDream. It writes only the status, since the dream reaches the store with its
 * tenant, and reads only memory.
 */
import { fieldOf } from '#core/is-record.ts';
import { shortenToUnits } from '#core/storable-text.ts';
import { isDeepStrictEqual } from 'node:util';
import { formatDuration } from '#core/duration.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { DreamOutcome } from '#core/records/dream-outcome.ts';
import { DREAMS_PER_TENANT_MAX, type DreamPolicy } from '#core/records/dream-policy.ts';
import { NO_LIMITS, type PlatformLimits } from '#crds/limit-values.ts';
import { DEEP_DREAM } from '#crds/resource-types.ts';
import { LastError, type Condition, type DeepDreamStatus } from '#crds/status.ts';
import { DONE, type Reconcile } from '../queue/reconcile-result.ts';
import {
  isDeleting,
  hasPausedAnnotation,
  PAUSED_ANNOTATION,
  placeOfKey,
  placeOfObject,
  momentOf,
  type StatusMoment,
  readyIn,
  firstUnmet,
  statusConditions,
  timeText,
  conditionState,
  tenantNotFound,
  unreadyReason,
  type ConditionState,
} from '../tenant/metadata-and-conditions.ts';
import { compileDream, oldestDreams, type SeenDream } from '../tenant/compile-policy.ts';
import { classWithin } from '../tenant/apply-platform-limits.ts';
import type { ClusterContext } from './cluster-context.ts';
import { type TenantSnapshot, tenantIdIn, tenantKeyIn, tenantNameIn } from './resource-lister.ts';
import { WHO_RUNS_COMMANDS, tenantOfResource } from './tenant-conditions.ts';
import type { ShownRound, ShownSchedule } from './stored-tenant.ts';
import { writeConditions, writeStatus } from './status-writer.ts';

export function createDreamReconcile(context: ClusterContext): Reconcile {
  return async ({ key, signal }) => {
    const { lister, platform } = context;
    const object = lister.get('dreams', key);
    if (object === null || isDeleting(object.metadata)) return DONE;
    const standing = tenantOfResource(object, context);
    if (standing === null) return DONE;
    const { snapshot, outage } = standing;
    const view = viewOf({ object, reading: lister.readDream(object) }, snapshot, context);
    if (outage !== null) {
      const { Accepted } = dreamConditions(view);
      const findings = { Ready: firstUnmet([Accepted], outage), Accepted };
      return writeConditions({ type: DEEP_DREAM, object, findings }, { context, signal });
    }
    const status = deepDreamStatus(view, momentOf(object, platform));
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
  const tenant = lister.get('tenants', tenantKey);
  const heard = oldestDreams(lister.dreamsOf(placeOfKey(tenantKey)));
  const { dreams = [] } = snapshot?.record?.policy ?? {};
  const { schedules = [], isWaiting = false } = snapshot?.facts?.dreams ?? {};
  return {
    dream,
    tenantName: tenantNameIn(object),
    tenant,
    tenantId: snapshot?.tenant ?? (tenant === null ? '' : tenantIdIn(tenant)),
    tenantReady: tenant === null ? null : readyIn(tenant),
    isHeard: heard.some((one) => one.object.metadata.uid === uid),
    applied: dreams.find((one) => one.name === name) ?? null,
    schedule: schedules.find((one) => one.name === name) ?? null,
    isWaiting,
    limits: snapshot?.limits ?? NO_LIMITS,
    before: readyIn(object),
  };
}

/** Times come from the dream's record, even while something is wrong with the resource. */
export function deepDreamStatus(
  view: DreamView,
  moment: StatusMoment,
): DeepDreamStatus & { readonly conditions: readonly Condition[] } {
  const { nextAt = null, last = null } = view.schedule ?? {};
  return {
    observedGeneration: moment.generation,
    conditions: statusConditions({ ...dreamConditions(view) }, moment),
    ...(nextAt === null ? {} : { nextDreamTime: timeText(nextAt) }),
    ...(last === null
      ? {}
      : { ...lastTime(last, view), lastOutcome: roundText(last), ...lastError(last, view) }),
  };
}

/** While a round runs, the time of the previous round stays. */
function lastTime(
  { endedAt }: ShownRound,
  { dream }: DreamView,
): Pick<DeepDreamStatus, 'lastDreamTime'> {
  if (endedAt !== null) return { lastDreamTime: timeText(endedAt) };
  const before = fieldOf(dream.object['status'], 'lastDreamTime');
  return typeof before === 'string' ? { lastDreamTime: before } : {};
}

/** A round that still runs does not show yet whether an earlier failure is fixed. */
function lastError(round: ShownRound, { dream }: DreamView): Pick<DeepDreamStatus, 'lastError'> {
  const error = roundError(round);
  if (error !== null) return { lastError: error };
  if (round.endedAt !== null) return {};
  const before = LastError.safeParse(fieldOf(dream.object['status'], 'lastError'));
  return before.success ? { lastError: before.data } : {};
}

/** The limit of the status schema. */
const OUTCOME_LENGTH_MAX = 128;
const NOTHING_NEW = 'nothing new';

/** Outcomes that need a person come first, so that they stay when the text is cut. */
const WORDS: Readonly<Record<DreamOutcome, string>> = {
  Failed: 'failed',
  BudgetExhausted: 'over budget',
  DeadLettered: 'failed for good',
  Waiting: 'waiting',
  LowGrounding: 'not grounded',
  Outdated: 'outdated',
  Dreamed: 'dreamed',
  Unchanged: 'unchanged',
  NothingNew: NOTHING_NEW,
  SameContent: NOTHING_NEW,
};

/** Renders e.g. `1 waiting, 12 dreamed`; the number of dreams still at work comes last. */
export function roundText({ started, outcomes, endedAt }: ShownRound): string {
  const counts = new Map<string, number>();
  let ended = 0;
  for (const [outcome, words] of Object.entries(WORDS)) {
    const count = outcomes[outcome as DreamOutcome] ?? 0;
    counts.set(words, (counts.get(words) ?? 0) + count);
    ended += count;
  }
  counts.set('at work', endedAt === null ? Math.max(started - ended, 0) : 0);
  const counted = [...counts].filter(([, count]) => count > 0);
  if (counted.length === 0) return endedAt === null ? 'begun' : NOTHING_NEW;
  const text = counted.map(([words, count]) => `${count} ${words}`).join(', ');
  return shortenToUnits(text, OUTCOME_LENGTH_MAX);
}

export interface DreamView {
  readonly dream: SeenDream;
  /** The name in its tenantRef. */
  readonly tenantName: string;
  /** The MemoryTenant of that name in its namespace; null if there is none. */
  readonly tenant: KubernetesObject | null;
  /** The tenant id that callers use. */
  readonly tenantId: string;
  /** The tenant's own Ready condition. */
  readonly tenantReady: Condition | null;
  /** Whether the dream is within the number that a tenant may have. */
  readonly isHeard: boolean;
  /** As in the policy in the store; null if it is not there. */
  readonly applied: DreamPolicy | null;
  /** Its record in the store; null if there is none. */
  readonly schedule: ShownSchedule | null;
  /** Whether proposals of the tenant wait for a person. */
  readonly isWaiting: boolean;
  /** Limits of the platform. */
  readonly limits: PlatformLimits;
  /** Its own Ready condition until now. */
  readonly before: Condition | null;
}

interface DreamConditions extends Readonly<Record<'Ready' | 'Accepted', ConditionState>> {}

/**
 * Returns the conditions of a DeepDream: pure, from its resource, its tenant and the record of its
 * schedule.
 */
export function dreamConditions(view: DreamView): DreamConditions {
  const Accepted = accepted(view);
  return { Ready: firstUnmet([Accepted], working(view)), Accepted };
}

function accepted(view: DreamView): ConditionState {
  const { dream, tenant, tenantName, isHeard, applied } = view;
  const { namespace, name } = placeOfObject(dream.object);
  if (dream.reading.kind === 'Invalid') {
    const edit = `Fix it with: kubectl edit deepdream ${name} -n ${namespace}`;
    return conditionState(
      'False',
      'InvalidSpec',
      `${dream.reading.report} ${kept(applied)} ${edit}`,
    );
  }
  if (tenant === null || isDeleting(tenant.metadata)) return tenantNotFound(tenantName, namespace);
  if (!isHeard) {
    const message =
      `A tenant has at most ${DREAMS_PER_TENANT_MAX} DeepDreams, and as many are older than this ` +
      `one. Delete one of them: kubectl get deepdreams -n ${namespace}`;
    return conditionState('False', 'TooManyDreams', message);
  }
  return conditionState('True', 'Accepted', 'The resource is valid.');
}

function kept(applied: DreamPolicy | null): string {
  return applied === null ? 'None of it is applied.' : 'It dreams as it was last applied.';
}

function working(view: DreamView): ConditionState {
  const { dream, tenantName, applied, schedule } = view;
  const { namespace, name } = placeOfObject(dream.object);
  if (hasPausedAnnotation(dream.object.metadata)) {
    const command = `kubectl annotate deepdream ${name} -n ${namespace} ${PAUSED_ANNOTATION}-`;
    const message =
      `Changes are not applied. ${kept(applied)} Resume with: ${command}; or, to stop dreaming: ` +
      `kubectl delete deepdream ${name} -n ${namespace}`;
    return conditionState('False', 'Paused', message);
  }
  if (schedule === null || !isInForce(view)) {
    const why = unreadyReason(view.tenantReady);
    const look = `kubectl describe memorytenant ${tenantName} -n ${namespace}`;
    const message = `MemoryTenant ${tenantName} has not applied it yet${why}: ${look}`;
    return conditionState('False', 'TenantNotReady', message);
  }
  if (schedule.nextAt === null) {
    const edit = `kubectl edit deepdream ${name} -n ${namespace}`;
    const message = `spec.cron never matches a date. Fix it with: ${edit}`;
    return conditionState('False', 'NeverComes', message);
  }
  return lastRound(view, schedule) ?? scheduled(view, schedule);
}

function isInForce({ dream: { reading }, applied, limits }: DreamView): boolean {
  if (reading.kind === 'Invalid') return false;
  return isDeepStrictEqual(classWithin(compileDream(reading.resource), limits), applied);
}

const FAILED = 'LastDreamFailed';
const UNPAID = 'BudgetExhausted';
const GIVEN_UP = 'DeadLettered';
const TROUBLES: ReadonlySet<string> = new Set([FAILED, UNPAID, GIVEN_UP]);

const FAILED_TEXT = 'Dreams of the last run failed; unread blocks are retried in the next run.';
const UNPAID_TEXT =
  'The budget of the tenant did not allow dreams of the last run; the next run retries them.';

/**
 * Returns what failed in a round; null if nothing did. Also null if the failure has no code: the
 * record is of an earlier version, or the model could not use the content.
 */
function roundError({ outcomes, failureCode }: ShownRound): LastError | null {
  if ((outcomes.Failed ?? 0) > 0 && failureCode !== undefined) {
    return { code: failureCode, message: FAILED_TEXT };
  }
  const isUnpaid = (outcomes.BudgetExhausted ?? 0) > 0;
  return isUnpaid ? { code: 'BUDGET_EXHAUSTED', message: UNPAID_TEXT } : null;
}

/** Returns a condition if the last round had a problem, else null. */
function lastRound(
  { tenantId, before }: DreamView,
  { last }: ShownSchedule,
): ConditionState | null {
  if (last === null) return null;
  const { Failed = 0, BudgetExhausted = 0, DeadLettered = 0 } = last.outcomes;
  if (Failed > 0) {
    return conditionState('False', FAILED, `${FAILED_TEXT} ${runsThat('Failed', tenantId)}`);
  }
  if (BudgetExhausted > 0) {
    const show = `varve budget show --tenant ${tenantId} shows what was spent.`;
    return conditionState('False', UNPAID, `${UNPAID_TEXT} ${WHO_RUNS_COMMANDS}: ${show}`);
  }
  if (DeadLettered > 0) {
    const message =
      'Dreams of some subjects produced nothing three times. They dream again once there is ' +
      'more; blocks that the model got nothing out of are set aside, as their diaries say.';
    return conditionState('False', GIVEN_UP, `${message} ${runsThat('DeadLettered', tenantId)}`);
  }
  // A round that still runs does not show yet whether an earlier failure is fixed.
  const isOpen = last.endedAt === null && before !== null && TROUBLES.has(before.reason);
  return isOpen ? before : null;
}

function runsThat(phase: string, tenantId: string): string {
  const query = `WorkflowType = "dream" AND Tenant = "${tenantId}" AND Phase = "${phase}"`;
  return `Platform admin, to see which and why: temporal workflow list --query '${query}'`;
}

function scheduled(
  { tenantId, isWaiting, limits }: DreamView,
  { last }: ShownSchedule,
): ConditionState {
  const { leastIntervalMs: leastMs } = limits;
  const least =
    leastMs === null ? '' : `, at least ${formatDuration(leastMs)} apart (limit of the platform)`;
  const when = `Dreams run as cron says${least}; status.nextDreamTime says when the next ones do.`;
  if (!isWaiting || (last?.outcomes.Waiting ?? 0) === 0)
    return conditionState('True', 'Scheduled', when);
  const message =
    `${when} Proposals wait for approval. ` +
    `${WHO_RUNS_COMMANDS}: varve dream list --tenant ${tenantId} --waiting`;
  return conditionState('True', 'Scheduled', message);
}
