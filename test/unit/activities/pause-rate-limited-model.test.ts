import { describe, expect, test } from 'vitest';
import { pausingRateLimitedModels } from '#activities/pause-rate-limited-model.ts';
import type { Models } from '#activities/refresh-ports.ts';
import { VarveError } from '#core/errors.ts';
import type { DreamModel, DreamQuestion } from '#core/ports/dream-model.ts';
import type { SummaryModel } from '#core/ports/model.ts';

const CALL = { attemptId: 'batch/1', signal: new AbortController().signal };
const BATCH = { items: [] };

/** A model that throws what it is given, once each, and answers after that. */
function modelOf(name: string, failures: VarveError[]) {
  let calls = 0;
  const model: SummaryModel = {
    name,
    price: null,
    inputTokensMax: 100,
    outputTokensMax: 100,
    revision: '1',
    usageMax: () => ({ inputTokens: 1, outputTokens: 1 }),
    answer: () => {
      calls += 1;
      const failure = failures.shift();
      if (failure !== undefined) return Promise.reject(failure);
      return Promise.resolve({ text: '', usage: { inputTokens: 1, outputTokens: 1 } });
    },
  };
  return { model, calls: () => calls };
}

function fixture(failures: VarveError[]) {
  const busy = modelOf('busy', failures);
  const calm = modelOf('calm', []);
  const models: Models = {
    ofClass: () => busy.model,
    byName: (name) => [busy, calm].map(({ model }) => model).find((model) => model.name === name),
    extractive: calm.model,
    dreamerByName: (name) => dreamerOf([busy, calm], name),
    extractiveDreamer: dreamer(calm),
  };
  const time = { now: 1_000 };
  const limited = pausingRateLimitedModels(models, () => time.now);
  const ask = (name: string) => limited.byName(name)?.answer(BATCH, CALL);
  const dream = (name: string) => limited.dreamerByName(name)?.dream(NO_QUESTION, CALL);
  return { busy, calm, time, ask, dream, limited };
}

const NO_QUESTION: DreamQuestion = {
  owner: 'user',
  memory: [],
  headings: new Map(),
  daily: [],
  readBefore: new Set(),
  tokensMax: 0,
};

/** The same model as it dreams: its calls are of one endpoint. */
function dreamer({ model }: { readonly model: SummaryModel }): DreamModel {
  return {
    ...model,
    usageMax: () => model.usageMax(BATCH),
    dream: (_, call) => model.answer(BATCH, call),
  };
}

function dreamerOf(all: readonly { readonly model: SummaryModel }[], name: string) {
  const found = all.find(({ model }) => model.name === name);
  return found === undefined ? undefined : dreamer(found);
}

const limited = (retryAfterMs: number) =>
  new VarveError('RATE_LIMITED', 'Slow down.', { details: { retryAfterMs } });

describe('a provider that says when to retry', () => {
  test('is not called for any batch before that time', async () => {
    const { busy, calm, time, ask } = fixture([limited(500)]);
    await expect(ask('busy')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    time.now += 200;
    await expect(ask('busy')).rejects.toMatchObject({ details: { retryAfterMs: 300 } });
    expect(busy.calls()).toBe(1);
    await ask('calm');
    expect(calm.calls()).toBe(1);
    time.now += 300;
    await ask('busy');
    expect(busy.calls()).toBe(2);
  });

  test('is called for neither batches nor dreams, whichever of them was refused', async () => {
    const { busy, time, ask, dream } = fixture([limited(500)]);
    await expect(dream('busy')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await expect(ask('busy')).rejects.toMatchObject({ details: { retryAfterMs: 500 } });
    await expect(dream('busy')).rejects.toMatchObject({ details: { retryAfterMs: 500 } });
    expect(busy.calls()).toBe(1);
    time.now += 500;
    await dream('busy');
    expect(busy.calls()).toBe(2);
  });

  test('keeps the longer of two waits', async () => {
    const { busy, time, ask } = fixture([limited(500), limited(10)]);
    await Promise.allSettled([ask('busy'), ask('busy')]);
    time.now += 400;
    await expect(ask('busy')).rejects.toMatchObject({ details: { retryAfterMs: 100 } });
    expect(busy.calls()).toBe(2);
  });

  test('is called again at once after any other failure', async () => {
    const { busy, ask } = fixture([new VarveError('PROVIDER_ERROR', 'Away.')]);
    await expect(ask('busy')).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
    await ask('busy');
    expect(busy.calls()).toBe(2);
  });

  test('keeps all other properties of its models', () => {
    const { limited, busy } = fixture([]);
    expect(limited.ofClass('standard')).toMatchObject({ name: 'busy', revision: '1' });
    expect(limited.byName('busy')?.usageMax(BATCH)).toEqual(busy.model.usageMax(BATCH));
    expect(limited.byName('unknown')).toBeUndefined();
    expect(limited.dreamerByName('unknown')).toBeUndefined();
    expect(limited.extractiveDreamer.name).toBe('calm');
  });
});
