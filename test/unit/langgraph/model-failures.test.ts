import { describe, expect, test } from 'vitest';
import { VarveClientError } from '#client/failure.ts';
import { summarizeMessages } from '#langgraph/index.ts';
import { SIX, nineMessages, scriptedModel } from './scripted-model.ts';

describe('a summarizing model that cannot answer', () => {
  test('passes on the code of a client, where the conversation does not fit', async () => {
    const options = { code: 'BUDGET_EXHAUSTED', retryable: false, status: 402 };
    const failing = scriptedModel(new VarveClientError('The budget is used up.', options));
    await expect(
      summarizeMessages(nineMessages(), { ...SIX, model: failing }),
    ).rejects.toMatchObject({ code: 'BUDGET_EXHAUSTED' });
  });

  test('ends with the signal, even if the model does not read it', { timeout: 2_000 }, async () => {
    const deaf = { invoke: () => new Promise<never>(() => undefined) };
    const config = { signal: AbortSignal.timeout(20) };
    await expect(
      summarizeMessages(nineMessages(), { ...SIX, model: deaf, config }),
    ).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});
