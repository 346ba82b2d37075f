/**
 * Makes models honor their provider's rate limit: when a provider tells one batch to retry later,
 * all other batches of this process wait too, whatever their tenant. A call that is held back here
 * reaches no provider and costs nothing.
 */
import { retryAfterOf, VarveError } from '#core/errors.ts';
import type { DreamModel } from '#core/ports/dream-model.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { Clock } from '#core/ports/platform.ts';
import type { Models } from './refresh-ports.ts';

/** Until when each model is not called, by its name; at most one entry per configured model. */
export type Pauses = Map<string, number>;

/** Wraps the models of a tenant. All tenants of a process share `pauses`. */
export function pausingRateLimitedModels(
  models: Models,
  clock: Clock,
  pauses: Pauses = new Map(),
): Models {
  const heeding = async <T>(name: string, call: () => Promise<T>): Promise<T> => {
    const rest = (pauses.get(name) ?? 0) - clock();
    if (rest > 0) throw pausedModel(name, rest);
    try {
      return await call();
    } catch (error) {
      const until = clock() + pauseAfter(error);
      pauses.set(name, Math.max(until, pauses.get(name) ?? 0));
      throw error;
    }
  };
  const limited = (model: SummaryModel): SummaryModel => ({
    ...model,
    usageMax: (batch) => model.usageMax(batch),
    answer: (batch, call) => heeding(model.name, () => model.answer(batch, call)),
  });
  const limitedDreamer = (model: DreamModel): DreamModel => ({
    ...model,
    usageMax: (question) => model.usageMax(question),
    dream: (question, call) => heeding(model.name, () => model.dream(question, call)),
  });
  return {
    ofClass: (modelClass) => models.ofClass(modelClass),
    byName: (name) => {
      const model = models.byName(name);
      return model === undefined ? undefined : limited(model);
    },
    extractive: models.extractive,
    dreamerByName: (name) => {
      const model = models.dreamerByName(name);
      return model === undefined ? undefined : limitedDreamer(model);
    },
    extractiveDreamer: models.extractiveDreamer,
  };
}

function pausedModel(model: string, retryAfterMs: number): VarveError {
  const message =
    'The provider of the model asked for a pause: repeat the call after retryAfterMs.';
  return new VarveError('RATE_LIMITED', message, { details: { model, retryAfterMs } });
}

/** Milliseconds to wait; 0 if a failure does not concern other calls. */
function pauseAfter(error: unknown): number {
  const isOfLimit = error instanceof VarveError && error.code === 'RATE_LIMITED';
  return isOfLimit ? (retryAfterOf(error) ?? 0) : 0;
}
