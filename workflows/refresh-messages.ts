/** What is said to a refresh while it waits or works. Handlers only note it; the run acts. */
import {
  condition,
  defineQuery,
  defineSignal,
  defineUpdate,
  setHandler,
} from '@temporalio/workflow';
import {
  FLUSH_NOW_UPDATE,
  NO_TOTALS,
  PAUSE_MS,
  PAUSE_SIGNAL,
  RESUME_SIGNAL,
  STALE_SIGNAL,
  STATUS_QUERY,
  type FlushKind,
  type FlushMessage,
  type PauseMessage,
  type RefreshStatus,
  type StaleMessage,
  type TenantRefreshInput,
} from '#core/refresh/refresh-contract.ts';

const staleSignal = defineSignal<[StaleMessage]>(STALE_SIGNAL);
const pauseSignal = defineSignal<[PauseMessage]>(PAUSE_SIGNAL);
const resumeSignal = defineSignal(RESUME_SIGNAL);
const flushNowUpdate = defineUpdate<readonly string[], [FlushMessage]>(FLUSH_NOW_UPDATE);
const statusQuery = defineQuery<RefreshStatus>(STATUS_QUERY);

/** What messages change while the main loop waits or works. */
export interface RunState {
  status: RefreshStatus;
  pausedUntil: number;
  /** When work that turned urgent is due; null where none was announced since the last claim. */
  urgentAt: number | null;
  /** Raised by every signal, so that a run that is about to end looks once more. */
  messages: number;
  flush: FlushKind | null;
  /** Calls of flushNow that came, and how many of them a claim has answered. */
  flushesAsked: number;
  flushesServed: number;
  /** The batch ids of the last claim. */
  claimed: readonly string[];
  /** Claims of which a pause left batches. */
  openClaims: readonly string[];
}

export function initialState(input: TenantRefreshInput): RunState {
  const { totals, pausedUntil, budget, openClaims } = input;
  return {
    status: {
      phase: 'Waiting',
      budget: budget ?? 'Available',
      pending: 0,
      layers: [],
      totals: totals ?? NO_TOTALS,
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

/** People send these too, so a message may lack what it should have: it must not hang the run. */
export function listen(state: RunState): void {
  setHandler(staleSignal, (message: Partial<StaleMessage> = {}) => {
    state.messages += 1;
    if (message.urgent !== true) return;
    const at = Date.now() + (message.closesInMs ?? 0);
    state.urgentAt = Math.min(state.urgentAt ?? at, at);
  });
  setHandler(pauseSignal, ({ forMs }: PauseMessage = {}) => {
    state.messages += 1;
    state.pausedUntil = Date.now() + (isLength(forMs) ? forMs : PAUSE_MS);
  });
  setHandler(resumeSignal, () => {
    state.messages += 1;
    state.pausedUntil = 0;
  });
  setHandler(statusQuery, () => state.status);
  setHandler(flushNowUpdate, (message) => flush(state, message), { validator: validateFlush });
}

export function isPaused({ pausedUntil }: RunState): boolean {
  return pausedUntil > Date.now();
}

/** True once for the urgent work that is due by now. */
export function takeUrgent(state: RunState): boolean {
  if (state.urgentAt === null || state.urgentAt > Date.now()) return false;
  state.urgentAt = null;
  return true;
}

/** Answers the ids of the batches of the next claim. */
async function flush(state: RunState, { kind }: FlushMessage): Promise<readonly string[]> {
  state.messages += 1;
  // A claim of every stale scope serves those who asked for the due ones too.
  state.flush = state.flush === 'Stale' ? 'Stale' : kind;
  state.flushesAsked += 1;
  const asked = state.flushesAsked;
  await condition(() => state.flushesServed >= asked);
  return state.claimed;
}

function validateFlush(message: Partial<FlushMessage> | undefined): void {
  if (message?.kind === 'Due' || message?.kind === 'Stale') return;
  throw new TypeError('flushNow takes {"kind": "Due"} or {"kind": "Stale"}.');
}

function isLength(forMs: unknown): forMs is number {
  return typeof forMs === 'number' && Number.isFinite(forMs) && forMs >= 0;
}
