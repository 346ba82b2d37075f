/**
 * Workflow: changes the embedding model of an installation, tenant by tenant in turns, then ends.
 *
 * Flow: apply the operator's commands → read a page of tenants whose change is under way → give
 * each a turn, a few at a time → read the next page, then start from the first, until no change is
 * left. After a number of turns the workflow continues as new.
 * Guarantees: all pending work is in the store, so any run may be terminated at any moment and
 * another one continues; a tenant whose turn fails does not block others; only tenants, ids and
 * counts enter the history.
 */
import { forEachConcurrently } from '#core/chunks-and-pages.ts';
import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  setHandler,
  proxyActivities,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import { addTotals } from '#core/add-totals.ts';
import * as contract from '#core/embedding/reembed-contract.ts';
import { PAUSE_SIGNAL, RESUME_SIGNAL, STATUS_QUERY } from '#core/refresh/refresh-contract.ts';
import { codeOf, MODEL_CALLS, STORE_RETRY_POLICY, timeoutsOf } from './activity-retry-policies.ts';
import { showReembed } from './temporal-ui.ts';

/** Maximum commands that wait to be applied; any more are assumed to be repetitions. */
const COMMANDS_MAX = 100;
/** Maximum walks of one run that find nothing to do; each adds events to the history. */
const IDLE_WALKS_MAX = 100;
/** Another run or a tick may have changed the store without notifying this run. */
const LOOK_AGAIN_MS = 600_000;

const beginSignal = defineSignal<[contract.BeginMessage]>(contract.BEGIN_SIGNAL);
const pauseReembedSignal = defineSignal(PAUSE_SIGNAL);
const resumeReembedSignal = defineSignal(RESUME_SIGNAL);
const rollbackSignal = defineSignal(contract.ROLLBACK_SIGNAL);
const finishSignal = defineSignal(contract.FINISH_SIGNAL);
const reembedStatusQuery = defineQuery<contract.ReembedStatus>(STATUS_QUERY);

/** Returns what this run and the runs that it continues did. */
export async function reembed(input: contract.ReembedInput): Promise<contract.ReembedStatus> {
  const { generation, settings } = input;
  const state: RunState = {
    status: {
      phase: 'Working',
      tenants: 0,
      totals: input.totals ?? contract.NO_REEMBED_TOTALS,
      lastError: null,
    },
    commands: [],
    places: new Map(),
    turns: 0,
  };
  handleSignals(state);
  const activities = reembedActivities(settings);
  let after = input.after ?? null;
  for (let idle = 0; idle < IDLE_WALKS_MAX && !isLong(state, settings);) {
    await applyCommands(activities, state, generation);
    const from = after;
    const walk = await walkTenants(activities, state, { ...input, after: from });
    after = walk.after;
    // Only a whole walk shows that there is nothing to do.
    if (walk.busy || from !== null || after !== null || state.commands.length > 0) continue;
    if (walk.tenants + walk.paused + walk.keeping === 0)
      return reembedStatus(state, walk, 'Working');
    idle += 1;
    reembedStatus(state, walk, walk.tenants + walk.keeping === 0 ? 'Paused' : 'Waiting');
    const left = (walk.nextAt ?? Infinity) - Date.now();
    const wait = Math.max(1, Math.min(left, LOOK_AGAIN_MS));
    await condition(() => state.commands.length > 0, wait);
  }
  // Apply commands that came meanwhile: the next run would not know of them.
  await applyCommands(activities, state, generation);
  const { totals } = state.status;
  return continueAsNew<typeof reembed>({ generation, settings, totals, after });
}

/** Handlers only record commands; the main loop does the work. */
function handleSignals(state: RunState): void {
  const note = (command: contract.ReembedCommand): void => {
    if (state.commands.length < COMMANDS_MAX) state.commands.push(command);
  };
  setHandler(reembedStatusQuery, () => state.status);
  setHandler(beginSignal, (message) => {
    note({ kind: 'Begin', ...message });
  });
  setHandler(pauseReembedSignal, () => {
    note({ kind: 'Pause' });
  });
  setHandler(resumeReembedSignal, () => {
    note({ kind: 'Resume' });
  });
  setHandler(rollbackSignal, () => {
    note({ kind: 'RollBack' });
  });
  setHandler(finishSignal, () => {
    note({ kind: 'Finish' });
  });
}

async function applyCommands(
  activities: contract.ReembedActivities,
  state: RunState,
  generation: string,
): Promise<void> {
  for (let command = state.commands.shift(); command; command = state.commands.shift()) {
    try {
      let after: string | null = null;
      do {
        const report: { after: string | null } = await activities.commandReembed({
          generation,
          command,
          after,
        });
        after = report.after;
      } while (after !== null);
      // The commands may have changed what tenants wait for.
      state.places.clear();
    } catch (failure) {
      noteFailure(state, failure);
    }
  }
}

