/**
 * Workflow: refreshes the summaries of one tenant, then ends.
 *
 * Flow: read the window → wait until it closes → claim, summarize, commit → again, until nothing is
 * due → acknowledge as the last act → complete. After a few rounds it continues as new.
 * Guarantees: all pending work is in the store, so any run may be terminated or reset; a refresh
 * request at any moment, also during completion, leads to another look.
 */
import {
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
  workflowInfo,
  proxyActivities,
} from '@temporalio/workflow';
import { addTotals } from '#core/add-totals.ts';
import type { ErrorCode } from '#core/error-codes.ts';
import * as contract from '#core/refresh/refresh-contract.ts';
import { refreshRound } from '#core/refresh/refresh-round.ts';
import {
  codeOf,
  ANSWER_RETRY_POLICY,
  MODEL_CALLS,
  TICK_CALLS,
  timeoutsOf,
} from './activity-retry-policies.ts';
import { showPhase } from './temporal-ui.ts';

/** Maximum readings of the window in one run; signals may move it repeatedly before a claim. */
const READINGS_PER_RUN_MAX = 100;
/** Pause after a round that found due scopes but made no progress. */
const NO_PROGRESS_PAUSE_MS = 5_000;

/** A run, with what it did of what it may do before it continues as new. */
interface Run {
  readonly tenant: string;
  readonly activities: contract.RefreshActivities;
  readonly state: RunState;
  readonly urgency: Urgency;
  rounds: number;
  readings: number;
}

