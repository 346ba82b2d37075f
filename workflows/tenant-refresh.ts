/**
 * Workflow: refreshes the summaries of one tenant, then ends.
 *
 * Flow: read the window → wait until it closes → claim, summarise, commit → again, until nothing is
 * due → acknowledge as the last act → complete. After a few rounds it continues as new.
 * Guarantees: everything owed lies in the store, so any run may be terminated or reset; a wake that
 * comes at any moment, also during completion, leads to another look.
 */
import {
  ApplicationFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  isCancellation,
  setHandler,
  workflowInfo,
  ActivityFailure,
} from '@temporalio/workflow';
import {
  addTotals,
  FLUSH_NOW_UPDATE,
  NO_TOTALS,
  PAUSE_SIGNAL,
  RESUME_SIGNAL,
  STALE_SIGNAL,
  STATUS_QUERY,
  type ClaimKind,
  type FlushMessage,
  type PauseMessage,
  type RefreshActivities,
  type RefreshStatus,
  type RefreshTotals,
  type StaleMessage,
  type TenantRefreshInput,
  type WindowReading,
} from '#core/contract.ts';
import { isErrorCode, type ErrorCode } from '#core/errors.ts';
import { refreshRound } from '#core/refresh-round.ts';
import { refreshActivities } from './refresh-activities.ts';
import { showPhase } from './visibility.ts';

/** Looks at the window in one run; signals may move it again and again while nothing is claimed. */
const READINGS_PER_RUN_MAX = 100;
/** Pause after a round that found due scopes and could claim none. */
const NOTHING_CLAIMED_PAUSE_MS = 5_000;

export const staleSignal = defineSignal<[StaleMessage]>(STALE_SIGNAL);
export const pauseSignal = defineSignal<[PauseMessage]>(PAUSE_SIGNAL);
export const resumeSignal = defineSignal(RESUME_SIGNAL);
export const flushNowUpdate = defineUpdate<readonly string[], [FlushMessage]>(FLUSH_NOW_UPDATE);
export const statusQuery = defineQuery<RefreshStatus>(STATUS_QUERY);

/** What messages change while the main loop waits or works. */
interface RunState {
  status: RefreshStatus;
  pausedUntil: number;
  /** Raised by every signal, so that a run that is about to end looks once more. */
  messages: number;
  flush: ClaimKind | null;
  /** Calls of flushNow that came, and how many of them a claim has answered. */
  flushesAsked: number;
  flushesServed: number;
  /** The batch ids of the last claim. */
  claimed: readonly string[];
}

/** Answers what the run and the runs before it did. */
export async function tenantRefresh(input: TenantRefreshInput): Promise<RefreshTotals> {
  const { tenant, settings } = input;
  const state = initialState(input);
  listen(state);
  const activities = refreshActivities(settings);
  let rounds = 0;
  let readings = 0;
  const mayGoOn = (): boolean => rounds < settings.roundsMax && readings < READINGS_PER_RUN_MAX;
  // A caller of flushNow waits for a claim, so the run goes on until it had one.
  while (mayGoOn() || !allHandlersFinished()) {
    readings += 1;
    await whilePaused(state, tenant);
    const seen = state.messages;
    const window = await activities.readWindow({ tenant });
    if (window.kind === 'Idle' && state.flush === null) {
      if (await mayEnd(activities, state, { tenant, wanted: window.wanted, seen })) {
        return state.status.totals;
      }
      rounds += 1;
      continue;
    }
    if (!(await windowClosed(state, window, { tenant, seen }))) continue;
    const { batches, unchanged, emptied } = await runRound(activities, state, {
      tenant,
      round: rounds,
    });
    rounds += 1;
    if (batches + unchanged + emptied === 0) await pauseAfterNothing(state);
  }
  return continueAsNew<typeof tenantRefresh>({
    tenant,
    settings,
    pausedUntil: state.pausedUntil,
    totals: state.status.totals,
  });
}

function initialState({ totals, pausedUntil }: TenantRefreshInput): RunState {
  return {
    status: {
      phase: 'Waiting',
      pending: 0,
      layers: [],
      totals: totals ?? NO_TOTALS,
      lastError: null,
    },
    pausedUntil: pausedUntil ?? 0,
    messages: 0,
    flush: null,
    flushesAsked: 0,
    flushesServed: 0,
    claimed: [],
  };
}

