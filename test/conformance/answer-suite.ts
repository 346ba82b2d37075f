/** The suite of `AnswerRecords`: an answer that was paid for is not asked for again. */
import { describe, expect, it } from 'vitest';

import type { PaidAnswer } from '#core/records/paid-answer.ts';

import { sharedStore, type Open } from './adapter.ts';
import { digest, NOW } from './samples.ts';

export function answerOf(tenant: string, differing: Partial<PaidAnswer> = {}): PaidAnswer {
  return {
    tenant,
    attemptId: 'attempt-1',
    batchId: 'batch-1',
    promptHash: 'prompt-1',
    state: 'paid',
    model: 'small',
    usage: { inputTokens: 10, outputTokens: 5 },
    items: [
      {
        item: '1',
        audience: '',
        tokens: 20,
        root: null,
        cited: [{ id: 'source-1', contentHash: digest('source') }],
        sourceHash: digest('sources'),
        sourceCount: 2,
        sourceTokens: 20,
        sourceBytes: 80,
        changes: 2,
        nextExpiryAt: null,
      },
    ],
    text: '{"items":[]}',
    at: NOW,
    ...differing,
  };
}

export function answerSuite(open: Open): void {
  describe('answers', () => {
    const fixture = sharedStore(open);

    it('an answer is found by its batch and prompt', async () => {
      const { store, tenant } = fixture();
      const answer = answerOf(tenant);
      await store.answers.put(answer);
      expect(await store.answers.find(tenant, 'batch-1', 'prompt-1')).toEqual(answer);
      expect(await store.answers.find(tenant, 'batch-1', 'prompt-2')).toBeNull();
      expect(await store.answers.find(tenant, 'batch-2', 'prompt-1')).toBeNull();
    });

    it('the newest answer that still has its text is found', async () => {
      const { store, tenant } = fixture();
      const old = answerOf(tenant, { at: NOW - 1 });
      const erased = answerOf(tenant, { attemptId: 'attempt-2', text: null });
      await store.answers.put(erased);
      expect(await store.answers.find(tenant, 'batch-1', 'prompt-1')).toEqual(erased);
      await store.answers.put(old);
      expect(await store.answers.find(tenant, 'batch-1', 'prompt-1')).toEqual(old);
      expect(await store.answers.ofBatch(tenant, 'batch-1')).toEqual([old, erased]);
    });

    it('STORE-33: closing a batch deletes the texts of its answers and keeps their costs', async () => {
      const { store, tenant } = fixture();
      const other = answerOf(tenant, { attemptId: 'attempt-2', batchId: 'batch-2' });
      await store.answers.put(answerOf(tenant));
      await store.answers.put(other);
      await store.answers.close(tenant, 'batch-1');
      const closed = answerOf(tenant, { state: 'committed', text: null });
      expect(await store.answers.ofBatch(tenant, 'batch-1')).toEqual([closed]);
      expect(await store.answers.ofBatch(tenant, 'batch-2')).toEqual([other]);
      await store.answers.close(tenant, 'batch-1');
      await store.answers.put(answerOf(tenant));
      expect(await store.answers.ofBatch(tenant, 'batch-1')).toEqual([closed]);
    });
  });
}
