/**
 * Apply: enforces the plan of a folder in the store, with the steps of the cluster. The last of
 * three steps.
 *
 * Flow: providers → for each tenant policy, event, limits of the current period, dreams, due marks,
 * refresh request → tenants whose file is gone.
 * Guarantees: a repetition writes nothing once everything is done; the next run repairs a crash in
 * between, since it checks every step even if the policy is in place; a signal ends the run soon,
 * and the next run does the rest.
 */
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { embeddingProvider, PROVIDERS_MAX } from '#core/records/model-provider.ts';
import { NO_OPERATOR_METRICS } from '#core/ports/metrics.ts';
import type { Store } from '#core/ports/store.ts';
import { applyPolicy } from '../cluster/apply-tenant.ts';
import { cleanUpStore, release, type CleanedUp } from '../cluster/clean-up-tenant.ts';
import { NO_REFRESHES } from '../cluster/cluster-operator.ts';
import type { SharedContext } from '../cluster/cluster-context.ts';
import type { Leadership } from '../cluster/leader-fence.ts';
import { applyProvider, removeLeftOver } from '../cluster/reconcile-provider.ts';
import type { EventRecorder } from '../event-recorder.ts';
import { EnforcedPolicies } from '../tenant/enforced-policies.ts';
import type { Outcome, ProviderOutcome } from './outcome-text.ts';
import type { Action, Plan, ProviderAction } from './plan-folder.ts';

interface Applied {
  /** In the order of the plan, without those that a signal left undone. */
  readonly outcomes: readonly Outcome[];
  readonly providers: readonly ProviderOutcome[];
  /** Keys of removed resources whose release is recorded; the store knows what is left to do. */
  readonly released: { readonly tenants: readonly string[]; readonly providers: readonly string[] };
}

interface Run {
  readonly context: FolderContext;
  /** Once it is aborted, no further tenant is begun, and the current one ends soon. */
  readonly signal: AbortSignal;
}

/**
 * Applies one resource after the other. A failure is an outcome and does not hold up the others.
 */
export async function applyPlan(plan: Plan, run: Run): Promise<Applied> {
  const ofProviders = await applyProviders(plan.providers, run);
  const ofTenants = await applyTenants(plan.tenants, run);
  return {
    outcomes: ofTenants.outcomes,
    providers: ofProviders.outcomes,
    released: { tenants: ofTenants.released, providers: ofProviders.released },
  };
}

async function applyProviders(actions: readonly ProviderAction[], run: Run) {
  const [outcomes, released]: [ProviderOutcome[], string[]] = [[], []];
  for (const action of actions) {
    if (run.signal.aborted) break;
    const { provider } = action;
    const outcome = await orFailed<ProviderOutcome>(
      () => applyToProvider(action, run),
      (failure) => ({ ...failure, provider }),
    );
    outcomes.push(outcome);
    if (action.kind === 'Remove' && outcome.kind === 'Removed') released.push(action.key);
  }
  return { outcomes: await withSuperseded(outcomes, run), released };
}

/**
 * Marks accepted providers whose embedding model another one supersedes. Called once all of the
 * folder are applied, since each may declare one.
 */
async function withSuperseded(
  outcomes: readonly ProviderOutcome[],
  { context: { store } }: Run,
): Promise<readonly ProviderOutcome[]> {
  if (!outcomes.some(isInForce)) return outcomes;
  const records = await store.modelProviders.list(PROVIDERS_MAX);
  const used = embeddingProvider(records);
  const declaring = new Set(
    records.flatMap(({ name, provider }) =>
      provider.openai?.embedding === undefined ? [] : [name],
    ),
  );
  return outcomes.map((outcome): ProviderOutcome => {
    const { provider } = outcome;
    if (!isInForce(outcome) || !declaring.has(provider)) return outcome;
    if (used === null || used.name === provider) return outcome;
    return { kind: 'Superseded', provider, by: used.name };
  });
}

function isInForce({ kind }: ProviderOutcome): boolean {
  return kind === 'Applied' || kind === 'Kept';
}

async function applyTenants(actions: readonly Action[], run: Run) {
  const [outcomes, released]: [Outcome[], string[]] = [[], []];
  for (const action of actions) {
    if (run.signal.aborted) break;
    const { tenant } = action;
    if (action.kind === 'Forget') {
      released.push(action.key);
      continue;
    }
    const outcome = await orFailed<Outcome>(
      () => applyToTenant(action, run),
      (failure) => ({ ...failure, tenant }),
    );
    outcomes.push(outcome);
    if (action.kind === 'Release' && outcome.kind !== 'Failed') released.push(action.key);
  }
  return { outcomes, released };
}

interface Failure {
  readonly kind: 'Failed';
  readonly code: ErrorCode;
  readonly message: string;
}

async function orFailed<T>(work: () => Promise<T>, failed: (failure: Failure) => T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    const { code, message } = error;
    return failed({ kind: 'Failed', code, message });
  }
}

