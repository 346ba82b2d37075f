/** A turn that loses its text, and the effect on the scope of its session. */
import { describe, expect, test } from 'vitest';
import { addTotals } from '#core/add-totals.ts';
import { sourceLane } from '#core/hash.ts';
import {
  applyCompaction,
  COMPACTED_PER_CALL_MAX,
  compactedTurn,
  deletedTurn,
  deletionChange,
  erasedTurn,
  freedBytes,
  isAsSeen,
  isDeleted,
  isErased,
  requireCompactedPerCall,
} from '#core/retention/compacted-turn.ts';
import { hasCompacted, NO_COMPACTION } from '#core/retention/retention-contract.ts';
import type { Turn } from '#core/records/turn.ts';
import { digest, leaseOf, NOW, turnOf } from '#test/conformance/samples.ts';
import { settledScope } from '../scope-records.ts';

function said(n: number, content: string): Turn {
  return { ...turnOf('acme', n, { content }), sequence: n, tokenCount: 10 * n };
}

const FIRST = said(1, 'We moved to Braga in May.');
const SECOND = said(2, 'Fine by me.');
const quotesOf = (turn: Turn, ...quotes: readonly string[]) =>
  compactedTurn(turn, { id: turn.id, sequence: turn.sequence, quotes: [...quotes] }, NOW + 5);

describe('a compacted turn', () => {
  test('keeps the quotes of facts, its hash, tokens, time and position', () => {
    const gone = { content: '', saidUnits: null, toolCalls: [], toolCallId: null, vectors: null };
    const kept = { quotes: ['We moved'], compactedAt: NOW + 5 };
    expect(quotesOf(FIRST, 'We moved')).toEqual({ ...FIRST, ...gone, ...kept });
    expect(isDeleted(quotesOf(FIRST))).toBe(false);
  });

  test('frees the bytes of its text beyond its quotes', () => {
    expect(freedBytes(FIRST, quotesOf(FIRST, 'We moved'))).toBe(17);
    expect(freedBytes(FIRST, quotesOf(FIRST))).toBe(25);
  });

  test('keeps the sources of its scope, and changes only its bytes and version', () => {
    const record = settledScope({ sourceBytes: 30, version: 4 });
    expect(applyCompaction(record, 17)).toEqual({ ...record, sourceBytes: 13, version: 5 });
    expect(applyCompaction(record, 31)).toMatchObject({ sourceBytes: 0 });
  });
});

describe('a deleted turn', () => {
  test('keeps only that it existed', () => {
    const review = { state: 'Approved', contentHash: FIRST.contentHash } as const;
    const deleted = deletedTurn({ ...FIRST, review }, NOW + 5);
    const left = { ...quotesOf(FIRST), contentHash: '', tokenCount: 0, speaker: null };
    expect(deleted).toEqual(left);
    expect(deleted).not.toHaveProperty('review');
    expect(isDeleted(deleted)).toBe(true);
  });

  test('changes the hash and tokens of its scope, and drops the facts that cite it', () => {
    const pairs = [FIRST, SECOND].map((before) => ({ before, after: deletedTurn(before, NOW) }));
    expect(deletionChange(digest, pairs, new Set([SECOND.id, 'other']))).toEqual({
      lanes: [FIRST, SECOND].flatMap((turn) => [
        sourceLane(digest, turn),
        sourceLane(digest, { id: turn.id, contentHash: '' }),
      ]),
      sources: 0,
      tokens: -30,
      bytes: -36,
      dropped: [{ id: SECOND.id, reason: 'SourceDeleted' }],
      written: [],
      expiresAt: null,
      changes: 2,
    });
  });
});

describe('an erased turn', () => {
  test.each([
    ['with its words', FIRST],
    ['that was deleted before', deletedTurn(FIRST, NOW + 5)],
  ])('%s keeps only its place and time', (_, turn) => {
    const named = { ...turn, utcOffset: 60, flushId: 'f-1' };
    const erased = erasedTurn(named, NOW + 5);
    const left = { ...deletedTurn(FIRST, NOW + 5), id: 'erased/1', flushId: null };
    expect(erased).toEqual(left);
    expect(isErased(erased)).toBe(true);
    expect(erasedTurn(erased, NOW + 9)).toEqual(erased);
  });

  test('is another than a deleted one, which has its id', () => {
    expect(isErased(deletedTurn(FIRST, NOW))).toBe(false);
    expect(isErased(FIRST)).toBe(false);
  });
});

describe('a compaction', () => {
  const seen = settledScope({ version: 4 });
  const leased = { ...seen, lease: leaseOf(seen, { until: NOW }) };

  test('proceeds only if nobody has written since and nobody holds a lease', () => {
    expect(isAsSeen(seen, seen, NOW)).toBe(true);
    expect(isAsSeen({ ...seen, version: 5 }, seen, NOW)).toBe(false);
    expect(isAsSeen(leased, seen, NOW - 1)).toBe(false);
    expect(isAsSeen(leased, seen, NOW)).toBe(true);
  });

  test('is refused for more turns than one call may compact', () => {
    const turns = Array.from({ length: COMPACTED_PER_CALL_MAX }, () => FIRST);
    expect(() => {
      requireCompactedPerCall(turns);
    }).not.toThrow();
    expect(() => {
      requireCompactedPerCall([...turns, FIRST]);
    }).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        details: { turns: COMPACTED_PER_CALL_MAX + 1, limit: COMPACTED_PER_CALL_MAX },
      }),
    );
  });

  test('adds up its steps, and reports an event if anything was removed', () => {
    const one = addTotals(NO_COMPACTION, { turns: 2 });
    const both = addTotals(one, { turns: 3, answers: 1 });
    expect(both).toEqual({ ...NO_COMPACTION, turns: 5, answers: 1 });
    expect([NO_COMPACTION, one, both].map(hasCompacted)).toEqual([false, true, true]);
    expect(hasCompacted({ ...NO_COMPACTION, answers: 1 })).toBe(true);
    expect(hasCompacted({ ...NO_COMPACTION, waiting: 1 })).toBe(false);
  });
});
