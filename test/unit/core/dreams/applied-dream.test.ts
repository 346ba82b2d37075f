import { describe, expect, test } from 'vitest';
import { appliedDream, diaryBlock, isOutdated } from '#core/dreams/applied-dream.ts';
import { Document } from '#core/records/document.ts';
import type { Proposal } from '#core/records/proposal.ts';
import { AT, lineOf } from '../memory-files/tier-samples.ts';

const PROPOSAL: Proposal = {
  tenant: 'acme',
  id: 'p1',
  subject: 'user/ann',
  subjectId: 's1',
  dream: 'nightly',
  state: 'Approved',
  findings: [],
  baseVersion: 4,
  lines: [lineOf('m1', 'Ann prefers tea.')],
  removed: [],
  added: ['m1'],
  archived: [lineOf('m0', 'Old.')],
  dropped: [],
  day: '2026-11-21',
  diary: [lineOf('d1', 'One line was added.')],
  contentHash: 'hash',
  blocks: [],
  leftBlocks: 0,
  readLines: 3,
  subjectVersion: 1,
  gatheredAt: AT,
  model: 'extractive',
  at: AT,
  decision: null,
  askedAt: null,
  version: 1,
};
const IDS = { memory: 'i1', diary: 'i2', archive: 'i3' };

describe('applying a proposal writes', () => {
  test('DREAM-03: the next version of MEMORY.md, the diary of the day and the archive', () => {
    const { memory, diary, archive } = appliedDream(PROPOSAL, IDS, { at: AT + 5 });
    expect(Document.parse(memory)).toMatchObject({
      path: 'MEMORY.md',
      version: 5,
      kind: 'Core',
      lines: PROPOSAL.lines,
      author: 'dream',
      proposalId: 'p1',
      at: AT + 5,
    });
    expect(Document.parse({ ...diary, version: 1 })).toMatchObject({
      path: 'memory/dreams/2026-11-21.md',
      kind: 'Diary',
      heading: 'Deep Dream',
      lines: PROPOSAL.diary,
    });
    expect(Document.parse({ ...archive, version: 1 })).toMatchObject({
      path: 'memory/archive.md',
      kind: 'Archive',
      lines: PROPOSAL.archived,
    });
  });

  test('each block once, however often the proposal is applied', () => {
    const again = { memory: 'j1', diary: 'j2', archive: 'j3' };
    const [first, second] = [
      appliedDream(PROPOSAL, IDS, { at: AT }),
      appliedDream(PROPOSAL, again, { at: AT }),
    ];
    expect(first.diary?.key).toBe('dream/p1');
    expect([second.diary?.key, second.archive?.key]).toEqual(['dream/p1', first.archive?.key]);
  });

  test('no block if there is nothing to say or to move', () => {
    const quiet = { ...PROPOSAL, archived: [], diary: [] };
    expect(appliedDream(quiet, IDS, { at: AT })).toMatchObject({ diary: null, archive: null });
    expect(diaryBlock(quiet, 'i2', AT)).toBeNull();
  });

  test('nothing if someone changed MEMORY.md in the meantime', () => {
    expect([3, 4, 5].map((current) => isOutdated(PROPOSAL, current))).toEqual([true, false, true]);
  });
});
