import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { MINUTE_MS, SECOND_MS } from '#test/conformance/samples.ts';
import { openFixture } from '#test/unit/activities/refresh-fixture.ts';

const TENANT = 'acme';
const MEMORIES = 1_000;
const BULK = 250;
/** Deletions after each of which a refresh looks for what is due. */
const LOOK_EVERY = 20;
const TEST_MS_MAX = 120_000;

describe('a clean-up', () => {
  test(
    'deleting 1,000 memories one by one regenerates their scope once',
    async () => {
      await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
      const ids: string[] = [];
      for (let first = 0; first < MEMORIES; first += BULK) {
        const memories = Array.from({ length: BULK }, (_, n) => ({
          layer: 'user' as const,
          identifiers: { userId: 'ann' },
          content: `Ann paid invoice ${String(first + n)} on 3 May 2026.`,
        }));
        const answer = await OPERATIONS.memory.bulkAdd.call(fixture.ports, LOCAL_OPERATOR, {
          tenant: TENANT,
          memories,
        });
        for (const item of answer.items) if (item.ok) ids.push(item.id);
      }
      await fixture.add(TENANT, 'Ann keeps the ledger in Bergen.');
      while ((await fixture.round(TENANT)).batches > 0);
      const before = fixture.calls.length;
      let [generated, urgent] = [0, 0];
      for (const [n, id] of ids.entries()) {
        await fixture.remove(TENANT, id);
        fixture.advance(10);
        const { dueTrigger } = await fixture.scope(TENANT);
        if (dueTrigger === 'Urgent') urgent += 1;
        if (n % LOOK_EVERY === 0) generated += (await fixture.round(TENANT, 'Due')).generated;
      }
      expect(urgent).toBeGreaterThan(0);
      fixture.advance(15 * SECOND_MS);
      generated += (await fixture.round(TENANT, 'Due')).generated;
      fixture.advance(5 * MINUTE_MS);
      generated += (await fixture.round(TENANT, 'Due')).generated;
      expect(generated).toBe(1);
      expect(fixture.calls.length - before).toBe(1);
      expect(await fixture.summary(TENANT)).toMatchObject({
        sourceCount: 1,
        freshness: { stale: false },
      });
    },
    TEST_MS_MAX,
  );
});