async function applyToTenant(
  action: Exclude<Action, { kind: 'Forget' }>,
  run: Run,
): Promise<Outcome> {
  const { tenant } = action;
  if ('endsErasure' in action && action.endsErasure !== null) {
    const { owner, generation } = action.endsErasure;
    await release({ tenant, owner, generation }, run.context);
  }
  if (action.kind === 'Declared') return applyDeclared(action, run);
  if (action.kind === 'HeldByPause') return { kind: 'Paused', tenant, isDeclared: false };
  run.context.enforcedPolicies.delete(tenant);
  if (action.kind === 'Orphan') return { kind: 'Orphaned', tenant, owner: action.owner };
  return cleanedUp(await cleanUpStore(action.plan, run), action);
}

async function applyDeclared(
  { tenant, seen, plan }: Extract<Action, { kind: 'Declared' }>,
  run: Run,
): Promise<Outcome> {
  const { enforcedPolicies } = run.context;
  if (plan.kind === 'Paused') return { kind: 'Paused', tenant, isDeclared: true };
  if (plan.kind === 'Claimed') {
    enforcedPolicies.delete(tenant);
    return { kind: 'Refused', tenant, owner: plan.owner };
  }
  if (plan.kind !== 'Apply' && plan.kind !== 'Keep') throw notOfAFolder(plan.kind);
  const applied = await applyPolicy(seen, plan, run);
  const { outcome, record, carried, drift } = applied;
  if (outcome.kind === 'Claimed') return { kind: 'Refused', tenant, owner: outcome.owner };
  const { rescheduled, isRefreshRequested } = carried;
  const done = { tenant, rescheduled, isRefreshRequested, drift };
  if (!applied.isNew || plan.kind === 'Keep' || record === null) return { kind: 'Kept', ...done };
  const { generation } = record;
  return { kind: 'Applied', generation, reason: plan.reason, ...done };
}

/**
 * Returns the error for an outcome that a folder cannot have: it is read whole or not at all, and
 * has no platform limits.
 */
function notOfAFolder(kind: string): VarveError {
  return new VarveError('INVALID_INPUT', `A resource of a folder cannot be ${kind}.`);
}

function cleanedUp(
  done: CleanedUp,
  { tenant, plan }: Extract<Action, { kind: 'Release' }>,
): Outcome {
  if (done.kind === 'Released') {
    return { kind: 'Released', tenant, erasesAt: plan.erasesAt ?? null };
  }
  if (done.kind === 'Erased') return { kind: 'Erased', tenant };
  return { kind: 'Erasing', tenant, deleted: done.kind === 'Erasing' ? done.deleted : null };
}

async function applyToProvider(action: ProviderAction, { context }: Run): Promise<ProviderOutcome> {
  const { provider } = action;
  if (action.kind === 'Remove') {
    await removeLeftOver(action.key, context);
    return { kind: 'Removed', provider };
  }
  const { object, record } = action;
  const applied = await applyProvider(object, { plan: action.plan, record }, context);
  const { plan } = applied;
  if (plan.kind === 'Paused') return { kind: 'Paused', provider };
  if (plan.kind === 'Claimed') return { kind: 'NameClaimed', provider, owner: plan.owner };
  if (plan.kind === 'WrongNamespace') {
    return { kind: 'WrongNamespace', provider, heardIn: context.releaseNamespace };
  }
  if (plan.kind === 'Invalid') throw notOfAFolder(plan.kind);
  if (applied.record?.generation === record?.generation) return { kind: 'Kept', provider };
  return { kind: 'Applied', provider };
}

type PolicyStore = Pick<
  Store,
  | 'policies'
  | 'modelProviders'
  | 'accounts'
  | 'scopes'
  | 'refreshRequests'
  | 'events'
  | 'dreamSchedules'
  | 'eraseTenant'
>;

type FolderContext = Omit<SharedContext, 'store'> & {
  readonly store: PolicyStore;
  readonly timers: { readonly random: () => number };
};

type Defaulted = 'enforcedPolicies' | 'erased' | 'refreshes' | 'metrics';

export interface FolderParts
  extends
    Omit<FolderContext, Defaulted | 'timers' | 'recorder' | 'leadership'>,
    // Without `refreshes`, only the tick finds what is due.
    Partial<Pick<FolderContext, Defaulted>> {}

/** Makes the context of the steps that a folder shares with a cluster. */
export function folderContext(parts: FolderParts): FolderContext {
  const { enforcedPolicies = new EnforcedPolicies(), refreshes = NO_REFRESHES } = parts;
  const { metrics = NO_OPERATOR_METRICS, erased = new Map<string, number>() } = parts;
  return {
    ...parts,
    enforcedPolicies,
    refreshes,
    metrics,
    recorder: NO_EVENTS,
    leadership: ALONE,
    erased,
    timers: TOGETHER,
  };
}

/** The outcomes, which are logged, say what happened to each resource. */
const NO_EVENTS: EventRecorder = { record: () => undefined, flush: () => Promise.resolve() };
/** A folder has no leader and writes with epoch 0 (docs/decisions/0048). */
const ALONE: Leadership = { isLeader: () => true, epoch: () => 0, lose: () => undefined };
/** No other process checks the tenants of a folder, so they need not be spread. */
const TOGETHER = { random: () => 0 };
