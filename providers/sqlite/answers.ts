/** Paid answers, each under the attempt that paid for it. */
import type { AnswerRecords } from '#core/ports/answer-records.ts';
import type { StoredAnswer } from '#core/records/answer.ts';

import type { Connection } from './connection.ts';
import { oldestOfTenants } from './oldest-of-tenants.ts';
import { recordTable } from './record-table.ts';

/** One step along the index per tenant, however many answers each has. */
const NEXT_TENANT = `
  SELECT tenant, at FROM answers
  WHERE text IS NOT NULL AND tenant > ? ORDER BY tenant, at LIMIT 1`;

export function answerRecords(connection: Connection): AnswerRecords {
  const answers = recordTable<StoredAnswer>(connection, {
    name: 'answers',
    key: ['tenant', 'attempt_id'],
    columns: {
      tenant: 'tenant',
      attempt_id: 'attemptId',
      batch_id: 'batchId',
      prompt_hash: 'promptHash',
      state: 'state',
      at: 'at',
      text: 'text',
    },
  });
  return {
    // A late repetition must not bring back a text that was forgotten.
    put: (answer) => connection.write(() => void answers.insertNew(answer)),
    find: (tenant, batchId, promptHash) =>
      connection.read(() => {
        const [answer] = answers.select(
          `tenant = ? AND batch_id = ? AND prompt_hash = ?
           ORDER BY text IS NULL, at DESC, attempt_id DESC LIMIT 1`,
          [tenant, batchId, promptHash],
        );
        return answer ?? null;
      }),
    ofBatch: (tenant, batchId) =>
      connection.read(() =>
        answers.select('tenant = ? AND batch_id = ? ORDER BY at, attempt_id', [tenant, batchId]),
      ),
    close: (tenant, batchId) =>
      connection.write(() => {
        connection.run(
          `UPDATE answers SET state = 'committed', text = NULL WHERE tenant = ? AND batch_id = ?`,
          [tenant, batchId],
        );
      }),
    forget: (tenant, query) => connection.write(() => forget(connection, tenant, query)),
    tenantsWithText: ({ after, limit }) =>
      connection.read(() => oldestOfTenants(connection, NEXT_TENANT, { after, limit })),
  };
}

/** What is forgotten is overwritten where it lay, as by an erasure. */
function forget(
  connection: Connection,
  tenant: string,
  { until, limit }: { until: number; limit: number },
): number {
  connection.script('PRAGMA secure_delete = ON');
  try {
    return connection.run(
      `UPDATE answers SET state = 'committed', text = NULL
       WHERE tenant = ? AND attempt_id IN (
         SELECT attempt_id FROM answers
         WHERE tenant = ? AND text IS NOT NULL AND at <= ? ORDER BY at, attempt_id LIMIT ?
       )`,
      [tenant, tenant, until, limit],
    );
  } finally {
    connection.script('PRAGMA secure_delete = OFF');
  }
}
