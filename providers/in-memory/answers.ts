/** Paid answers, each under the attempt that paid for it. */
import type { AnswerRecords } from '#core/ports/answer-records.ts';
import type { StoredAnswer } from '#core/records/answer.ts';

import type { Database } from './database.ts';

export function answerRecords(database: Database): AnswerRecords {
  const { answers } = database.tables;
  const ofBatch = (tenant: string, batchId: string): readonly StoredAnswer[] =>
    answers
      .group(tenant)
      .filter((answer) => answer.batchId === batchId)
      .toSorted((a, b) => a.at - b.at || (a.attemptId < b.attemptId ? -1 : 1));
  return {
    put: (answer) =>
      database.write(() => {
        // A late repetition must not bring back a text that was forgotten.
        if (answers.get(answer.tenant, answer.attemptId) === null) answers.put(answer);
      }),
    find: (tenant, batchId, promptHash) =>
      database.read(() => {
        const found = ofBatch(tenant, batchId).filter((each) => each.promptHash === promptHash);
        return found.findLast(({ text }) => text !== null) ?? found.at(-1) ?? null;
      }),
    ofBatch: (tenant, batchId) => database.read(() => ofBatch(tenant, batchId)),
    close: (tenant, batchId) =>
      database.write(() => {
        for (const answer of ofBatch(tenant, batchId)) {
          answers.put({ ...answer, state: 'committed', text: null });
        }
      }),
    forget: (tenant, { until, limit }) =>
      database.write(() => {
        const old = answers
          .group(tenant)
          .filter(({ text, at }) => text !== null && at <= until)
          .toSorted((a, b) => a.at - b.at || (a.attemptId < b.attemptId ? -1 : 1))
          .slice(0, limit);
        for (const answer of old) answers.put({ ...answer, state: 'committed', text: null });
        return old.length;
      }),
    tenantsWithText: ({ after, limit }) =>
      database.read(() => {
        const oldest = new Map<string, number>();
        for (const { tenant, text, at } of answers.all()) {
          if (text === null || (after !== null && tenant <= after)) continue;
          oldest.set(tenant, Math.min(at, oldest.get(tenant) ?? at));
        }
        return [...oldest]
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .slice(0, limit)
          .map(([tenant, oldestAt]) => ({ tenant, oldestAt }));
      }),
  };
}
