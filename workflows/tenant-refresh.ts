/**
 * Workflow: refreshes the summaries of one tenant, then ends.
 *
 * Flow: read the window → wait until it closes → claim, summarize, commit → again, until nothing is
 * due → acknowledge as the last act → complete. After a few rounds it continues as new.
 * Guarantees: everything pending lies in the store, so any run may be terminated or reset; a
 * refresh request that comes at any moment, also during completion, leads to another look.
 */
import { allHandlersFinished, condition, continueAsNew, workflowInfo } from '@temporalio/workflow';
import {
  addTotals,
  type BudgetState,
  type RefreshActivities,
  type RefreshTotals,
  type TenantRefreshInput,
  type WindowReading,
} from '#core/refresh/refresh-contract.ts';
import type { ErrorCode } from '#core/errors.ts';
import { refreshRound } from '#core/refresh/refresh-round.ts';
import { codeOf } from './activity-retries.ts';
import { refreshActivities, type Urgency } from './refresh-activities.ts';
import { initialState, isPaused, listen, takeUrgent, type RunState } from './refresh-messages.ts';
import { showPhase } from './visibility.ts';

/** Looks at the window in one run; signals may move it again and again while nothing is claimed. */
const READINGS_PER_RUN_MAX = 100;
/** Pause after a round that found due scopes and brought none of them on. */
const NO_PROGRESS_PAUSE_MS = 5_000;

/** What a run has done of what it may do before it continues as new. */
interface Run {
  readonly tenant: string;
  readonly activities: RefreshActivities;
  readonly state: RunState;
  readonly urgency: Urgency;
  rounds: number;
  readings: number;
}

/** Answers what the run and the runs before it did. */
export async function tenantRefresh(input: TenantRefreshInput): Promise<RefreshTotals> {
  const { tenant, settings } = input;
  const state = initialState(input);
  listen(state);
  const urgency: Urgency = { kind: 'Usual' };
  const activities = refreshActivities(settings, urgency);
  const run: Run = { tenant, activities, state, urgency, rounds: 0, readings: 0 };
  const mayGoOn = (): boolean =>
    run.rounds < settings.roundsMax &&
    run.readings < READINGS_PER_RUN_MAX &&
    !workflowInfo().continueAsNewSuggested;
  // A caller of flushNow waits for a claim, so the run goes on until it had one.
  while (mayGoOn() || !allHandlersFinished()) {
    run.readings += 1;
    if (isPaused(state)) {
      await pauseStep(run);
      continue;
    }
    const seen = state.messages;
    const window = await activities.readWindow({ tenant });
    if (window.kind === 'Idle' && state.flush === null && state.openClaims.length === 0) {
      if (await mayEnd(run, { wanted: window.wanted, seen })) return state.status.totals;
      run.rounds += 1;
      continue;
    }
    if (!(await windowClosed(run, window, seen))) continue;
    urgency.kind = urgencyOf(state, window);
    if (!(await runRound(run))) await pauseAfterNothing(state);
  }
  const { pausedUntil, openClaims } = state;
  const { totals, budget } = state.status;
  const carried = { pausedUntil, totals, budget, openClaims };
  return continueAsNew<typeof tenantRefresh>({ tenant, settings, ...carried });
}

/** Waits for the end of the pause or for the next message, which may end it. */
async function pauseStep({ tenant, state }: Run): Promise<void> {
  state.status = { ...state.status, phase: 'Paused' };
  showPhase(tenant, state.status);
  const seen = state.messages;
  await condition(() => state.messages > seen, state.pausedUntil - Date.now());
}

/**
 * One timer against a fixed end; false where something came in that may move the end: then the
 * window is read again. An urgent window ends before every other, so that a clean-up of many
 * memories does not read it once for each.
 */
async function windowClosed(
  { tenant, state }: Run,
  window: WindowReading,
  seen: number,
): Promise<boolean> {
  if (window.kind === 'Idle' || state.openClaims.length > 0) return true;
  const { pending, layers, closesInMs, urgent } = window;
  state.status = { ...state.status, phase: 'Waiting', pending, layers };
  showPhase(tenant, state.status);
  const moved = (): boolean =>
    state.flush !== null || isPaused(state) || (!urgent && state.messages > seen);
  if (closesInMs > 0) await condition(moved, closesInMs);
  if (isPaused(state)) return false;
  return state.flush !== null || closesInMs === 0 || !moved();
}

function urgencyOf({ flush }: RunState, window: WindowReading): Urgency['kind'] {
  if (flush !== null) return 'Asked';
  return window.kind === 'Open' && window.urgent ? 'Urgent' : 'Usual';
}

/** False where the round brought nothing on: what is due is held by somebody else. */
async function runRound(run: Run): Promise<boolean> {
  const { tenant, activities, state } = run;
  const { openClaims } = state;
  // What a pause left is finished first: whoever asked for a claim waits for the one after it.
  const isNew = openClaims.length === 0;
  const kind = (isNew ? state.flush : null) ?? 'Closed';
  const flushes = isNew ? state.flushesAsked : state.flushesServed;
  const codes: ErrorCode[] = [];
  if (isNew) state.flush = null;
  state.openClaims = [];
  // What turned urgent before a new claim is taken by it.
  if (isNew) takeUrgent(state);
  state.status = { ...state.status, phase: 'Claiming' };
  const totals = await refreshRound(activities, {
    tenant,
    // Survives a reset of this run, so that a repeated claim finds what it took before.
    claimId: `${workflowInfo().originalExecutionRunId}/${String(run.rounds)}`,
    openClaims,
    kind,
    codeOf,
    takeUrgent: () => takeUrgent(state),
    isPaused: () => isPaused(state),
    onClaimed: (batches) => {
      state.flushesServed = flushes;
      state.claimed = batches.map((batch) => batch.batchId);
      state.status = { ...state.status, phase: 'Summarizing', pending: batches.length };
      showPhase(tenant, state.status);
    },
    onFailure: (lastError) => {
      codes.push(lastError);
      state.status = { ...state.status, lastError };
    },
    onLeft: (left) => {
      state.openClaims = left;
    },
  });
  run.rounds += 1;
  const budget = budgetAfter(state.status.budget, totals, codes);
  state.status = { ...state.status, budget, totals: addTotals(state.status.totals, totals) };
  return state.openClaims.length > 0 || codes.length > 0 || hasProgress(totals);
}

function budgetAfter(
  before: BudgetState,
  { modelCalls }: RefreshTotals,
  codes: readonly ErrorCode[],
): BudgetState {
  if (codes.includes('BUDGET_EXHAUSTED')) return 'Exhausted';
  return modelCalls > 0 ? 'Available' : before;
}

function hasProgress(totals: RefreshTotals): boolean {
  const { generated, emptied, unchanged, refused, advanced } = totals;
  return generated + emptied + unchanged + refused + advanced > 0;
}

/** Somebody else holds what is due: look again soon, not at once. */
async function pauseAfterNothing(state: RunState): Promise<void> {
  const seen = state.messages;
  await condition(() => state.messages > seen, NO_PROGRESS_PAUSE_MS);
}

/** True where nothing is owed and no message came in since the window was read. */
async function mayEnd(
  { tenant, activities, state }: Run,
  { wanted, seen }: { wanted: number; seen: number },
): Promise<boolean> {
  state.status = { ...state.status, phase: 'Acknowledging', pending: 0 };
  showPhase(tenant, state.status);
  const acknowledged = await activities.acknowledge({ tenant, seen: wanted });
  return acknowledged && state.messages === seen;
}