/** Returns what this run and the runs that it continues did. */
export async function tenantRefresh(
  input: contract.TenantRefreshInput,
): Promise<contract.RefreshTotals> {
  const { tenant, settings } = input;
  const state = initialState(input);
  handleSignals(state);
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
    if (isRefreshPaused(state)) {
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
 * Waits on one timer until the window closes. False if a message may have moved the end: then the
 * window is read again. An urgent window ends before any other, so messages do not move it, and
 * deleting many memories does not read the window once for each.
 */
async function windowClosed(
  { tenant, state }: Run,
  window: contract.WindowReading,
  seen: number,
): Promise<boolean> {
  if (window.kind === 'Idle' || state.openClaims.length > 0) return true;
  const { pending, layers, closesInMs, urgent } = window;
  state.status = { ...state.status, phase: 'Waiting', pending, layers };
  showPhase(tenant, state.status);
  const moved = (): boolean =>
    state.flush !== null || isRefreshPaused(state) || (!urgent && state.messages > seen);
  if (closesInMs > 0) await condition(moved, closesInMs);
  if (isRefreshPaused(state)) return false;
  return state.flush !== null || closesInMs === 0 || !moved();
}

function urgencyOf({ flush }: RunState, window: contract.WindowReading): Urgency['kind'] {
  if (flush !== null) return 'Asked';
  return window.kind === 'Open' && window.urgent ? 'Urgent' : 'Usual';
}

/** False if the round made no progress: another process holds what is due. */
async function runRound(run: Run): Promise<boolean> {
  const { tenant, activities, state } = run;
  const { openClaims } = state;
  // First finish what a pause left over; a caller that requests a claim waits for the next round.
  const isNew = openClaims.length === 0;
  const kind = (isNew ? state.flush : null) ?? 'Closed';
  const flushes = isNew ? state.flushesAsked : state.flushesServed;
  const codes: ErrorCode[] = [];
  if (isNew) state.flush = null;
  state.openClaims = [];
  // A new claim takes what turned urgent before it.
  if (isNew) takeUrgent(state);
  state.status = { ...state.status, phase: 'Claiming' };
  const totals = await refreshRound(activities, {
    tenant,
    // This id survives a reset of the run, so that a repeated claim finds what it took before.
    claimId: `${workflowInfo().originalExecutionRunId}/${String(run.rounds)}`,
    openClaims,
    kind,
    codeOf,
    takeUrgent: () => takeUrgent(state),
    isPaused: () => isRefreshPaused(state),
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
  before: contract.BudgetState,
  { modelCalls }: contract.RefreshTotals,
  codes: readonly ErrorCode[],
): contract.BudgetState {
  if (codes.includes('BUDGET_EXHAUSTED')) return 'Exhausted';
  return modelCalls > 0 ? 'Available' : before;
}

function hasProgress(totals: contract.RefreshTotals): boolean {
  const { generated, emptied, unchanged, refused, advanced } = totals;
  return generated + emptied + unchanged + refused + advanced > 0;
}

/** Waits a little, or for a message: another process holds what is due. */
async function pauseAfterNothing(state: RunState): Promise<void> {
  const seen = state.messages;
  await condition(() => state.messages > seen, NO_PROGRESS_PAUSE_MS);
}

/** True if nothing is pending and no message came in since the window was read. */
async function mayEnd(
  { tenant, activities, state }: Run,
  { wanted, seen }: { wanted: number; seen: number },
): Promise<boolean> {
  state.status = { ...state.status, phase: 'Acknowledging', pending: 0 };
  showPhase(tenant, state.status);
  const acknowledged = await activities.acknowledge({ tenant, seen: wanted });
  return acknowledged && state.messages === seen;
}

const staleSignal = defineSignal<[contract.StaleMessage]>(contract.STALE_SIGNAL);
const pauseSignal = defineSignal<[contract.PauseMessage]>(contract.PAUSE_SIGNAL);
const resumeSignal = defineSignal(contract.RESUME_SIGNAL);
const flushNowUpdate = defineUpdate<readonly string[], [contract.FlushMessage]>(
  contract.FLUSH_NOW_UPDATE,
);
const statusQuery = defineQuery<contract.RefreshStatus>(contract.STATUS_QUERY);

/** What messages change while the main loop waits or works. */
interface RunState {
  status: contract.RefreshStatus;
  pausedUntil: number;
  /** When work that turned urgent is due; null if none was announced since the last claim. */
  urgentAt: number | null;
  /** Raised by every signal, so that a run that is about to end looks once more. */
  messages: number;
  flush: contract.FlushKind | null;
  /** Calls of flushNow that came, and how many of them a claim has answered. */
  flushesAsked: number;
  flushesServed: number;
  /** The batch ids of the last claim. */
  claimed: readonly string[];
  /** Claims with batches that a pause left. */
  openClaims: readonly string[];
}

/** The state at the start of a run. Handlers of messages only change this state; the run acts. */
function initialState(input: contract.TenantRefreshInput): RunState {
  const { totals, pausedUntil, budget, openClaims } = input;
  return {
    status: {
      phase: 'Waiting',
      budget: budget ?? 'Available',
      pending: 0,
      layers: [],
      totals: totals ?? contract.NO_TOTALS,
      lastError: null,
    },
    pausedUntil: pausedUntil ?? 0,
    urgentAt: null,
    messages: 0,
    flush: null,
    flushesAsked: 0,
    flushesServed: 0,
    claimed: [],
    openClaims: openClaims ?? [],
  };
}

/** People send signals too, so a message may lack fields; it must not hang the run. */
function handleSignals(state: RunState): void {
  setHandler(staleSignal, (message: Partial<contract.StaleMessage> = {}) => {
    state.messages += 1;
    if (message.urgent !== true) return;
    const at = Date.now() + (message.closesInMs ?? 0);
    state.urgentAt = Math.min(state.urgentAt ?? at, at);
  });
  setHandler(pauseSignal, ({ forMs }: contract.PauseMessage = {}) => {
    state.messages += 1;
    state.pausedUntil = Date.now() + (isLength(forMs) ? forMs : contract.PAUSE_MS);
  });
  setHandler(resumeSignal, () => {
    state.messages += 1;
    state.pausedUntil = 0;
  });
  setHandler(statusQuery, () => state.status);
  setHandler(flushNowUpdate, (message) => flush(state, message), { validator: validateFlush });
}

function isRefreshPaused({ pausedUntil }: RunState): boolean {
  return pausedUntil > Date.now();
}

/** True once for the urgent work that is due by now. */
function takeUrgent(state: RunState): boolean {
  if (state.urgentAt === null || state.urgentAt > Date.now()) return false;
  state.urgentAt = null;
  return true;
}

/** Returns the ids of the batches of the next claim. */
async function flush(state: RunState, { kind }: contract.FlushMessage): Promise<readonly string[]> {
  state.messages += 1;
  // A claim of every stale scope serves those who asked for the due ones too.
  state.flush = state.flush === 'Stale' ? 'Stale' : kind;
  state.flushesAsked += 1;
  const asked = state.flushesAsked;
  await condition(() => state.flushesServed >= asked);
  return state.claimed;
}

function validateFlush(message: Partial<contract.FlushMessage> | undefined): void {
  if (message?.kind === 'Due' || message?.kind === 'Stale') return;
  throw new TypeError('flushNow takes {"kind": "Due"} or {"kind": "Stale"}.');
}

function isLength(forMs: unknown): forMs is number {
  return typeof forMs === 'number' && Number.isFinite(forMs) && forMs >= 0;
}

// Workflow of a schedule, every minute: finds what a lost refresh request missed and what time
// alone made due. It keeps no state, so the next tick makes up for a failed one.

/** Returns how many tenants it requested a refresh for. */
export async function refreshTick(): Promise<{ readonly requested: number }> {
  return { requested: await tickActivities.requestDueRefreshes() };
}

/** Why a round is made; changed by the run between its rounds. */
interface Urgency {
  kind: 'Asked' | 'Urgent' | 'Usual';
}

/** From 1 (first) to 5 (last), if the server supports priorities. A person waits for `Asked`. */
const PRIORITY = { Asked: 1, Urgent: 2, Usual: 3 } as const satisfies Record<
  Urgency['kind'],
  number
>;

function refreshActivities(
  settings: contract.RefreshSettings,
  urgency: Urgency,
): contract.RefreshActivities {
  const timeouts = timeoutsOf(settings);
  const store = proxyActivities<contract.RefreshActivities>({
    ...timeouts,
    retry: ANSWER_RETRY_POLICY,
  });
  const model = proxyActivities<Pick<contract.RefreshActivities, 'summarizeBatch'>>({
    ...timeouts,
    ...MODEL_CALLS,
  });
  const claimed = new Map<string, contract.ClaimedBatch>();
  const options = (batchId: string) => {
    const batch = claimed.get(batchId);
    const priority = { priorityKey: PRIORITY[urgency.kind] };
    return batch === undefined ? { priority } : { priority, summary: summaryOf(batch) };
  };
  return {
    readWindow: (input) => store.readWindow(input),
    claimBatches: async (input) => {
      const report = await store.claimBatches(input);
      for (const batch of report.batches) claimed.set(batch.batchId, batch);
      return report;
    },
    summarizeBatch: (input) =>
      model.summarizeBatch.executeWithOptions(options(input.batchId), [input]),
    commitBatch: (input) => store.commitBatch.executeWithOptions(options(input.batchId), [input]),
    releaseBatch: (input) => store.releaseBatch(input),
    acknowledge: (input) => store.acknowledge(input),
  };
}

/** One line of the UI: layers and counts, never which scope. */
function summaryOf({ layers, items, sourceTokens, model }: contract.ClaimedBatch): string {
  const scopes = items === 1 ? '1 scope' : `${String(items)} scopes`;
  return `${scopes} of ${layers.join(', ')}; ${String(sourceTokens)} tokens; ${model}`;
}

const tickActivities = proxyActivities<contract.TickActivities>({
  ...TICK_CALLS,
  startToCloseTimeout: '1 minute',
});
