/** Paid answers, each under the attempt that paid for it. */
import type { AnswerRecords } from '#core/ports/store.ts';
import type { PaidAnswer } from '#core/records/paid-answer.ts';
import { ANSWERS } from './record-kinds-and-indexes.ts';
import { equal } from './storage-driver.ts';
import { type StoreParts, tenantsBy } from './store-parts.ts';

/** Maximum answers of one batch: one for each call, and one for each repetition of a call. */
const BATCH_ANSWERS_MAX = 10_000;

export function answerRecords({ driver, writes }: StoreParts): AnswerRecords {
  const forgetText = ({ tenant, attemptId }: PaidAnswer): Promise<boolean> =>
    writes.run(ANSWERS, [tenant, attemptId], ({ record, set }) => {
      if (record === null) return false;
      set({ ...record, state: 'committed', text: null });
      return record.text !== null;
    });
  const ofBatch = async (tenant: string, batchId: string, promptHash?: string) => {
    const found = await driver.scan(ANSWERS, {
      index: 'byBatch',
      where: equal({ tenant, batchId }, { promptHash }),
      limit: BATCH_ANSWERS_MAX,
    });
    return found.toSorted((a, b) => a.at - b.at || (a.attemptId < b.attemptId ? -1 : 1));
  };
  return {
    // A late repetition must not bring back a text that was deleted.
    async put(answer) {
      await driver.insert(ANSWERS, answer);
    },
    async find(tenant, batchId, promptHash) {
      const found = await ofBatch(tenant, batchId, promptHash);
      return found.findLast(({ text }) => text !== null) ?? found.at(-1) ?? null;
    },
    ofBatch: (tenant, batchId) => ofBatch(tenant, batchId),
    async close(tenant, batchId) {
      await Promise.all((await ofBatch(tenant, batchId)).map(forgetText));
    },
    async forget(tenant, { until, limit }) {
      const oldest = await driver.scan(ANSWERS, {
        where: [...equal({ tenant }), ['textAt', '<=', until]],
        order: ['textAt', 'attemptId'],
        limit,
      });
      const forgotten = await Promise.all(oldest.map(forgetText));
      return forgotten.filter(Boolean).length;
    },
    async tenantsWithText({ after, limit }) {
      const found = await tenantsBy(driver, ANSWERS, { column: 'textAt', after, limit });
      return found.map(({ group, least }) => ({ tenant: group, oldestAt: least }));
    },
  };
}
