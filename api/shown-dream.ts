/** A proposal of a dream as callers see it: what it would change in MEMORY.md, in words. Pure. */
import type { Document, DocumentLine } from '#core/records/document.ts';
import type { Proposal } from '#core/records/proposal.ts';
import { subjectOfKey, type Subject } from '#core/subject.ts';

export interface DreamBrief {
  readonly id: string;
  /** Null only for a key that no version of Varve writes. */
  readonly subject: Subject | null;
  /** The DeepDream by whose rules it was made; null where none covers the subject. */
  readonly schedule: string | null;
  readonly state: Proposal['state'];
  /** Why it was not applied by itself; empty where it was. */
  readonly findings: Proposal['findings'];
  readonly at: number;
  /** Of MEMORY.md, which it was made from; 0 where there was none. */
  readonly baseVersion: number;
  /** How many lines. */
  readonly added: number;
  readonly removed: number;
  readonly archived: number;
  readonly dropped: number;
  /** Lines of the new blocks that the dream read. */
  readonly readLines: number;
  readonly decision: Proposal['decision'];
}

export interface ShownLine {
  readonly heading: string | null;
  readonly text: string;
  readonly sources: readonly string[];
}

export interface DreamAnswer extends Omit<
  DreamBrief,
  'added' | 'removed' | 'archived' | 'dropped'
> {
  readonly model: string;
  readonly day: string;
  readonly difference: {
    readonly added: readonly ShownLine[];
    readonly removed: readonly ShownLine[];
    /** In whose place a new line stands. */
    readonly replaced: readonly ShownLine[];
    /** Moved to memory/archive.md for want of room. */
    readonly archived: readonly ShownLine[];
    /** What the model proposed and its sources did not support, with the reason. */
    readonly dropped: Proposal['dropped'];
  };
  /** How many lines stay as they are. */
  readonly kept: number;
  /** New blocks for which the model had no room; the next dream reads them. */
  readonly leftBlocks: number;
  readonly diary: readonly string[];
}

export function dreamBrief(proposal: Proposal): DreamBrief {
  const { added, removed, archived, dropped } = proposal;
  return {
    ...head(proposal),
    added: added.length,
    removed: removed.length,
    archived: archived.length,
    dropped: dropped.length,
  };
}

/** @param base the version of MEMORY.md that it was made from; null where there is none */
export function dreamAnswer(proposal: Proposal, base: Pick<Document, 'lines'> | null): DreamAnswer {
  const { lines, archived, dropped, day, model, diary, leftBlocks } = proposal;
  const added = new Set(proposal.added);
  const removed = new Set(proposal.removed);
  const proposed = lines.filter(({ id }) => added.has(id));
  const standing = new Set([...lines, ...archived].map(({ id }) => id));
  const gone = (base?.lines ?? []).filter(({ id }) => !standing.has(id));
  return {
    ...head(proposal),
    model,
    day,
    difference: {
      added: proposed.map(shownLine),
      removed: gone.filter(({ id }) => removed.has(id)).map(shownLine),
      replaced: gone.filter(({ id }) => !removed.has(id)).map(shownLine),
      archived: archived.map(shownLine),
      dropped,
    },
    kept: lines.length - proposed.length,
    leftBlocks,
    diary: diary.map(({ text }) => text),
  };
}

function head(proposal: Proposal) {
  const { id, subject, dream: schedule, state, findings, at, baseVersion } = proposal;
  const { readLines, decision } = proposal;
  return {
    id,
    subject: subjectOfKey(subject),
    schedule,
    state,
    findings,
    at,
    baseVersion,
    readLines,
    decision,
  };
}

function shownLine({ heading, text, sources }: DocumentLine): ShownLine {
  return { heading, text, sources };
}
