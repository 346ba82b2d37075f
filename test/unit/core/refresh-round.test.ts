import { describe, expect, test } from 'vitest';
import {
  BATCHES_IN_FLIGHT_MAX,
  URGENT_CLAIMS_MAX,
  type ClaimedBatch,
  type RefreshActivities,
  type SummarizeReport,
} from '#core/refresh/refresh-contract.ts';
import { VarveError } from '#core/errors.ts';
import { refreshRound, type RoundInput } from '#core/refresh/refresh-round.ts';

const TENANT = 'acme';

const batch = (batchId: string): ClaimedBatch => ({
  batchId,
  model: 'm',
  layers: ['user'],
  items: 1,
  sourceTokens: 10,
});

/** What the activities were asked, in order; each call of the model ends when the test says so. */
class Stage {
  readonly claims = new Map<string, readonly string[]>();
  readonly claimed: string[] = [];
  readonly begun: string[] = [];
  readonly committed: string[] = [];
  readonly doors = new Map<string, () => void>();
  most = 0;

  readonly activities: RefreshActivities = {
    readWindow: () => Promise.resolve({ kind: 'Idle', wanted: 0 }),
    claimBatches: ({ claimId }) => {
      this.claimed.push(claimId);
      const batches = (this.claims.get(claimId) ?? []).map(batch);
      return Promise.resolve({ batches, unchanged: 0, emptied: 0 });
    },
    summarizeBatch: async ({ batchId }) => {
      this.begun.push(batchId);
      this.most = Math.max(this.most, this.begun.length - this.committed.length);
      await new Promise<void>((resolve) => this.doors.set(batchId, resolve));
      return { kind: 'Answered', inputTokens: 1, outputTokens: 1, called: true, calls: 1 };
    },
    commitBatch: ({ batchId }) => {
      this.committed.push(batchId);
      const none = { emptied: 0, refused: 0, lost: 0, advanced: 0 };
      return Promise.resolve({ ...none, generated: 1 });
    },
    releaseBatch: () => Promise.resolve({ deadLettered: 0 }),
    acknowledge: () => Promise.resolve(true),
  };

  /** Ends a call, and lets what follows from it happen. */
  async end(batchId: string): Promise<void> {
    this.doors.get(batchId)?.();
    await this.quiet();
  }

  async quiet(): Promise<void> {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }

  async endAll(): Promise<void> {
    while (this.committed.length < this.begun.length) {
      for (const open of this.doors.values()) open();
      await this.quiet();
    }
  }

  round(differing: Partial<RoundInput> = {}) {
    const codeOf = () => 'PROVIDER_ERROR' as const;
    const input = { tenant: TENANT, claimId: 'c', kind: 'Due' as const, codeOf, ...differing };
    return refreshRound(this.activities, input);
  }
}

