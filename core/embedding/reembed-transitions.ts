/**
 * The transitions of a tenant whose embedding model changes: each is decided from its
 * `EmbeddingState` alone.
 *
 * Flow: `Steady` → `Filling` (writes embed with both generations, searches query both) ⇄ `Paused` →
 * cut-over → `Dropping` (the old vectors are deleted, at once or after a while) → `Steady`.
 * Guarantees: a generation is relied on only after every memory has a vector of it. A rollback is
 * possible until the old vectors are deleted, and costs only what was written since the cut-over.
 */
import type { EmbeddingState } from '../records/embedding-state.ts';

/** The longest time for which a process may act on a state that it has read. */
export const STATE_AGE_MS_MAX = 1_000;
/**
 * The longest time from reading a state to the end of the write that follows. An embedding is
 * requested for 30 s (memory/store-and-embedder-retries.ts), and the last answer may take longer.
 */
const WRITE_MS_MAX = 59_000;
/**
 * The last count before a cut-over begins at least this long after the change began. Until then a
 * writer may still act on the old state and embed with the old generation alone. Every later write
 * embeds with both, so a complete count stays complete.
 */
export const SETTLE_MS = STATE_AGE_MS_MAX + WRITE_MS_MAX;
/** Searches of one day show whether the new model is better. */
export const KEEP_OLD_DEFAULT_MS = 86_400_000;
export const KEEP_OLD_MS_MAX = 90 * 86_400_000;

export type Change =
  | { readonly kind: 'Put'; readonly state: EmbeddingState }
  | {
      readonly kind: 'Nothing';
      readonly reason: 'NoChange' | 'AlreadyUnderWay' | 'OtherUnderWay';
    };

/** What the memories of a tenant must have before its change can go on. */
export interface Goal {
  readonly generation: string;
  /** Whether the vectors become the memories' own; then their other vectors are no longer used. */
  readonly own: boolean;
}

export type Step =
  | { readonly kind: 'Rest' }
  /** Nothing can be done before `ms` have passed. */
  | { readonly kind: 'Wait'; readonly ms: number }
  | { readonly kind: 'CutOver'; readonly state: EmbeddingState }
  /** The new generation is complete; the old one stays for a while. */
  | { readonly kind: 'Keep'; readonly state: EmbeddingState }
  | { readonly kind: 'Drop'; readonly generation: string; readonly settled: EmbeddingState }
  | { readonly kind: 'Settle'; readonly state: EmbeddingState };

/** Returns the generations that a run of this workflow may work on for the tenant. */
export function generationsOf({ active, target, dropping }: EmbeddingState): readonly string[] {
  return [...new Set([target, active, dropping].filter((each) => each !== null))];
}

/** Returns the first state of a tenant: its memories have vectors of `active`. */
export function firstEmbeddingState(tenant: string, active: string, now: number): EmbeddingState {
  return {
    tenant,
    active,
    target: null,
    phase: 'Steady',
    dropping: null,
    keepOldMs: 0,
    startedAt: null,
    updatedAt: now,
    version: 1,
  };
}

/**
 * Begins the change to a generation. If it is already the tenant's generation, completes it:
 * memories that were written while the embedder could not be reached get their vectors.
 */
export function beginReembed(
  state: EmbeddingState,
  { generation, keepOldMs, now }: { generation: string; keepOldMs: number; now: number },
): Change {
  const { active, target, dropping, phase } = state;
  const filling = {
    target: generation,
    phase: 'Filling' as const,
    dropping: null,
    keepOldMs,
    startedAt: now,
  };
  switch (phase) {
    case 'Steady':
      if (active !== generation) return put(state, filling, now);
      return put(state, { phase: 'Dropping', dropping: null, keepOldMs: 0, startedAt: now }, now);
    case 'Filling':
    case 'Paused':
      return nothing(target === generation ? 'AlreadyUnderWay' : 'OtherUnderWay');
    default:
      if (active === generation) return nothing('AlreadyUnderWay');
      // An earlier change was rolled back; its remaining vectors are used again.
      return dropping === generation && !isCutOver(state)
        ? put(state, filling, now)
        : nothing('OtherUnderWay');
  }
}

export function pauseReembed(state: EmbeddingState, now: number): Change {
  return state.phase === 'Filling' ? put(state, { phase: 'Paused' }, now) : nothing('NoChange');
}

export function resumeReembed(state: EmbeddingState, now: number): Change {
  return state.phase === 'Paused' ? put(state, { phase: 'Filling' }, now) : nothing('NoChange');
}