/** Turns have their own task queue: limiting its rate slows nothing else. */
function reembedActivities(settings: contract.ReembedSettings): contract.ReembedActivities {
  const timeouts = timeoutsOf(settings);
  const store = proxyActivities<contract.ReembedActivities>({
    ...timeouts,
    retry: STORE_RETRY_POLICY,
  });
  const turns = proxyActivities<Pick<contract.ReembedActivities, 'reembedTurn'>>({
    ...timeouts,
    ...MODEL_CALLS,
    taskQueue: contract.EMBED_TASK_QUEUE,
  });
  return {
    commandReembed: (input) => store.commandReembed(input),
    listReembed: (input) => store.listReembed(input),
    reembedTurn: (input) => turns.reembedTurn(input),
  };
}

/** Tenants whose turns run at the same time. */
const LANES = 4;
/** Tenants whose place is kept between turns; others start again from their first memory. */
const REMEMBERED_MAX = 1_000;

/** Where a tenant's next turn begins, and when. */
interface Place {
  readonly after: string | null;
  readonly readyAt: number;
}

interface RunState {
  status: contract.ReembedStatus;
  readonly commands: contract.ReembedCommand[];
  readonly places: Map<string, Place>;
  turns: number;
}

/** What one walk over all tenants found. */
interface Walk {
  tenants: number;
  paused: number;
  keeping: number;
  /** Whether some turn can go on at once. */
  busy: boolean;
  /** When something can be done again, at the latest; milliseconds since the epoch. */
  nextAt: number | null;
  /** The last tenant of a walk that ended early; null where it came to its end. */
  after: string | null;
}

/** Gives each ready tenant one turn; ends early if a command comes or the run is long. */
async function walkTenants(
  activities: contract.ReembedActivities,
  state: RunState,
  { generation, settings, after = null }: contract.ReembedInput,
): Promise<Walk> {
  const none = { tenants: 0, paused: 0, keeping: 0 };
  const walk: Walk = { ...none, busy: false, nextAt: null, after };
  do {
    const page: contract.ReembedPage = await activities.listReembed({
      generation,
      after: walk.after,
    });
    walk.after = page.after;
    walk.tenants += page.tenants.length;
    walk.paused += page.paused;
    walk.keeping += page.keeping;
    if (page.nextAt !== null) walk.nextAt = Math.min(walk.nextAt ?? Infinity, page.nextAt);
    const ready = page.tenants.filter((tenant) => isReady(state, walk, tenant));
    if (ready.length > 0) reembedStatus(state, walk, 'Working');
    await forEachConcurrently(ready, LANES, async (tenant) => {
      const place = await turn(activities, state, { tenant, generation, settings });
      if (place.readyAt <= Date.now()) walk.busy = true;
      else walk.nextAt = Math.min(walk.nextAt ?? Infinity, place.readyAt);
    });
  } while (walk.after !== null && !isLong(state, settings) && state.commands.length === 0);
  return walk;
}

/** Whether the run is to continue as new: by its own count, or because the server asks for it. */
function isLong({ turns }: RunState, { turnsMax }: contract.ReembedSettings): boolean {
  return turns >= turnsMax || workflowInfo().continueAsNewSuggested;
}

function isReady({ places }: RunState, walk: Walk, tenant: string): boolean {
  const readyAt = places.get(tenant)?.readyAt ?? 0;
  if (readyAt <= Date.now()) return true;
  walk.nextAt = Math.min(walk.nextAt ?? Infinity, readyAt);
  return false;
}

async function turn(
  activities: contract.ReembedActivities,
  state: RunState,
  { tenant, generation, settings }: { tenant: string } & contract.ReembedInput,
): Promise<Place> {
  const after = state.places.get(tenant)?.after ?? null;
  const { settleMs, failurePauseMs } = settings;
  state.places.delete(tenant);
  state.turns += 1;
  let place: Place;
  try {
    const report = await activities.reembedTurn({ tenant, generation, after, settleMs });
    const { waitMs, after: next, ...done } = report;
    const totals = addTotals(state.status.totals, { ...done, turns: 1 });
    state.status = { ...state.status, totals };
    place = { after: next, readyAt: waitMs === 0 ? 0 : Date.now() + waitMs };
  } catch (failure) {
    noteFailure(state, failure);
    place = { after: null, readyAt: Date.now() + failurePauseMs };
  }
  const isWorthIt = place.after !== null || place.readyAt > 0;
  if (isWorthIt && state.places.size < REMEMBERED_MAX) state.places.set(tenant, place);
  return place;
}

/** Records a failure in the status. @throws it if the run was cancelled */
function noteFailure(state: RunState, failure: unknown): void {
  if (isCancellation(failure)) throw failure;
  state.status = { ...state.status, lastError: codeOf(failure) };
}

/** Updates the status after a walk, shows a change of it in the Temporal UI, and returns it. */
function reembedStatus(
  state: RunState,
  walk: Walk,
  phase: contract.ReembedStatus['phase'],
): contract.ReembedStatus {
  const tenants = walk.tenants + walk.paused + walk.keeping;
  const before = state.status;
  state.status = { ...before, phase, tenants };
  if (before.phase !== phase || before.tenants !== tenants) showReembed(state.status);
  return state.status;
}
