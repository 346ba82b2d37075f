/** Records of memory files and dreams for tests, which set only what they care about. */
import type { Document, DocumentLine } from '#core/records/document.ts';
import { dailyPath } from '#core/memory-files/paths.ts';
import type { DreamRound, DreamSchedule } from '#core/records/dream-schedule.ts';
import type { Proposal } from '#core/records/proposal.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';

import { idOf, NOW } from './samples.ts';

export const ANN = 'user/ann';
export const DAY = '2026-11-01';
export const DAILY = dailyPath(DAY);

/** The n-th subject of a tenant by its id, which stands for its name in workflows. */
export function subjectIdOf(n: number): string {
  return idOf(7_000 + n);
}

export function lineOf(n: number, differing: Partial<DocumentLine> = {}): DocumentLine {
  return {
    id: idOf(9_000 + n),
    heading: n % 2 === 0 ? 'Garden' : null,
    text: `The ${n}. thing that Ann is known for.`,
    sources: [idOf(n)],
    trust: 'stated',
    at: NOW,
    ...differing,
  };
}

/** A daily block of Ann. */
export function blockOf(
  tenant: string,
  n: number,
  differing: Partial<Document> = {},
): Omit<Document, 'version'> {
  const { version: _, ...rest } = differing;
  return {
    tenant,
    subject: ANN,
    path: DAILY,
    id: idOf(8_000 + n),
    kind: 'Daily',
    heading: 'Trimmed Context',
    lines: [lineOf(n)],
    author: 'caller',
    proposalId: null,
    key: null,
    at: NOW + n,
    dreamedAt: null,
    ...rest,
  };
}

/** A version of Ann's MEMORY.md. */
export function coreOf(tenant: string, version: number, differing: Partial<Document> = {}) {
  const core: Document = {
    ...blockOf(tenant, version),
    path: 'MEMORY.md',
    version,
    kind: 'Core',
    heading: null,
    lines: [lineOf(1), lineOf(2)],
    author: 'dream',
    proposalId: idOf(1),
    ...differing,
  };
  return core;
}

export function subjectOf(tenant: string, differing: Partial<SubjectRecord> = {}): SubjectRecord {
  return {
    tenant,
    subject: ANN,
    subjectId: subjectIdOf(1),
    hasNew: true,
    announcedAt: NOW,
    processedHash: null,
    tombstones: [],
    refused: null,
    last: null,
    version: 1,
    ...differing,
  };
}

export function roundOf(at: number, differing: Partial<DreamRound> = {}): DreamRound {
  const none = { started: 0, outcomes: {}, counted: [], startedAt: null, endedAt: null };
  return { at, ...none, ...differing };
}

export function scheduleOf(tenant: string, differing: Partial<DreamSchedule> = {}): DreamSchedule {
  return {
    tenant,
    name: 'nightly',
    cronHash: 'cron-1',
    policyGeneration: 1,
    nextAt: NOW,
    startedAfter: null,
    last: roundOf(NOW - 1, {
      started: 2,
      outcomes: { Dreamed: 1, Failed: 1 },
      startedAt: NOW - 1,
      endedAt: NOW,
    }),
    version: 1,
    ...differing,
  };
}

/** The n-th proposal for Ann; ids sort by their number. */
export function proposalOf(tenant: string, n: number, differing: Partial<Proposal> = {}): Proposal {
  return {
    tenant,
    id: idOf(n),
    subject: ANN,
    subjectId: subjectIdOf(1),
    dream: 'nightly',
    state: 'Waiting',
    findings: ['TooManyRemoved'],
    baseVersion: 0,
    lines: [lineOf(1)],
    removed: [],
    added: [lineOf(1).id],
    archived: [lineOf(2)],
    dropped: [{ text: 'Ann has a yacht.', reason: 'No source says so.' }],
    day: DAY,
    diary: [lineOf(3)],
    contentHash: 'content-1',
    blocks: [{ path: DAILY, version: 1 }],
    leftBlocks: 0,
    readLines: 3,
    subjectVersion: 1,
    gatheredAt: NOW,
    model: 'm',
    at: NOW,
    decision: null,
    askedAt: null,
    version: 1,
    ...differing,
  };
}