const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${prefix}${String(n)}`);

describe('a round', () => {
  test('limits its concurrent batches and completes all of them', async () => {
    const stage = new Stage();
    stage.claims.set('c', names('b', 8));
    const done = stage.round();
    await stage.quiet();
    expect(stage.begun).toHaveLength(BATCHES_IN_FLIGHT_MAX);
    await stage.endAll();
    expect(await done).toMatchObject({ rounds: 1, batches: 8, generated: 8, modelCalls: 8 });
    expect(stage.most).toBe(BATCHES_IN_FLIGHT_MAX);
  });

  test('claims urgent work at the next free lane and does it before waiting batches', async () => {
    const stage = new Stage();
    stage.claims.set('c', names('b', 8));
    stage.claims.set('c/1', ['urgent']);
    let urgent = false;
    const takeUrgent = () => {
      const came = urgent;
      urgent = false;
      return came;
    };
    const done = stage.round({ takeUrgent });
    await stage.quiet();
    urgent = true;
    await stage.end('b0');
    expect(stage.begun).toEqual(['b0', 'b1', 'b2', 'b3', 'urgent']);
    await stage.endAll();
    expect(await done).toMatchObject({ batches: 9, generated: 9 });
    expect(stage.claimed).toEqual(['c', 'c/1']);
  });

  test('gives earlier batches their turn even if urgent work never ends', async () => {
    const stage = new Stage();
    stage.claims.set('c', names('b', 8));
    for (let n = 1; n <= 100; n += 1) stage.claims.set(`c/${String(n)}`, [`u${String(n)}`]);
    const done = stage.round({ takeUrgent: () => true });
    await stage.quiet();
    await stage.endAll();
    expect(await done).toMatchObject({ batches: 8 + URGENT_CLAIMS_MAX });
  });

  test('keeps its other batches if someone else has done the urgent work', async () => {
    const stage = new Stage();
    stage.claims.set('c', ['b']);
    let asked = 0;
    const done = stage.round({ takeUrgent: () => (asked += 1) === 1 });
    await stage.quiet();
    await stage.endAll();
    expect(await done).toMatchObject({ batches: 1, generated: 1 });
    expect(stage.claimed).toEqual(['c', 'c/1']);
  });

  test('leaves nothing to the next round if it completes all', async () => {
    const stage = new Stage();
    stage.claims.set('c', names('b', 2));
    const left: unknown[] = [];
    const done = stage.round({ onLeft: (claimIds) => left.push(claimIds) });
    await stage.quiet();
    await stage.endAll();
    expect(await done).toMatchObject({ batches: 2 });
    expect(left).toEqual([]);
  });

  test('starts no batch after a pause, and the next round takes over the rest', async () => {
    const stage = new Stage();
    stage.claims.set('c', names('b', 8));
    const state: { paused: boolean; left: readonly string[] } = { paused: false, left: [] };
    const done = stage.round({
      isPaused: () => state.paused,
      onLeft: (claimIds) => {
        state.left = claimIds;
      },
    });
    await stage.quiet();
    state.paused = true;
    await stage.endAll();
    expect(await done).toMatchObject({ batches: BATCHES_IN_FLIGHT_MAX });
    expect(state.left).toEqual(['c']);

    // As the store answers: what is still under its lease.
    stage.claims.set('c', names('b', 8).slice(BATCHES_IN_FLIGHT_MAX));
    const rest = stage.round({ claimId: 'd', openClaims: state.left });
    await stage.quiet();
    await stage.endAll();
    expect(await rest).toMatchObject({ batches: 8 - BATCHES_IN_FLIGHT_MAX });
    expect(stage.claimed).toEqual(['c', 'c']);
    expect(stage.begun.toSorted()).toEqual(names('b', 8));
  });
});

describe('a batch of a round', () => {
  const details = {
    ...{ measure: 'tokens' as const, limit: 10, spent: 9, reserved: 0, requested: 5 },
    periodEndsAt: 99,
  };
  const exhausted = { kind: 'Exhausted', details, rejected: true } as const;
  const answered = {
    kind: 'Answered',
    inputTokens: 7,
    outputTokens: 5,
    called: true,
    calls: 1,
  } as const;
  const away = new VarveError('RATE_LIMITED', 'Try later.');

  /** A round of one batch whose model answers or fails so, and what became of the batch. */
  async function rounded(answer: SummarizeReport | Error, failsToCommit: Error | null = null) {
    const told: unknown[] = [];
    const activities: RefreshActivities = {
      ...new Stage().activities,
      claimBatches: () => Promise.resolve({ batches: [batch('b')], unchanged: 2, emptied: 3 }),
      summarizeBatch: () =>
        answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer),
      commitBatch: (input) => {
        if (failsToCommit !== null) return Promise.reject(failsToCommit);
        told.push({ commit: input });
        return Promise.resolve({ generated: 1, emptied: 1, refused: 1, lost: 1, advanced: 1 });
      },
      releaseBatch: (input) => {
        told.push({ release: input });
        return Promise.resolve({ deadLettered: 0 });
      },
    };
    const totals = await refreshRound(activities, {
      ...{ tenant: TENANT, claimId: 'c', kind: 'Due' },
      codeOf: (failure) => (failure === away ? 'RATE_LIMITED' : 'CANCELLED'),
      onClaimed: (batches) => told.push({ claimed: batches.length }),
      onFailure: (code) => told.push({ failed: code }),
      onExhausted: (report) => told.push({ report }),
    });
    return { totals, told };
  }

  const NOTHING = {
    ...{ rounds: 1, batches: 1, generated: 0, unchanged: 2, emptied: 3, refused: 0 },
    ...{ advanced: 0, modelCalls: 0, inputTokens: 0, outputTokens: 0 },
  };
  const DONE = {
    ...NOTHING,
    ...{ generated: 1, emptied: 4, refused: 1, advanced: 1, inputTokens: 7, outputTokens: 5 },
  };
  const ID = { tenant: TENANT, batchId: 'b' };
  const released = (code: string) => [{ failed: code }, { release: { ...ID, code } }];

  test.each<[string, SummarizeReport | Error, Error | null, object, readonly object[]]>([
    ['is committed', answered, null, { ...DONE, modelCalls: 1 }, [{ commit: ID }]],
    [
      'counts every call of its model',
      { ...answered, calls: 3 },
      null,
      { ...DONE, modelCalls: 3 },
      [{ commit: ID }],
    ],
    [
      'counts no call if the answer was already paid for',
      { ...answered, called: false, calls: 0 },
      null,
      DONE,
      [{ commit: ID }],
    ],
    [
      'is committed as far as it was answered, with the failure of the rest',
      { ...answered, failure: 'TIMEOUT' },
      null,
      { ...DONE, modelCalls: 1 },
      [{ failed: 'TIMEOUT' }, { commit: { ...ID, failure: 'TIMEOUT' } }],
    ],
    ['that is gone is skipped', { kind: 'Gone' }, null, NOTHING, []],
    [
      'that exceeds the budget is released with what is lacking',
      exhausted,
      null,
      NOTHING,
      [
        { failed: 'BUDGET_EXHAUSTED' },
        { report: exhausted },
        { release: { ...ID, code: 'BUDGET_EXHAUSTED', exhaustion: details } },
      ],
    ],
    ['whose model fails is released', away, null, NOTHING, released('RATE_LIMITED')],
    ['that cannot be committed is released', answered, away, NOTHING, released('RATE_LIMITED')],
  ])('%s', async (_, answer, failsToCommit, totals, steps) => {
    const round = await rounded(answer, failsToCommit);
    expect(round).toEqual({ totals, told: [{ claimed: 1 }, ...steps] });
  });

  test('of a cancelled round keeps its lease, and the round is rejected', async () => {
    const cancelled = new VarveError('CANCELLED', 'Cancelled.');
    await expect(rounded(cancelled)).rejects.toBe(cancelled);
  });
});