/** Handlers only note what came; the main loop does the work. What is urgent, the store says. */
function listen(state: RunState): void {
  setHandler(staleSignal, () => {
    state.messages += 1;
  });
  setHandler(pauseSignal, ({ forMs }) => {
    state.messages += 1;
    state.pausedUntil = Date.now() + forMs;
  });
  setHandler(resumeSignal, () => {
    state.messages += 1;
    state.pausedUntil = 0;
  });
  setHandler(statusQuery, () => state.status);
  setHandler(flushNowUpdate, async ({ kind }) => {
    state.messages += 1;
    // A claim of every stale scope serves those who asked for the due ones too.
    state.flush = state.flush === 'Stale' ? 'Stale' : kind;
    state.flushesAsked += 1;
    const asked = state.flushesAsked;
    await condition(() => state.flushesServed >= asked);
    return state.claimed;
  });
}

async function whilePaused(state: RunState, tenant: string): Promise<void> {
  while (isPaused(state)) {
    state.status = { ...state.status, phase: 'Paused' };
    showPhase(tenant, state.status);
    const seen = state.messages;
    const left = state.pausedUntil - Date.now();
    await condition(() => state.messages > seen, left);
  }
}

/**
 * One timer against a fixed end; false where something came in that may move the end: then the
 * window is read again. An urgent window ends before every other, so that a clean-up of many
 * memories does not read it once for each.
 */
async function windowClosed(
  state: RunState,
  window: WindowReading,
  { tenant, seen }: { tenant: string; seen: number },
): Promise<boolean> {
  if (window.kind === 'Idle') return true;
  const { pending, layers, closesInMs, urgent } = window;
  state.status = { ...state.status, phase: 'Waiting', pending, layers };
  showPhase(tenant, state.status);
  const moved = (): boolean =>
    state.flush !== null || isPaused(state) || (!urgent && state.messages > seen);
  if (closesInMs > 0) await condition(moved, closesInMs);
  if (isPaused(state)) return false;
  return state.flush !== null || closesInMs === 0 || !moved();
}

function isPaused({ pausedUntil }: RunState): boolean {
  return pausedUntil > Date.now();
}

async function runRound(
  activities: RefreshActivities,
  state: RunState,
  { tenant, round }: { tenant: string; round: number },
): Promise<RefreshTotals> {
  const kind = state.flush ?? 'Due';
  const flushes = state.flushesAsked;
  state.flush = null;
  state.status = { ...state.status, phase: 'Claiming' };
  const totals = await refreshRound(activities, {
    tenant,
    // Survives a reset of this run, so that a repeated claim finds what it took before.
    claimId: `${workflowInfo().originalExecutionRunId}/${String(round)}`,
    kind,
    codeOf,
    onClaimed: ({ batches }) => {
      state.flushesServed = flushes;
      state.claimed = batches.map((batch) => batch.batchId);
      state.status = { ...state.status, phase: 'Summarising', pending: batches.length };
      showPhase(tenant, state.status);
    },
    onFailure: (lastError) => {
      state.status = { ...state.status, lastError };
    },
  });
  state.status = { ...state.status, totals: addTotals(state.status.totals, totals) };
  return totals;
}

/** Somebody else holds what is due: look again soon, not at once. */
async function pauseAfterNothing(state: RunState): Promise<void> {
  const seen = state.messages;
  await condition(() => state.messages > seen, NOTHING_CLAIMED_PAUSE_MS);
}

/** True where nothing is owed and no message came in since the window was read. */
async function mayEnd(
  activities: RefreshActivities,
  state: RunState,
  { tenant, wanted, seen }: { tenant: string; wanted: number; seen: number },
): Promise<boolean> {
  state.status = { ...state.status, phase: 'Acknowledging', pending: 0 };
  showPhase(tenant, state.status);
  const acknowledged = await activities.acknowledge({ tenant, seen: wanted });
  return acknowledged && state.messages === seen;
}

/** The code of a failed activity; it crossed the server as the failure's type. */
function codeOf(failure: unknown): ErrorCode {
  if (isCancellation(failure)) return 'CANCELLED';
  const cause = failure instanceof ActivityFailure ? failure.cause : failure;
  if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) return cause.type;
  return 'TIMEOUT';
}
