/** How the flush entry of a session changes: the turns that wait for a flush. Pure. */
import type { Layer } from '../layer.ts';
import type { PendingFlush, SessionRecord } from '../records/session.ts';

/** After this time a run has ended, or its worker is gone; then another run begins. */
const RUN_MS = 15 * 60_000;
/** The longest wait between runs that fail. */
const WAIT_MS_MAX = 24 * 3_600_000;

export interface FlushAnnouncement {
  /** For a session without a waiting flush. */
  readonly id: string;
  readonly now: number;
  /** Layers of the writer; absent for all layers. */
  readonly layers: readonly Layer[] | undefined;
}

/** Returns the entry after an append: the turns are flushed after a time of silence. */
export function flushAfterSilence(
  before: PendingFlush | null,
  { id, now, layers }: FlushAnnouncement,
  silenceMs: number,
): PendingFlush {
  const may = layersOf(before, layers);
  // A run that has begun includes what it has fixed, and leaves the rest to the next run.
  if (before !== null && before.through !== null) return { ...before, layers: may };
  const dueAt = now + silenceMs;
  return {
    id: before?.id ?? id,
    dueAt,
    through: null,
    attempts: 0,
    heading: 'Session',
    layers: may,
  };
}

/**
 * Returns the entry after a request by a call: due at once. A run that has begun continues until it
 * is lost.
 */
export function flushNow(
  before: PendingFlush | null,
  { id, now, layers }: FlushAnnouncement,
  heading: PendingFlush['heading'],
): PendingFlush {
  const may = layersOf(before, layers);
  if (before !== null && before.through !== null) return { ...before, layers: may };
  const attempts = before?.attempts ?? 0;
  return { id: before?.id ?? id, dueAt: now, through: null, attempts, heading, layers: may };
}

/**
 * Returns the entry when a run begins: the run includes the turns up to `through`, and so does
 * every retry.
 */
export function flushBegun(flush: PendingFlush, through: number, now: number): PendingFlush {
  const attempts = flush.attempts + 1;
  const dueAt = now + Math.min(WAIT_MS_MAX, RUN_MS * 2 ** (attempts - 1));
  return { ...flush, through, attempts, dueAt };
}

/**
 * Returns the entry after a run: turns that came since get their own entry, and the same run
 * continues with it.
 */
export function flushEnded(
  session: SessionRecord,
  { lastSequence, nextId, now }: { lastSequence: number; nextId: string; now: number },
): SessionRecord {
  const { flush } = session;
  if (flush === null) return session;
  const flushedTo = Math.max(session.flushedTo, flush.through ?? 0);
  const dueAt = now + RUN_MS;
  const next = { ...flush, id: nextId, dueAt, through: null, attempts: 0 };
  const isMore = lastSequence > flushedTo;
  return { ...session, flushedTo, flush: isMore ? next : null, version: session.version + 1 };
}

/** Keeps only layers that all writers may write; null for all layers. */
function layersOf(
  before: PendingFlush | null,
  layers: readonly Layer[] | undefined,
): PendingFlush['layers'] {
  const known = before?.layers ?? null;
  if (layers === undefined) return known;
  return known === null ? [...layers] : known.filter((layer) => layers.includes(layer));
}
