import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { MINUTE_MS, SECOND_MS } from '#test/conformance/samples.ts';
import { openStand } from '#test/unit/activities/refresh-stand.ts';

const TENANT = 'acme';
const MEMORIES = 1_000;
const BULK = 250;
/** Deletions after each of which a refresh looks for what is due. */
const LOOK_EVERY = 20;
const TEST_MS_MAX = 120_000;

describe('a clean-up', () => {
  test(
    'deleting 1,000 memories one by one costs one regeneration of their scope',
    async () => {
      await using stand = await openStand({ answer: (_, extractive) => extractive() });
      const ids: string[] = [];
      for (let first = 0; first < MEMORIES; first += BULK) {
        const memories = Array.from({ length: BULK }, (_, n) => ({
          layer: 'user' as const,
          identifiers: { userId: 'ann' },
          content: `Ann paid invoice ${String(first + n)} on 3 May 2026.`,
        }));
        const answer = await OPERATIONS.memory.bulkAdd.call(stand.ports, LOCAL_OPERATOR, {
          tenant: TENANT,
          memories,
        });
        for (const item of answer.items) if (item.ok) ids.push(item.id);
      }
      await stand.add(TENANT, 'Ann keeps the ledger in Bergen.');
      while ((await stand.round(TENANT)).batches > 0);
      const before = stand.calls.length;
      let [generated, urgent] = [0, 0];
      for (const [n, id] of ids.entries()) {
        await stand.remove(TENANT, id);
        stand.advance(10);
        const { dueTrigger } = await stand.scope(TENANT);
        if (dueTrigger === 'Urgent') urgent += 1;
        if (n % LOOK_EVERY === 0) generated += (await stand.round(TENANT, 'Due')).generated;
      }
      expect(urgent).toBeGreaterThan(0);
      stand.advance(15 * SECOND_MS);
      generated += (await stand.round(TENANT, 'Due')).generated;
      stand.advance(5 * MINUTE_MS);
      generated += (await stand.round(TENANT, 'Due')).generated;
      expect(generated).toBe(1);
      expect(stand.calls.length - before).toBe(1);
      expect(await stand.summary(TENANT)).toMatchObject({
        sourceCount: 1,
        freshness: { stale: false },
      });
    },
    TEST_MS_MAX,
  );
});
