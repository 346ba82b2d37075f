/** A proposal of a dream as callers see it: what it would change in MEMORY.md, in words. Pure. */
import type { Document, DocumentLine } from '#core/records/document.ts';
import type { Proposal } from '#core/records/proposal.ts';
import { subjectOfKey } from '#core/subject.ts';
import type { DreamAnswer, DreamBrief, ShownLine } from './operations/dream.ts';

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
