import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY_SOURCE_HASH, sourceHashOf, sourceLane, xorHash } from '#core/hash.ts';
import {
  DROPPED_SOURCES_MAX,
  UNSEEN_SOURCES_MAX,
  emptyScopeRecord,
  type DroppedSource,
  type ScopeRecord,
} from '#core/records/scope-record.ts';
import type { ScopeChange } from '#core/sources/source-change.ts';
import {
  applyChange,
  applyCommit,
  NO_SOURCES,
  type CommittedScope,
} from '#core/refresh/scope-transitions.ts';
import {
  digest,
  HOUR_MS,
  idOf,
  leaseOf,
  MINUTE_MS,
  NOW,
  userScope,
} from '#test/conformance/samples.ts';
import { duePolicy, settledScope, SOURCES } from './scope-records.ts';

const RULES = { policy: duePolicy(), now: NOW + MINUTE_MS };
const LANE = digest('lane');

function changeOf(differing: Partial<ScopeChange> = {}): ScopeChange {
  const added = { lanes: [LANE], sources: 1, tokens: 10, bytes: 40 };
  return { ...added, dropped: [], written: [], expiresAt: null, ...differing };
}

function committedOf(differing: Partial<CommittedScope> = {}): CommittedScope {
  return {
    sourceHash: digest('recounted'),
    sourceCount: 2,
    sourceTokens: 20,
    sourceBytes: 80,
    changes: 4,
    nextExpiryAt: null,
    cited: new Set<string>(),
    generated: true,
    ...differing,
  };
}

describe('a write', () => {
  test('is counted, added to the hash and marked once as the first', () => {
    const one = applyChange(settledScope(), changeOf(), RULES);
    expect(one).toMatchObject({
      changes: 1,
      sourceCount: 4,
      sourceTokens: 40,
      sourceBytes: 160,
      sourceHash: xorHash(SOURCES, LANE),
      firstStaleAt: RULES.now,
      version: 8,
    });
    const two = applyChange(one, changeOf({ changes: 5 }), { ...RULES, now: RULES.now + 1 });
    expect(two).toMatchObject({ changes: 6, sourceHash: SOURCES, firstStaleAt: RULES.now });
  });

  test('keeps the earliest end of a source, whatever comes later', () => {
    const ends = [9, null, 3, 5, null].map((at) => (at === null ? null : NOW + at * HOUR_MS));
    const record = ends.reduce(
      (scope, expiresAt) => applyChange(scope, changeOf({ expiresAt }), RULES),
      settledScope(),
    );
    expect(record.nextExpiryAt).toBe(NOW + 3 * HOUR_MS);
  });

  test('replaces the earlier reason for a dropped source', () => {
    const replaced: DroppedSource = { id: 'm-1', reason: 'SourceReplaced' };
    const deleted: DroppedSource = { id: 'm-1', reason: 'SourceDeleted' };
    const once = applyChange(settledScope(), changeOf({ dropped: [replaced] }), RULES);
    const twice = applyChange(once, changeOf({ dropped: [deleted] }), RULES);
    expect(twice.droppedSources).toEqual([deleted]);
  });

  test('keeps the list of dropped sources within its limit', () => {
    const dropped = Array.from({ length: DROPPED_SOURCES_MAX + 1 }, (_, n): DroppedSource => ({
      id: idOf(n),
      reason: 'SourceDeleted',
    }));
    const record = applyChange(settledScope(), changeOf({ dropped }), RULES);
    expect(record.droppedSources).toHaveLength(DROPPED_SOURCES_MAX);
  });

  test('records a changed source once, newest last, within the limit', () => {
    const ids = Array.from({ length: UNSEEN_SOURCES_MAX }, (_, n) => idOf(n));
    const full = applyChange(settledScope(), changeOf({ written: ids }), RULES);
    const again = applyChange(full, changeOf({ written: [idOf(3), 'm-new'] }), RULES);
    expect(again.unseenSources).toHaveLength(UNSEEN_SOURCES_MAX);
    expect(again.unseenSources.slice(-2)).toEqual([
      { id: idOf(3), change: 2 },
      { id: 'm-new', change: 2 },
    ]);
    expect(again.unseenSources.filter(({ id }) => id === idOf(3))).toHaveLength(1);
  });

  test('records no source if there is no summary and none is being made', () => {
    const idle = settledScope({ generatedAt: null });
    expect(applyChange(idle, changeOf({ written: ['m-1'] }), RULES).unseenSources).toEqual([]);
    const leased = { ...idle, lease: leaseOf(idle) };
    expect(applyChange(leased, changeOf({ written: ['m-1'] }), RULES).unseenSources).toEqual([
      { id: 'm-1', change: 1 },
    ]);
  });

  test('never lowers a count below zero', () => {
    const record = applyChange(
      emptyScopeRecord(userScope('acme')),
      changeOf({ sources: -1, tokens: -10, bytes: -40 }),
      RULES,
    );
    const nothing = { sourceCount: 0, sourceTokens: 0, sourceBytes: 0 };
    expect(record).toMatchObject({ ...nothing, changes: 1 });
  });

  test('restores the attempts of a dead-lettered scope', () => {
    const deadLetter = { code: 'TIMEOUT', reason: 'TIMEOUT', at: NOW };
    const revived = applyChange(settledScope({ attempts: 3, deadLetter }), changeOf(), RULES);
    expect(revived).toMatchObject({ attempts: 0, deadLetter: null });
    expect(revived.dueAt).not.toBeNull();
    const failing = applyChange(settledScope({ attempts: 2 }), changeOf(), RULES);
    expect(failing.attempts).toBe(2);
  });
});

