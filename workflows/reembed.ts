/**
 * Workflow: changes the embedding model of an installation, tenant by tenant in turns, then ends.
 *
 * Flow: apply what an operator said → a page of tenants whose change is under way → a turn for each
 * of them, a few at a time → the next page, and from the first again, until no change is left.
 * After a number of turns it continues as new.
 * Guarantees: what is to be done lies in the store, so any run may be terminated at any moment and
 * another one goes on; a tenant whose turn fails holds up no other; only tenants, ids and counts
 * enter the history.
 */
import {
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  setHandler,
  proxyActivities,
} from '@temporalio/workflow';
import { PAUSE_SIGNAL, RESUME_SIGNAL, STATUS_QUERY } from '#core/refresh/refresh-contract.ts';
import {
  BEGIN_SIGNAL,
  FINISH_SIGNAL,
  NO_REEMBED_TOTALS,
  ROLLBACK_SIGNAL,
  type BeginMessage,
  type ReembedActivities,
  type ReembedCommand,
  type ReembedInput,
  type ReembedStatus,
  EMBED_TASK_QUEUE,
  type ReembedSettings,
} from '#core/embedding/reembed-contract.ts';
import { isLong, noteFailure, show, walkTenants, type RunState } from './reembed-walk.ts';
import { RETRY_PROVIDER, RETRY_STORE } from './activity-retries.ts';

/** Commands that wait to be applied; an operator who sends more repeats himself. */
const COMMANDS_MAX = 100;
/** Walks of one run that find nothing to do; each costs some events of the history. */
const IDLE_WALKS_MAX = 100;
/** Another run or a tick may have changed the store without telling this run. */
const LOOK_AGAIN_MS = 600_000;

export const beginSignal = defineSignal<[BeginMessage]>(BEGIN_SIGNAL);
export const pauseReembedSignal = defineSignal(PAUSE_SIGNAL);
export const resumeReembedSignal = defineSignal(RESUME_SIGNAL);
export const rollbackSignal = defineSignal(ROLLBACK_SIGNAL);
export const finishSignal = defineSignal(FINISH_SIGNAL);
export const reembedStatusQuery = defineQuery<ReembedStatus>(STATUS_QUERY);

/** Answers what the run and the runs before it did. */
export async function reembed(input: ReembedInput): Promise<ReembedStatus> {
  const { generation, settings } = input;
  const state: RunState = {
    status: {
      phase: 'Working',
      tenants: 0,
      totals: input.totals ?? NO_REEMBED_TOTALS,
      lastError: null,
    },
    commands: [],
    places: new Map(),
    turns: 0,
  };
  listen(state);
  const activities = reembedActivities(settings);
  let after = input.after ?? null;
  for (let idle = 0; idle < IDLE_WALKS_MAX && !isLong(state, settings);) {
    await applyCommands(activities, state, generation);
    const from = after;
    const walk = await walkTenants(activities, state, { ...input, after: from });
    after = walk.after;
    // Only a whole walk shows that there is nothing to do.
    if (walk.busy || from !== null || after !== null || state.commands.length > 0) continue;
    if (walk.tenants + walk.paused + walk.keeping === 0) return show(state, walk, 'Working');
    idle += 1;
    show(state, walk, walk.tenants + walk.keeping === 0 ? 'Paused' : 'Waiting');
    const left = (walk.nextAt ?? Infinity) - Date.now();
    const wait = Math.max(1, Math.min(left, LOOK_AGAIN_MS));
    await condition(() => state.commands.length > 0, wait);
  }
  // What came meanwhile is applied by this run: the next one would know nothing of it.
  await applyCommands(activities, state, generation);
  const { totals } = state.status;
  return continueAsNew<typeof reembed>({ generation, settings, totals, after });
}

/** Each only notes what came; the main loop does the work. */
function listen(state: RunState): void {
  const note = (command: ReembedCommand): void => {
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
  activities: ReembedActivities,
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
      // What was waited for may be otherwise now.
      state.places.clear();
    } catch (failure) {
      noteFailure(state, failure);
    }
  }
}

// How the change of the embedding model calls its activities: queues, time-outs, retries.

/** Turns have a queue of their own: limiting its rate holds back nothing else. */
function reembedActivities(settings: ReembedSettings): ReembedActivities {
  const { heartbeatTimeoutMs: heartbeatTimeout, startToCloseTimeoutMs: startToCloseTimeout } =
    settings;
  const timeouts = { heartbeatTimeout, startToCloseTimeout };
  const store = proxyActivities<ReembedActivities>({ ...timeouts, retry: RETRY_STORE });
  const turns = proxyActivities<Pick<ReembedActivities, 'reembedTurn'>>({
    ...timeouts,
    taskQueue: EMBED_TASK_QUEUE,
    allowEagerDispatch: false,
    retry: RETRY_PROVIDER,
  });
  return {
    commandReembed: (input) => store.commandReembed(input),
    listReembed: (input) => store.listReembed(input),
    reembedTurn: (input) => turns.reembedTurn(input),
  };
}
