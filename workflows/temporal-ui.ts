/** What an operator sees of a run in the Temporal UI: attributes to search by, lines to read. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { ErasePhase } from '#core/erasure/erase-run.ts';
import type { ErrorCode } from '#core/error-codes.ts';
import type { RefreshStatus } from '#core/refresh/refresh-contract.ts';
import type { ApplyReport } from '#core/dreams/dream-contract.ts';
import type { FlushTotals } from '#core/flush/flush-contract.ts';
import type { DreamStatus } from '#core/dreams/dream-run.ts';
import type { ReembedStatus } from '#core/embedding/reembed-contract.ts';
import type { CompactionTotals } from '#core/ports/compactions.ts';

const TENANT = defineSearchAttributeKey('Tenant', SearchAttributeType.KEYWORD);
const LAYERS = defineSearchAttributeKey('Layers', SearchAttributeType.KEYWORD_LIST);
const PHASE = defineSearchAttributeKey('Phase', SearchAttributeType.KEYWORD);
const BUDGET = defineSearchAttributeKey('BudgetState', SearchAttributeType.KEYWORD);
const PENDING = defineSearchAttributeKey('PendingCount', SearchAttributeType.INT);

function tenantAndPhase(tenant: string, phase: string) {
  return [
    { key: TENANT, value: tenant },
    { key: PHASE, value: phase },
  ];
}

function showLines(lines: readonly string[]): void {
  setCurrentDetails(lines.join('\n'));
}

/** Shows a refresh: tenant ids, layers and counts only; never a scope id and never memory text. */
export function showPhase(tenant: string, status: RefreshStatus): void {
  const { phase, budget, pending, layers, totals, lastError } = status;
  upsertSearchAttributes([
    { key: TENANT, value: tenant },
    { key: LAYERS, value: [...layers] },
    { key: PHASE, value: phase },
    { key: BUDGET, value: budget },
    { key: PENDING, value: pending },
  ]);
  showLines([
    `**${phase}**, ${String(pending)} pending, budget ${budget.toLowerCase()}`,
    `- summaries made: ${String(totals.generated)}, unchanged: ${String(totals.unchanged)}`,
    `- model calls: ${String(totals.modelCalls)}`,
    `- tokens: ${String(totals.inputTokens)} read, ${String(totals.outputTokens)} written`,
    ...(lastError === null ? [] : [`- last error: ${lastError}`]),
  ]);
}

/** Shows a change of the embedding model, which concerns many tenants: counts only. */
export function showReembed({ phase, tenants, totals, lastError }: ReembedStatus): void {
  upsertSearchAttributes([
    { key: PHASE, value: phase },
    { key: PENDING, value: tenants },
  ]);
  const { embedded, cached, tokens, refused, cutOver, dropped } = totals;
  showLines([
    `**${phase}**, ${String(tenants)} tenants`,
    `- vectors made: ${String(embedded)}, from the cache: ${String(cached)}`,
    `- tokens: ${String(tokens)}`,
    `- tenants cut over: ${String(cutOver)}, old vectors removed: ${String(dropped)}`,
    ...(refused === 0 ? [] : [`- memories that the model refused: ${String(refused)}`]),
    ...(lastError === null ? [] : [`- last error: ${lastError}`]),
  ]);
}

/** Shows a dream: its tenant, counts and codes; never its owner. */
export function showDream(tenant: string, status: DreamStatus): void {
  const { phase, outcome, budget, blocks, sourceTokens, lastError } = status;
  upsertSearchAttributes([
    ...tenantAndPhase(tenant, outcome ?? phase),
    { key: BUDGET, value: budget },
  ]);
  showLines([
    `**${outcome ?? phase}**, budget ${budget.toLowerCase()}`,
    `- blocks of daily files: ${String(blocks)}, in all ${String(sourceTokens)} tokens`,
    `- tokens: ${String(status.inputTokens)} read, ${String(status.outputTokens)} written`,
    `- lines of MEMORY.md: ${String(status.added)} added, ${String(status.removed)} removed`,
    ...(lastError === null ? [] : [`- last error: ${lastError}`]),
  ]);
}

/** Shows the application of a proposal. */
export function showApplication(tenant: string, phase: 'Applying' | ApplyReport['state']): void {
  upsertSearchAttributes(tenantAndPhase(tenant, phase));
  setCurrentDetails(`**${phase}**`);
}

/** Shows a compaction of old turns: its tenant and counts. */
export function showCompaction(
  tenant: string,
  totals: CompactionTotals,
  phase: 'Working' | 'Done',
): void {
  upsertSearchAttributes([
    ...tenantAndPhase(tenant, phase),
    { key: PENDING, value: totals.waiting },
  ]);
  const { turns, sessions, quotes, bytesFreed, waiting, unsummarized } = totals;
  showLines([
    `**${phase}**, ${String(turns)} turns of ${String(sessions)} sessions`,
    `- quotes that stay: ${String(quotes)}, bytes freed: ${String(bytesFreed)}`,
    `- sessions that wait for a summary: ${String(waiting)}`,
    ...(unsummarized === 0 ? [] : [`- turns without a summary: ${String(unsummarized)}`]),
  ]);
}

/** Shows an erasure: its tenant and phase; never whose data it erases. */
export function showErasure(
  tenant: string,
  phase: ErasePhase | 'Resting',
  lastError: ErrorCode | null,
): void {
  upsertSearchAttributes(tenantAndPhase(tenant, phase));
  const failed = lastError === null ? '' : `\n- last error: ${lastError}`;
  setCurrentDetails(`**${phase}**${failed}`);
}

/** Shows a flush of a session: its tenant and counts; never its owner. */
export function showFlush(tenant: string, totals: FlushTotals, phase: 'Working' | 'Done'): void {
  upsertSearchAttributes(tenantAndPhase(tenant, phase));
  const { turns, lines, added, superseded, known } = totals;
  showLines([
    `**${phase}**, ${String(turns)} turns`,
    `- memories added: ${String(added)}, in place of others: ${String(superseded)}`,
    `- statements known before: ${String(known)}`,
    `- lines of daily files: ${String(lines)}`,
  ]);
}
