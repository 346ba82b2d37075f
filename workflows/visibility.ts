/** What an operator sees of a run in the Temporal UI: attributes to search by, lines to read. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { RefreshStatus } from '#core/contract.ts';
import type { ReembedStatus } from '#core/reembed-contract.ts';

const TENANT = defineSearchAttributeKey('Tenant', SearchAttributeType.KEYWORD);
const LAYERS = defineSearchAttributeKey('Layers', SearchAttributeType.KEYWORD_LIST);
const PHASE = defineSearchAttributeKey('Phase', SearchAttributeType.KEYWORD);
const BUDGET = defineSearchAttributeKey('BudgetState', SearchAttributeType.KEYWORD);
const PENDING = defineSearchAttributeKey('PendingCount', SearchAttributeType.INT);

/** Tenant ids, layers and counts only; never a scope id and never memory text. */
export function showPhase(tenant: string, status: RefreshStatus): void {
  const { phase, budget, pending, layers, totals, lastError } = status;
  upsertSearchAttributes([
    { key: TENANT, value: tenant },
    { key: LAYERS, value: [...layers] },
    { key: PHASE, value: phase },
    { key: BUDGET, value: budget },
    { key: PENDING, value: pending },
  ]);
  setCurrentDetails(
    [
      `**${phase}**, ${String(pending)} pending, budget ${budget.toLowerCase()}`,
      `- summaries made: ${String(totals.generated)}, unchanged: ${String(totals.unchanged)}`,
      `- model calls: ${String(totals.modelCalls)}`,
      `- tokens: ${String(totals.inputTokens)} read, ${String(totals.outputTokens)} written`,
      ...(lastError === null ? [] : [`- last error: ${lastError}`]),
    ].join('\n'),
  );
}

/** A change of the embedding model is of many tenants; counts only. */
export function showReembed({ phase, tenants, totals, lastError }: ReembedStatus): void {
  upsertSearchAttributes([
    { key: PHASE, value: phase },
    { key: PENDING, value: tenants },
  ]);
  const { embedded, cached, tokens, refused, cutOver, dropped } = totals;
  setCurrentDetails(
    [
      `**${phase}**, ${String(tenants)} tenants`,
      `- vectors made: ${String(embedded)}, from the cache: ${String(cached)}`,
      `- tokens: ${String(tokens)}`,
      `- tenants cut over: ${String(cutOver)}, old vectors removed: ${String(dropped)}`,
      ...(refused === 0 ? [] : [`- memories that the model refused: ${String(refused)}`]),
      ...(lastError === null ? [] : [`- last error: ${lastError}`]),
    ].join('\n'),
  );
}
