/** When the text of old turns may be deleted. */
import { describe, expect, test } from 'vitest';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { emptyScopeRecord, type ScopeRecord } from '#core/records/scope-record.ts';
import { retentionMsOf, retentionOf, WAITING_TIMES } from '#core/retention/when-to-compact.ts';
import { DAY_MS, digest, leaseOf, NOW, sessionScope } from '#test/conformance/samples.ts';

const HASH = digest('sources');
const POLICY = { ...defaultPolicy('acme'), transcriptRetentionDays: 10 };
const RULES = { retentionMs: retentionMsOf(POLICY), now: NOW };
const LONG_AGO = NOW - WAITING_TIMES * 10 * DAY_MS;

const RECORD: ScopeRecord = { ...emptyScopeRecord(sessionScope('acme')), sourceHash: HASH };
const SUMMARY = { sourceHash: HASH };
const OTHER = { sourceHash: '' };
const DROPPED = { id: 'm', reason: 'SourceDeleted' as const };

const recordOf = (differing: Partial<ScopeRecord>): ScopeRecord => ({ ...RECORD, ...differing });
const leased = (until: number) => recordOf({ lease: leaseOf(RECORD, { until }) });
const letter = (at: number) => ({ code: 'TIMEOUT', reason: 'TIMEOUT', at });
const ALL = { kind: 'Compact', uncovered: 0, isOverdue: false };
const WAIT = { kind: 'Wait' };

describe('old turns of a session', () => {
  test.each([
    ['are compacted once the summary covers these sources', RECORD, SUMMARY, ALL],
    ['are compacted after a lost lease has ended', leased(NOW), SUMMARY, ALL],
    ['wait while a summary is being generated', leased(NOW + 1), SUMMARY, WAIT],
    ['wait without a summary', RECORD, null, { ...ALL, uncovered: Infinity }],
    [
      'are compacted except those that may be newer than the summary',
      recordOf({ changes: 3 }),
      OTHER,
      { ...ALL, uncovered: 3 },
    ],
    ['wait if the changes are unknown', RECORD, OTHER, { ...ALL, uncovered: Infinity }],
    [
      'wait while the summary cites a deleted source',
      recordOf({ droppedSources: [DROPPED] }),
      SUMMARY,
      { ...ALL, uncovered: Infinity },
    ],
    [
      'wait if the scope is a dead letter, whatever its fallback summary says',
      recordOf({ deadLetter: letter(LONG_AGO + 1) }),
      SUMMARY,
      { ...ALL, uncovered: Infinity },
    ],
    [
      'wait for at most twice the retention time after the scope became a dead letter',
      recordOf({ deadLetter: letter(LONG_AGO) }),
      SUMMARY,
      { ...ALL, uncovered: Infinity, isOverdue: true },
    ],
    [
      'wait for a summary for at most twice the retention time',
      recordOf({ firstStaleAt: LONG_AGO }),
      null,
      { ...ALL, uncovered: Infinity, isOverdue: true },
    ],
    [
      'wait for a summary until twice the retention time has passed',
      recordOf({ firstStaleAt: LONG_AGO + 1 }),
      null,
      { ...ALL, uncovered: Infinity },
    ],
  ])('%s', (_, record, summary, decision) => {
    expect(retentionOf(record, summary, RULES)).toEqual(decision);
  });

  test('the retention time is in whole days of the policy', () => {
    expect(retentionMsOf(POLICY)).toBe(10 * DAY_MS);
  });
});
