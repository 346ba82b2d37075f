/** Reconcile: observe → plan → apply, once. Repeatable at any time, and after a death anywhere. */
import type { Calendar } from '#core/ports/calendar.ts';
import type { Platform } from '#core/ports/platform.ts';
import { applyPlan, type PolicyStore } from '../apply.ts';
import { observeFolder, type LastRead } from './observe.ts';
import type { Outcome } from '../outcome.ts';
import { planPolicies } from '../plan.ts';
import { Settled } from '../settled.ts';

/** The `clusterId` of policies that are read from a folder. */
export const FOLDER_CLUSTER = 'folder';

export interface ReconcileOptions {
  readonly dir: string;
  readonly store: PolicyStore;
  readonly platform: Platform;
  readonly calendar: Calendar;
  /** Part of who owns a tenant; `FOLDER_CLUSTER` for a folder, wherever it lies. */
  readonly clusterId: string;
  /** Given by those who reconcile again and again; see `ApplyContext`. */
  readonly settled?: Settled;
  /** Given by those as well, so that a field which must not change is held to what it was. */
  readonly lastRead?: LastRead;
  /** Ends it soon; what was not done by then is done by whoever reconciles next. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReconcileOutcome {
  /** In the order of the files, orphans last; without those that a signal left undone. */
  readonly outcomes: readonly Outcome[];
}

/**
 * Applies the policies of a folder. All of it is read and checked before anything is written, so a
 * mistake in one file changes nothing at all.
 * @throws VarveError INVALID_INPUT with one report of every mistake; what the store throws
 */
export async function reconcileFolder(options: ReconcileOptions): Promise<ReconcileOutcome> {
  const { dir, store, platform, calendar, clusterId, signal } = options;
  const { settled = new Settled(), lastRead = { resources: null } } = options;
  const observed = await observeFolder(dir, { policies: store.policies, clusterId, lastRead });
  const plan = planPolicies(observed, { cluster: clusterId, digest: platform.digest });
  return { outcomes: await applyPlan(plan, { store, platform, calendar, settled, signal }) };
}
