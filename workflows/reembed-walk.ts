/** One walk over the tenants whose embedding model changes: a turn for each, a few at a time. */
import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import { isErrorCode, type ErrorCode } from '#core/errors.ts';
import {
  addReembedTotals,
  type ReembedActivities,
  type ReembedCommand,
  type ReembedInput,
  type ReembedPage,
  type ReembedSettings,
  type ReembedStatus,
} from '#core/embedding/reembed-contract.ts';
import { showReembed } from './visibility.ts';

/** Tenants whose turns are at work at the same time. */
const LANES = 4;
/** Tenants remembered between their turns; of others the first memory is looked for again. */
const REMEMBERED_MAX = 1_000;

/** Where a tenant's next turn begins, and when. */
interface Place {
  readonly after: string | null;
  readonly readyAt: number;
}

export interface RunState {
  status: ReembedStatus;
  readonly commands: ReembedCommand[];
  readonly places: Map<string, Place>;
  turns: number;
}

/** What one walk over all tenants found. */
export interface Walk {
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

/** One turn for each tenant that is ready; ends early where a command came or the run is long. */
export async function walkTenants(
  activities: ReembedActivities,
  state: RunState,
  { generation, settings, after = null }: ReembedInput,
): Promise<Walk> {
  const none = { tenants: 0, paused: 0, keeping: 0 };
  const walk: Walk = { ...none, busy: false, nextAt: null, after };
  do {
    const page: ReembedPage = await activities.listReembed({ generation, after: walk.after });
    walk.after = page.after;
    walk.tenants += page.tenants.length;
    walk.paused += page.paused;
    walk.keeping += page.keeping;
    if (page.nextAt !== null) walk.nextAt = Math.min(walk.nextAt ?? Infinity, page.nextAt);
    const ready = page.tenants.filter((tenant) => isReady(state, walk, tenant));
    if (ready.length > 0) show(state, walk, 'Working');
    await inLanes(ready, async (tenant) => {
      const place = await turn(activities, state, { tenant, generation, settings });
      if (place.readyAt <= Date.now()) walk.busy = true;
      else walk.nextAt = Math.min(walk.nextAt ?? Infinity, place.readyAt);
    });
  } while (walk.after !== null && !isLong(state, settings) && state.commands.length === 0);
  return walk;
}

/** Whether the run is to continue as new: by its own count, or because the server asks for it. */
export function isLong({ turns }: RunState, { turnsMax }: ReembedSettings): boolean {
  return turns >= turnsMax || workflowInfo().continueAsNewSuggested;
}

function isReady({ places }: RunState, walk: Walk, tenant: string): boolean {
  const readyAt = places.get(tenant)?.readyAt ?? 0;
  if (readyAt <= Date.now()) return true;
  walk.nextAt = Math.min(walk.nextAt ?? Infinity, readyAt);
  return false;
}

async function turn(
  activities: ReembedActivities,
  state: RunState,
  { tenant, generation, settings }: { tenant: string } & ReembedInput,
): Promise<Place> {
  const after = state.places.get(tenant)?.after ?? null;
  const { settleMs, failurePauseMs } = settings;
  state.places.delete(tenant);
  state.turns += 1;
  let place: Place;
  try {
    const report = await activities.reembedTurn({ tenant, generation, after, settleMs });
    const { waitMs, after: next, ...done } = report;
    const totals = addReembedTotals(state.status.totals, { ...done, turns: 1 });
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

/** @throws the failure where the run is to end */
export function noteFailure(state: RunState, failure: unknown): void {
  if (isCancellation(failure)) throw failure;
  state.status = { ...state.status, lastError: codeOf(failure) };
}

/** The code of a failed activity; it crossed the server as the failure's type. */
function codeOf(failure: unknown): ErrorCode {
  const cause = failure instanceof ActivityFailure ? failure.cause : failure;
  if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) return cause.type;
  return 'TIMEOUT';
}

export function show(state: RunState, walk: Walk, phase: ReembedStatus['phase']): ReembedStatus {
  const tenants = walk.tenants + walk.paused + walk.keeping;
  const before = state.status;
  state.status = { ...before, phase, tenants };
  if (before.phase !== phase || before.tenants !== tenants) showReembed(state.status);
  return state.status;
}

/** Works through the tenants in order with a bounded number at work. */
async function inLanes(
  tenants: readonly string[],
  run: (tenant: string) => Promise<void>,
): Promise<void> {
  const waiting = [...tenants];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await run(next);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
