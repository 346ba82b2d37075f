/** What goes with an erasure: what rests on what is gone, and records that name it. Pure. */
import { laidOut } from '../memory-files/memory-md-layout.ts';
import type { Document, DocumentLine } from '../records/document.ts';
import type { Proposal } from '../records/proposal.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Identifiers } from '../identifiers.ts';
import type { ErasureTarget } from '../records/erasure.ts';

/** Something that may rest on others. */
export interface Derived {
  readonly id: string;
  readonly sources: readonly string[];
}

/** The ids, and those of all that rests on them, however far. */
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
  // Grows while it is walked; each id is in it once.
  for (const id of gone) for (const child of bySource.get(id) ?? []) gone.add(child);
  return gone;
}

/** Whether any text inside of a value is one of the names. */
export function namesAny(value: unknown, names: ReadonlySet<string>): boolean {
  if (typeof value === 'string') return names.has(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((each) => namesAny(each, names));
}

/** Whether a session is the person's, even if others take part. */
export function isOf(target: ErasureTarget, identifiers: Identifiers): boolean {
  return target.kind === 'User' && identifiers.userId === target.id;
}

/** A document without some lines; what nothing is left of keeps its place and none of its words. */
export function withoutLines(document: Document, gone: ReadonlySet<string>): Document {
  const lines = document.lines.filter(({ id }) => !gone.has(id));
  if (lines.length === 0 && document.lines.length > 0) {
    return { ...document, lines, heading: null, key: null, layout: undefined };
  }
  const { layout } = document;
  return { ...document, lines, layout: layout && laidOut(layout, lines).text };
}

/** What a model said and nothing proved rests on no line, and goes with the first of them. */
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

/** All lines of a proposal, which become those of documents. */
export function linesOf({ lines, archived, diary }: Proposal): readonly DocumentLine[] {
  return [...lines, ...archived, ...diary];
}

/**
 * A scope that lost everything that was made of its sources: no run that is at work on it writes
 * what it read before, and the summary is made again.
 */
export function restarted<R extends ScopeRecord>(record: R, now: number): R {
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
