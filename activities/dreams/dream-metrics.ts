/** What dreams count. */
import type { DreamModel } from '#core/ports/dream-model.ts';
import type { Metrics } from '#core/ports/metrics.ts';
import { costOf } from '#core/budget/price.ts';
import type { DreamOutcome } from '#core/records/dream-outcome.ts';
import type { Usage } from '#core/records/summary.ts';

/** Dreams that ended, one if nothing is said. */
export function countDream(metrics: Metrics, outcome: DreamOutcome, count = 1): void {
  if (count > 0) metrics.count('memory_dreams_total', { outcome }, count);
}

/** A call of a model that answered. */
export function countDreamCall(
  metrics: Metrics,
  { name: model, price }: Pick<DreamModel, 'name' | 'price'>,
  usage: Usage,
): void {
  const { inputTokens, outputTokens } = usage;
  metrics.count('memory_model_tokens_total', { model, direction: 'input' }, inputTokens);
  metrics.count('memory_model_tokens_total', { model, direction: 'output' }, outputTokens);
  const { microDollars } = costOf(usage, price);
  metrics.count('memory_model_micro_dollars_total', { model }, microDollars);
}
