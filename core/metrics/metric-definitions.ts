/**
 * Every metric that Varve emits, in one table: name, kind, labels, help. A label has few distinct
 * values, and never an id, a person's name or a text.
 */
import { ERRORS } from '../error-codes.ts';
import { LAYERS } from '../layer.ts';
import type { MetricTable } from './metric-types.ts';
import { LedgerEntry } from '../records/account.ts';
import { DreamOutcome } from '../records/dream-outcome.ts';

const LATENCY_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];
/** The time may include a batch window, a claim and a slow model. */
const GENERATION_MS = [10, 50, 100, 500, 1_000, 5_000, 10_000, 30_000, 60_000, 300_000, 600_000];
const SHARES = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1];
const RESULTS = [0, 1, 2, 5, 10, 20, 50, 100];

export const METRICS = {
  memory_operations_total: {
    kind: 'counter',
    labels: ['operation'],
    help: 'Calls of the memory provider.',
  },
  memory_operations_latency: {
    kind: 'histogram',
    labels: ['operation'],
    help: 'Duration of calls of the memory provider, in milliseconds.',
    buckets: LATENCY_MS,
  },
  memory_operations_errors_total: {
    kind: 'counter',
    labels: ['operation', 'code'],
    help: 'Calls that failed, by code of the error.',
  },
  memory_operations_retries_total: {
    kind: 'counter',
    labels: ['operation', 'code'],
    help: 'Retries within calls, by the error of the attempt before.',
  },
  memory_search_results: {
    kind: 'histogram',
    labels: ['layer'],
    help: 'Hits of a search, by layer.',
    buckets: RESULTS,
  },
  memory_search_degraded_total: {
    kind: 'counter',
    labels: ['reason'],
    help: 'Searches that only one of the two legs could answer.',
  },
  memory_storage_size: {
    kind: 'gauge',
    labels: ['layer'],
    help: 'Bytes of live content in the store.',
  },
  memory_embedding_requests_total: {
    kind: 'counter',
    labels: ['outcome'],
    help: 'Texts to embed: from the cache, from a call under way, or by a call.',
  },
  memory_summary_generation_duration_ms: {
    kind: 'histogram',
    labels: ['layer', 'depth'],
    help: 'From the claim of a scope to the commit of its summary, in milliseconds.',
    buckets: GENERATION_MS,
  },
  memory_summary_generations_total: {
    kind: 'counter',
    labels: ['layer', 'depth', 'trigger'],
    help: 'Summaries committed, by depth and by what made them due.',
  },
  memory_summary_retrieval_latency_ms: {
    kind: 'histogram',
    labels: [],
    help: 'Reading one summary with its freshness, in milliseconds.',
    buckets: LATENCY_MS,
  },
  memory_summary_retrievals_total: {
    kind: 'counter',
    labels: ['layer', 'depth', 'cache_hit'],
    help: 'Uses of summaries, by the depth shown; none if no text of the summary was shown.',
  },
  memory_summary_stale_reads_total: {
    kind: 'counter',
    labels: ['layer', 'reason'],
    help: 'Uses of stale summaries, by why they were stale.',
  },
  memory_summary_oldest_stale_age_ms: {
    kind: 'gauge',
    labels: [],
    help: 'How long the longest-stale summary has been stale.',
  },
  memory_outage_model_ms: {
    kind: 'gauge',
    labels: [],
    help: 'Duration of the longest model outage in progress; 0 if no model is unavailable.',
  },
  memory_summary_facts_total: {
    kind: 'counter',
    labels: ['outcome', 'reason'],
    help: 'Facts that models gave: kept, or dropped by grounding and why.',
  },
  memory_model_answers_cut_total: {
    kind: 'counter',
    labels: ['model'],
    help: 'Incomplete answers for a scope, which is asked alone or completed from its sources.',
  },
  memory_summary_dead_letters_total: {
    kind: 'counter',
    labels: ['layer', 'code'],
    help: 'Scopes dead-lettered after repeated failures, by the code of the last failure.',
    values: { layer: LAYERS, code: Object.keys(ERRORS) },
  },
  memory_compaction_turns_total: {
    kind: 'counter',
    labels: ['outcome'],
    help: 'Old turns whose text was deleted, with a summary that covers them or without one.',
    values: { outcome: ['Summarized', 'Unsummarized'] },
  },
  memory_compaction_bytes_freed_total: {
    kind: 'counter',
    labels: [],
    help: 'Bytes of text deleted from old turns.',
  },
  memory_compaction_sessions_waiting_total: {
    kind: 'counter',
    labels: ['reason'],
    help: 'Times that the old turns of a session could not be compacted yet, by reason.',
    values: { reason: ['UnderWay', 'NotCovered', 'NotFlushed', 'Changed', 'Failed'] },
  },
  memory_batch_items: {
    kind: 'histogram',
    labels: ['model'],
    help: 'Items of one model call.',
    buckets: RESULTS,
  },
  memory_batch_calls_saved_total: {
    kind: 'counter',
    labels: ['model'],
    help: 'Model calls that one call per item would have needed, and those made.',
  },
  memory_batch_input_share: {
    kind: 'histogram',
    labels: ['model'],
    help: 'Input tokens of one model call as a share of what the model takes.',
    buckets: SHARES,
  },
  memory_model_tokens_total: {
    kind: 'counter',
    labels: ['model', 'direction'],
    help: 'Tokens that models read and wrote for summaries and dreams.',
  },
  memory_model_micro_dollars_total: {
    kind: 'counter',
    labels: ['model'],
    help: 'What calls of models for summaries and dreams cost, in millionths of a dollar.',
  },
  memory_dreams_total: {
    kind: 'counter',
    labels: ['outcome'],
    help: 'Dreams that ended, by how.',
    values: { outcome: DreamOutcome.options },
  },
  memory_budget_refusals_total: {
    kind: 'counter',
    labels: ['purpose'],
    help: 'Calls that a budget did not allow.',
    values: { purpose: LedgerEntry.shape.purpose.options },
  },
} as const satisfies MetricTable;