/**
 * Rolls back the change to a generation. Before its cut-over, its vectors are dropped. Afterwards,
 * the change runs in reverse: only what was written since must be embedded, and nothing is lost
 * meanwhile, because searches query both generations.
 */
export function rollBackReembed(state: EmbeddingState, generation: string, now: number): Change {
  const { active, target, phase, dropping } = state;
  if ((phase === 'Filling' || phase === 'Paused') && target === generation) {
    const back = { target: null, dropping: generation, keepOldMs: 0, startedAt: null };
    return put(state, { ...back, phase: 'Dropping' }, now);
  }
  if (active !== generation || dropping === null || !isCutOver(state)) return nothing('NoChange');
  const reversed = { target: dropping, dropping: null, keepOldMs: 0, startedAt: now };
  return put(state, { ...reversed, phase: 'Filling' }, now);
}

/** Ends the time for which the old vectors are kept; no rollback is possible afterwards. */
export function finishReembed(state: EmbeddingState, now: number): Change {
  const { phase, keepOldMs } = state;
  if (keepOldMs === 0) return nothing('NoChange');
  // A change before its cut-over will keep no old vectors after it.
  return put(state, { keepOldMs: 0 }, phase === 'Dropping' ? now : state.updatedAt);
}

export function goalOf({ phase, active, target }: EmbeddingState): Goal | null {
  if (phase === 'Filling' && target !== null) return { generation: target, own: false };
  return phase === 'Dropping' ? { generation: active, own: true } : null;
}

/**
 * Returns whether a turn of the tenant may do something now; a tenant that only keeps old vectors
 * waits.
 */
export function isReady(state: EmbeddingState, now: number): boolean {
  const { phase, startedAt } = state;
  if (phase === 'Dropping') return startedAt !== null || dropAt(state) <= now;
  return phase === 'Filling';
}

/** Returns when a tenant that only keeps old vectors continues, in milliseconds since the epoch. */
export function dropAt({ updatedAt, keepOldMs }: EmbeddingState): number {
  return updatedAt + keepOldMs;
}

/**
 * Returns the next step once every memory has a vector of the goal.
 * @param countedAt when the count that found none missing began
 */
export function stepAfterFilling(
  state: EmbeddingState,
  { countedAt, settleMs }: { countedAt: number; settleMs: number },
): Step {
  const { phase, target, active, dropping, startedAt, updatedAt } = state;
  if (phase === 'Filling' && target !== null) {
    const early = (startedAt ?? updatedAt) + settleMs - countedAt;
    if (early > 0) return { kind: 'Wait', ms: early };
    const cut = { active: target, target: null, dropping: active, phase: 'Dropping' as const };
    return { kind: 'CutOver', state: changed(state, { ...cut, startedAt: countedAt }, countedAt) };
  }
  if (phase !== 'Dropping') return { kind: 'Rest' };
  // Writers that do not know of the cut-over yet may still add old vectors.
  const early = (startedAt ?? updatedAt) + settleMs - countedAt;
  if (dropping !== null && early > 0) return { kind: 'Wait', ms: early };
  const kept = dropAt(state) - countedAt;
  if (kept > 0) {
    const keeping = { keepOldMs: kept, startedAt: null };
    return { kind: 'Keep', state: changed(state, keeping, countedAt) };
  }
  const steady = { phase: 'Steady' as const, dropping: null, keepOldMs: 0, startedAt: null };
  const settled = changed(state, steady, countedAt);
  return dropping === null
    ? { kind: 'Settle', state: settled }
    : { kind: 'Drop', generation: dropping, settled };
}

/** Distinguishes a cut-over from a rollback, which keeps nothing and has nothing to complete. */
function isCutOver({ phase, startedAt, keepOldMs }: EmbeddingState): boolean {
  return phase === 'Dropping' && (startedAt !== null || keepOldMs > 0);
}

type Changes = Partial<Omit<EmbeddingState, 'tenant' | 'version' | 'updatedAt'>>;

function changed(state: EmbeddingState, changes: Changes, now: number): EmbeddingState {
  return { ...state, ...changes, updatedAt: now, version: state.version + 1 };
}

function put(state: EmbeddingState, changes: Changes, now: number): Change {
  return { kind: 'Put', state: changed(state, changes, now) };
}

function nothing(reason: Extract<Change, { kind: 'Nothing' }>['reason']): Change {
  return { kind: 'Nothing', reason };
}
