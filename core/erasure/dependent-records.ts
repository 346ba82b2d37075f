/** What an erasure deletes or rewrites besides its target: what is derived from it. Pure. */
import { laidOut } from '../memory-files/memory-md-layout.ts';
import type { Document, DocumentLine } from '../records/document.ts';
import type { Proposal } from '../records/proposal.ts';
import type { ScopeRecord } from '../records/scope-record.ts';

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
