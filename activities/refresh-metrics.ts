/** What refreshes count: model calls, summaries made, facts kept and dropped, dead letters. */
import { costOf } from '#core/budget/price.ts';
import type { Metrics } from '#core/ports/metrics.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { LedgerEntry } from '#core/records/account.ts';
import type { Lease, ScopeRecord } from '#core/records/scope-record.ts';
import { DEPTHS, type Summary, type Usage } from '#core/records/summary.ts';
import { BATCH_LEASE_MS } from '#core/refresh/batch-lease.ts';

/** Counts an answered model call: how full it was, what it saved and what it cost (SUM-17). */
export function countCall(
  metrics: Metrics,
  model: Pick<SummaryModel, 'name' | 'price' | 'inputTokensMax'>,
  { items, usage }: { readonly items: number; readonly usage: Usage },
): void {
  if (items === 0) return;
  const label = { model: model.name };
  metrics.observe('memory_batch_items', label, items);
  metrics.observe('memory_batch_input_share', label, usage.inputTokens / model.inputTokensMax);
  metrics.count('memory_batch_calls_saved_total', label, items - 1);
  countUsage(metrics, model, usage);
}

/** Counts what an answered call of any model used. */
export function countUsage(
  metrics: Metrics,
  { name: model, price }: Pick<SummaryModel, 'name' | 'price'>,
  usage: Usage,
): void {
  const { inputTokens, outputTokens } = usage;
  metrics.count('memory_model_tokens_total', { model, direction: 'input' }, inputTokens);
  metrics.count('memory_model_tokens_total', { model, direction: 'output' }, outputTokens);
  metrics.count('memory_model_micro_dollars_total', { model }, costOf(usage, price).microDollars);
}

/** Counts a committed summary under each of its depths; its time starts at the claim (SUM-13). */
export function countGeneration(
  metrics: Metrics,
  summary: Summary,
  { until }: Pick<Lease, 'until'>,
): void {
  const { layer, trigger, generatedAt } = summary;
  const duration = Math.max(0, generatedAt - (until - BATCH_LEASE_MS));
  for (const depth of DEPTHS.filter((each) => summary.depths[each] !== undefined)) {
    metrics.observe('memory_summary_generation_duration_ms', { layer, depth }, duration);
    metrics.count('memory_summary_generations_total', { layer, depth, trigger });
  }
}

/** Counts the facts of one item that grounding kept and dropped, refused or committed. */
export function countFacts(
  metrics: Metrics,
  {
    kept,
    dropped,
  }: { readonly kept: number; readonly dropped: readonly { readonly reason: string }[] },
): void {
  const name = 'memory_summary_facts_total';
  if (kept > 0) metrics.count(name, { outcome: 'kept', reason: 'Grounded' }, kept);
  for (const { reason } of dropped) metrics.count(name, { outcome: 'dropped', reason });
}

/** Counts an answer that broke off in the middle of one scope or segment. */
export function countCut(metrics: Metrics, { name }: Pick<SummaryModel, 'name'>): void {
  metrics.count('memory_model_answers_cut_total', { model: name });
}

/** Counts a scope that was dead-lettered; any other failure is retried and not counted here. */
export function countDeadLetter(
  metrics: Metrics,
  { layer, deadLetter }: Pick<ScopeRecord, 'layer' | 'deadLetter'>,
): void {
  if (deadLetter === null) return;
  metrics.count('memory_summary_dead_letters_total', { layer, code: deadLetter.code });
}

/** Counts a call that was not made because the tenant's budget did not allow it. */
export function countBudgetRefusal(metrics: Metrics, purpose: LedgerEntry['purpose']): void {
  metrics.count('memory_budget_refusals_total', { purpose });
}
