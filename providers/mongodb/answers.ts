/** Paid answers, each under the attempt that paid for it. */
import type { AnswerRecords, OldestAnswer } from '#core/ports/answer-records.ts';
import type { StoredAnswer } from '#core/records/answer.ts';

import { decodeRecord, encodeRecord, type Fields } from './record-document.ts';
import type { Stored, Table } from './table.ts';

export interface AnswerDocument extends Stored {
  readonly record: Fields;
  readonly batchId: string;
  readonly promptHash: string;
  readonly at: number;
  readonly hasText: boolean;
}

/** Attempts of one batch; the retry policy ends long before. */
const ANSWERS_MAX = 1_000;
const SHAPE = { name: 'answers', key: ['tenant', 'attemptId'] } as const;

/** What is changed of an answer whose text is forgotten. */
const CLOSED = { 'record.state': 'committed', 'record.text': null, hasText: false };

export function answerRecords(answers: Table<AnswerDocument>): AnswerRecords {
  const decode = (document: AnswerDocument) => decodeRecord<StoredAnswer>(SHAPE, document);
  return {
    // A late repetition must not bring back a text that was forgotten.
    put: async (answer) => void (await answers.insert(encodeAnswer(answer))),
    async find(tenant, batchId, promptHash) {
      const sort = { hasText: -1, at: -1, '_id.attemptId': -1 } as const;
      const found = await answers.first({ '_id.tenant': tenant, batchId, promptHash }, sort);
      return found === null ? null : decode(found);
    },
    async ofBatch(tenant, batchId) {
      const selection = { sort: { at: 1, '_id.attemptId': 1 }, limit: ANSWERS_MAX } as const;
      return (await answers.select({ '_id.tenant': tenant, batchId }, selection)).map(decode);
    },
    async close(tenant, batchId) {
      await answers.updateAll({ '_id.tenant': tenant, batchId }, { $set: CLOSED });
    },
    async forget(tenant, { until, limit }) {
      const old = { '_id.tenant': tenant, hasText: true, at: { $lte: until } };
      const sort = { at: 1, '_id.attemptId': 1 } as const;
      const found = await answers.select(old, { sort, limit, fields: ['_id'] });
      return answers.writeMany(
        found.map(({ _id }) => ({ condition: { _id }, change: { $set: CLOSED } })),
      );
    },
    // One step along the index per tenant, however many answers each has.
    async tenantsWithText({ after, limit }) {
      const found: OldestAnswer[] = [];
      for (let last = after ?? ''; found.length < limit;) {
        const later = { '_id.tenant': { $gt: last }, hasText: true };
        const first = await answers.first(later, { '_id.tenant': 1, at: 1 });
        if (first === null) break;
        last = first._id.tenant;
        found.push({ tenant: last, oldestAt: first.at });
      }
      return found;
    },
  };
}

function encodeAnswer(answer: StoredAnswer): AnswerDocument {
  const { batchId, promptHash, at, text } = answer;
  const document = encodeRecord<StoredAnswer>(SHAPE, answer);
  return { ...document, batchId, promptHash, at, hasText: text !== null };
}