describe('a commit', () => {
  const leased = (differing: Partial<ScopeRecord>): ScopeRecord => {
    const record = settledScope({ changes: 4, firstStaleAt: NOW, attempts: 2, ...differing });
    return { ...record, lease: leaseOf(record) };
  };

  test('without writes in between repairs the counts and settles the scope', () => {
    const next = applyCommit(leased({ sourceCount: 9, sourceTokens: 9 }), committedOf(), RULES);
    expect(next).toMatchObject({
      changes: 0,
      sourceHash: digest('recounted'),
      sourceCount: 2,
      sourceTokens: 20,
      sourceBytes: 80,
      firstStaleAt: null,
      lease: null,
      attempts: 0,
      checkedAt: RULES.now,
      generatedAt: RULES.now,
      dueTrigger: 'MaxAge',
      version: 8,
    });
  });

  test('keeps later sources unseen, and clears those that were read', () => {
    const unseenSources = [
      { id: 'm-4', change: 4 },
      { id: 'm-5', change: 5 },
    ];
    const next = applyCommit(leased({ changes: 7, unseenSources }), committedOf(), RULES);
    expect(next.unseenSources).toEqual([{ id: 'm-5', change: 1 }]);
    expect(applyCommit(leased({ unseenSources }), committedOf(), RULES).unseenSources).toEqual([
      { id: 'm-5', change: 1 },
    ]);
  });

  test('keeps a source unseen while it is withheld, even if it was read', () => {
    const droppedSources: DroppedSource[] = [{ id: 'm-1', reason: 'SourceReplaced' }];
    const unseenSources = [{ id: 'm-1', change: 2 }];
    const record = leased({ changes: 7, droppedSources, unseenSources });
    const next = applyCommit(record, committedOf({ cited: new Set(['m-1']) }), RULES);
    expect(next).toMatchObject({ droppedSources, unseenSources: [{ id: 'm-1', change: 1 }] });
  });

  test('keeps writes in between counted, so that the scope stays stale', () => {
    const record = leased({ changes: 7 });
    const next = applyCommit(record, committedOf(), RULES);
    expect(next).toMatchObject({
      changes: 3,
      sourceHash: record.sourceHash,
      sourceCount: record.sourceCount,
      firstStaleAt: RULES.now,
      dueAt: RULES.now,
      dueTrigger: 'Changes',
    });
  });

  test('forgets sources dropped before, since the new facts do not rest on them', () => {
    const droppedSources: DroppedSource[] = [{ id: 'm-1', reason: 'SourceReplaced' }];
    const cited = new Set(['m-1']);
    const next = applyCommit(
      leased({ droppedSources, urgentAt: NOW }),
      committedOf({ cited }),
      RULES,
    );
    expect(next.droppedSources).toEqual([]);
    expect(next.dueTrigger).not.toBe('Urgent');
  });

  test('with writes in between keeps facts on a dropped source withheld and urgent', () => {
    const droppedSources: DroppedSource[] = [
      { id: 'm-1', reason: 'SourceReplaced' },
      { id: 'm-2', reason: 'SourceDeleted' },
    ];
    const record = leased({ droppedSources, changes: 5, urgentAt: NOW + 1 });
    const next = applyCommit(record, committedOf({ cited: new Set(['m-1']) }), RULES);
    expect(next.droppedSources).toEqual(droppedSources.slice(0, 1));
    expect(next.dueTrigger).toBe('Urgent');
    // Looked at already, so not before a minute has passed since the mark.
    expect(next.dueAt).toBe(NOW + 1 + 75_000);
  });

  test('without a new summary updates the check time but not the generation time', () => {
    const next = applyCommit(leased({}), committedOf({ generated: false }), RULES);
    expect(next).toMatchObject({ checkedAt: RULES.now, generatedAt: NOW });
  });

  test('of an emptied scope clears its due time and counts', () => {
    const record = leased({ nextExpiryAt: NOW, sourceHash: digest('drifted') });
    const next = applyCommit(record, committedOf({ ...NO_SOURCES, generated: false }), RULES);
    expect(next).toMatchObject({
      sourceHash: EMPTY_SOURCE_HASH,
      sourceCount: 0,
      nextExpiryAt: null,
      generatedAt: null,
      dueAt: null,
      dueTrigger: null,
    });
  });

  test('leaves the true hash and count, whatever writes come around it', () => {
    const write = fc.record({ id: fc.uuid(), contentHash: fc.stringMatching(/^[0-9a-f]{64}$/) });
    fc.assert(
      fc.property(fc.array(write), fc.array(write), (before, during) => {
        const add = (record: ScopeRecord, source: (typeof before)[number]) =>
          applyChange(record, changeOf({ lanes: [sourceLane(digest, source)] }), RULES);
        const read = before.reduce(add, emptyScopeRecord(userScope('acme')));
        const sourceHash = sourceHashOf(digest, before);
        const counted = { sourceCount: before.length, sourceTokens: before.length * 10 };
        const committed = committedOf({ sourceHash, ...counted, changes: read.changes });
        const next = applyCommit(during.reduce(add, read), committed, RULES);
        expect(next.sourceHash).toBe(sourceHashOf(digest, [...before, ...during]));
        expect(next.changes).toBe(during.length);
        expect(next.sourceCount).toBe(before.length + during.length);
      }),
      { numRuns: 50 },
    );
  });
});
