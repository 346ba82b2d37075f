/**
 * What an erasure deletes besides its target: what is derived from it, and records that name it.
 * Pure.
 */
import { laidOut } from '../memory-files/memory-md-layout.ts';
import type { Document, DocumentLine } from '../records/document.ts';
import type { Proposal } from '../records/proposal.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Identifiers } from '../identifiers.ts';
import type { ErasureTarget } from '../records/erasure.ts';
import { partIds } from '../sessions/long-turns.ts';

/** Something that may be derived from others. */
export interface Derived {
  readonly id: string;
  readonly sources: readonly string[];
}

/** Returns the ids, and those of everything derived from them, directly or indirectly. */
export function withDescendants(
  ids: Iterable<string>,
  all: readonly Derived[],
): ReadonlySet<string> {
  const gone = new Set(ids);
  const bySource = new Map<string, string[]>();
  for (const { id, sources } of all) {
    for (const source of sources) {
      const known = bySource.get(source);
      if (known === undefined) bySource.set(source, [id]);
      else known.push(id);
    }
  }
  // The set grows during the loop; each id is in it once.
  for (const id of gone) for (const child of bySource.get(id) ?? []) gone.add(child);
  return gone;
}

/** Returns whether any text inside a value equals one of the names. */
export function namesAny(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return names.has(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((each) => namesAny(each, names));
}

/** Returns whether a session or an API key belongs to the erased user, even if others take part. */
export function isOfErasedUser(target: ErasureTarget, identifiers: Identifiers): boolean {
  return target.kind === 'User' && identifiers.userId === target.id;
}

/** A turn to erase. */
export interface TurnToErase {
  readonly sessionId: string;
  /** The ids of all parts that it may have. */
  readonly ids: ReadonlySet<string>;
}

/** Returns the turn that is erased; null for any other target. */
export function turnToErase(target: ErasureTarget): TurnToErase | null {
  if (target.kind !== 'Turn') return null;
  return { sessionId: target.sessionId, ids: new Set(partIds(target.id)) };
}

/** Returns whether a turn, named with its session, is the erased one or a part of it. */
export function isTurnToErase(
  turn: TurnToErase | null,
  { sessionId, id }: { readonly sessionId: string | null; readonly id: string | null },
): boolean {
  return turn !== null && sessionId === turn.sessionId && id !== null && turn.ids.has(id);
}

/** Returns whether a value names the turn and its session: other sessions may use the same id. */
export function namesTurn(value: unknown, turn: TurnToErase | null): boolean {
  if (turn === null) return false;
  return namesAny(value, turn.ids) && namesAny(value, new Set([turn.sessionId]));
}

/** Returns a document without some lines. If nothing is left, it keeps its place but no words. */
export function withoutLines(document: Document, gone: ReadonlySet<string>): Document {
  const lines = document.lines.filter(({ id }) => !gone.has(id));
  if (lines.length === 0 && document.lines.length > 0) {
    return { ...document, lines, heading: null, key: null, layout: undefined };
  }
  const { layout } = document;
  return { ...document, lines, layout: layout && laidOut(layout, lines).text };
}

/**
 * Returns a proposal without some lines. Unproven statements of the model belong to no line, so
 * they are removed with the first one.
 */
export function proposalWithout(proposal: Proposal, gone: ReadonlySet<string>): Proposal {
  const kept = (lines: readonly DocumentLine[]) => lines.filter(({ id }) => !gone.has(id));
  return {
    ...proposal,
    lines: kept(proposal.lines),
    archived: kept(proposal.archived),
    diary: kept(proposal.diary),
    dropped: [],
  };
}

/** Returns all lines of a proposal, which become lines of documents. */
export function linesOfProposal({ lines, archived, diary }: Proposal): readonly DocumentLine[] {
  return [...lines, ...archived, ...diary];
}

/**
 * Returns a scope that lost everything made of its sources. A run that is at work on it can no
 * longer write what it has read, and the summary is made again.
 */
export function restartScope<R extends ScopeRecord>(record: R, now: number): R {
  const isEmpty = record.sourceCount === 0;
  return {
    ...record,
    changes: Math.max(1, record.changes),
    droppedSources: [],
    unseenSources: [],
    firstStaleAt: now,
    dueAt: isEmpty ? null : now,
    dueTrigger: isEmpty ? null : 'Requested',
    urgentAt: null,
    generatedAt: null,
    recipeHash: null,
    lease: null,
    attempts: 0,
    deadLetter: null,
    version: record.version + 1,
  };
}
