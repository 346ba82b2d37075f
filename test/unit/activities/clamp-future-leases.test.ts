/** Leases that were taken while a clock was ahead. */
import { describe, expect, test } from 'vitest';
import { requestDueRefreshes } from '#activities/request-due-refreshes.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { BATCH_LEASE_MS } from '#core/refresh/batch-lease.ts';
import type { ClaimedBatch } from '#core/refresh/refresh-contract.ts';
import { HOUR_MS, NOW } from '#test/conformance/samples.ts';
import { openFixture, type Fixture } from './refresh-fixture.ts';

const TENANT = 'acme';
const AHEAD_MS = 24 * HOUR_MS;

/** A worker whose clock was a day ahead took a scope; the clocks are right again. */
async function takenAhead(fixture: Fixture): Promise<ClaimedBatch> {
  await fixture.add(TENANT, 'Ann lives in Oslo with two cats.');
  fixture.advance(AHEAD_MS);
  const claim = { tenant: TENANT, claimId: 'ahead', kind: 'Stale' } as const;
  const { batches } = await fixture.activities.claimBatches(claim);
  fixture.advance(-AHEAD_MS);
  const [batch] = batches;
  if (batch === undefined) throw new Error('Nothing was claimed.');
  return batch;
}

const untilOf = async (fixture: Fixture) => (await fixture.scope(TENANT)).lease?.until;

describe('a lease taken with a clock that was ahead', () => {
  test('ends one lease time after it is found, and the scope is claimed again', async () => {
    await using fixture = await openFixture();
    await takenAhead(fixture);
    expect(await untilOf(fixture)).toBe(NOW + AHEAD_MS + BATCH_LEASE_MS);
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
    expect(await untilOf(fixture)).toBe(NOW + BATCH_LEASE_MS);
    fixture.advance(BATCH_LEASE_MS - 1);
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
    fixture.advance(1);
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 1, generated: 1 });
  });

  test('is found by the tick too, which then finds the tenant due', async () => {
    await using fixture = await openFixture();
    await takenAhead(fixture);
    const tick = () => requestDueRefreshes(fixture.parts, NO_REFRESH_TRIGGER);
    await tick();
    expect(await untilOf(fixture)).toBe(NOW + BATCH_LEASE_MS);
    fixture.advance(HOUR_MS);
    const { scopes } = fixture.parts.store;
    const now = fixture.parts.platform.clock();
    expect(await scopes.dueTenants({ now, limit: 10 })).toEqual([TENANT]);
  });

  test('leaves its holder one lease time, so that no second batch starts beside it', async () => {
    await using fixture = await openFixture();
    const { batchId } = await takenAhead(fixture);
    const batch = { tenant: TENANT, batchId };
    await fixture.activities.summarizeBatch(batch);
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
    expect(await fixture.activities.commitBatch(batch)).toMatchObject({ generated: 1 });
  });

  test('no longer lets its holder commit once another has claimed the scope', async () => {
    await using fixture = await openFixture();
    const { batchId } = await takenAhead(fixture);
    const batch = { tenant: TENANT, batchId };
    await fixture.activities.summarizeBatch(batch);
    await fixture.round(TENANT);
    fixture.advance(BATCH_LEASE_MS);
    const claim = { tenant: TENANT, claimId: 'second', kind: 'Stale' } as const;
    expect((await fixture.activities.claimBatches(claim)).batches).toHaveLength(1);
    expect(await fixture.activities.commitBatch(batch)).toMatchObject({ generated: 0 });
  });

  test('is left alone if the clocks differ only a little', async () => {
    await using fixture = await openFixture();
    await takenAhead(fixture);
    fixture.advance(AHEAD_MS - BATCH_LEASE_MS);
    await fixture.round(TENANT);
    expect(await untilOf(fixture)).toBe(NOW + AHEAD_MS + BATCH_LEASE_MS);
  });
});
