import { describe, expect, test } from 'vitest';
import {
  BATCHES_IN_FLIGHT_MAX,
  URGENT_CLAIMS_MAX,
  type ClaimedBatch,
  type RefreshActivities,
} from '#core/refresh/refresh-contract.ts';
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
      return { kind: 'Answered', inputTokens: 1, outputTokens: 1, called: true };
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
  test('has a bounded number of batches at work, and does all of them', async () => {
    const stage = new Stage();
    stage.claims.set('c', names('b', 8));
    const done = stage.round();
    await stage.quiet();
    expect(stage.begun).toHaveLength(BATCHES_IN_FLIGHT_MAX);
    await stage.endAll();
    expect(await done).toMatchObject({ rounds: 1, batches: 8, generated: 8, modelCalls: 8 });
    expect(stage.most).toBe(BATCHES_IN_FLIGHT_MAX);
  });

  test('claims urgent work at the next free lane and does it before what waits', async () => {
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

  test('urgent work that never ends lets what was claimed before have its turn', async () => {
    const stage = new Stage();
    stage.claims.set('c', names('b', 8));
    for (let n = 1; n <= 100; n += 1) stage.claims.set(`c/${String(n)}`, [`u${String(n)}`]);
    const done = stage.round({ takeUrgent: () => true });
    await stage.quiet();
    await stage.endAll();
    expect(await done).toMatchObject({ batches: 8 + URGENT_CLAIMS_MAX });
  });

  test('a round that leaves nothing asks the next one for nothing', async () => {
    const stage = new Stage();
    stage.claims.set('c', names('b', 2));
    const left: unknown[] = [];
    const done = stage.round({ onLeft: (claimIds) => left.push(claimIds) });
    await stage.quiet();
    await stage.endAll();
    expect(await done).toMatchObject({ batches: 2 });
    expect(left).toEqual([]);
  });

  test('a pause begins no other batch, and the next round asks for what is left', async () => {
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
