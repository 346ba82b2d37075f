/** How appends, silence and deletions change the record of a session. */
import { VarveError } from '../errors.ts';
import { openerOf, requireSameUser } from './session-access.ts';
import { flushAfterSilence, type FlushAnnouncement } from '../flush/pending-flush.ts';
import type { Identifiers } from '../identifiers.ts';
import { SESSION_TAGS_MAX, type SessionRecord } from '../records/session.ts';
import type { Turn } from '../records/turn.ts';
import type { Scope } from '../scope.ts';

export interface Appending {
  readonly tenant: string;
  readonly sessionId: string;
  readonly principal: string;
  readonly identifiers: Identifiers;
  readonly tags: readonly string[];
  /** When the turns of the call were said. */
  readonly at: readonly number[];
  readonly flush: FlushAnnouncement;
  /** From the policy: after this much silence the session has ended. */
  readonly silenceMs: number;
}

/**
 * Returns the record after turns were appended. The first call that names a user, an agent or a
 * project decides for good who opens the session.
 * @throws VarveError FORBIDDEN if it belongs to another user by now
 */
export function appendedSession(
  before: SessionRecord | null,
  { tenant, sessionId, principal, identifiers, tags, at, flush, silenceMs }: Appending,
): SessionRecord {
  const { sessionId: _, ...given } = identifiers;
  const first = Math.min(...at);
  const last = Math.max(...at);
  if (before === null) {
    return {
      tenant,
      sessionId,
      owner: principal,
      opener: openerOf(given),
      identifiers: given,
      firstAt: first,
      lastAt: last,
      endedAt: null,
      flushedTo: 0,
      flush: flushAfterSilence(null, flush, silenceMs),
      tags: [...new Set(tags)].slice(0, SESSION_TAGS_MAX),
      version: 1,
    };
  }
  const { isDeleted: _deleted, ...kept } = namedSession(before, { identifiers, tags }) ?? before;
  return {
    ...kept,
    firstAt: Math.min(before.firstAt, first),
    lastAt: Math.max(before.lastAt, last),
    endedAt: null,
    flush: flushAfterSilence(before.flush, flush, silenceMs),
    version: before.version + 1,
  };
}

/**
 * Returns the record after an append without a new turn; null if it named nothing new.
 * @throws VarveError FORBIDDEN if it belongs to another user by now
 */
export function namedSession(
  before: SessionRecord | null,
  { identifiers, tags }: Pick<Appending, 'identifiers' | 'tags'>,
): SessionRecord | null {
  if (before === null) return null;
  const { sessionId: _, ...given } = identifiers;
  requireSameUser(before, given.userId);
  const known = { ...given, ...before.identifiers };
  const all = [...new Set([...before.tags, ...tags])].slice(0, SESSION_TAGS_MAX);
  const isNew =
    Object.keys(known).length > Object.keys(before.identifiers).length ||
    all.length > before.tags.length;
  if (!isNew) return null;
  const opener = before.opener === '' ? openerOf(known) : before.opener;
  return { ...before, opener, identifiers: known, tags: all, version: before.version + 1 };
}

/**
 * Returns whether the record includes the turns: it is written after them, and a process may have
 * died in between.
 */
export function isNoted(
  { lastAt, flush, flushedTo }: SessionRecord,
  newest: Pick<Turn, 'at' | 'sequence'> | undefined,
): boolean {
  if (newest === undefined) return true;
  return newest.at <= lastAt && (flush !== null || newest.sequence <= flushedTo);
}

/** Returns the session without its turns; a later turn brings it back. */
export function deletedSession(before: SessionRecord | null): SessionRecord | null {
  return before && { ...before, isDeleted: true, version: before.version + 1 };
}

/** Returns the unchanged session with its next version, so that caches read its turns again. */
export function nextVersion(before: SessionRecord | null): SessionRecord | null {
  return before && { ...before, version: before.version + 1 };
}

// The scope that a list of new turns belongs to.

/** @throws VarveError INVALID_INPUT for no turns, or for turns of several sessions */
export function sessionOf(turns: readonly Pick<Turn, 'tenant' | 'sessionId'>[]): Scope {
  const [first] = turns;
  if (first === undefined) throw new VarveError('INVALID_INPUT', 'Append at least one turn.');
  const { tenant, sessionId } = first;
  if (turns.some((turn) => turn.tenant !== tenant || turn.sessionId !== sessionId)) {
    throw new VarveError('INVALID_INPUT', 'Append the turns of each session in its own call.');
  }
  return { tenant, layer: 'session', scopeId: sessionId };
}
