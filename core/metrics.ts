/**
 * Every metric that Varve emits, in one table: name, kind, labels, help. Labels have few values
 * each; an id, a name of a person or a text is never one.
 */

interface MetricSpec {
  readonly kind: 'counter' | 'histogram' | 'gauge';
  readonly labels: readonly string[];
  readonly help: string;
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

const LATENCY_MS = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000];
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
    help: 'Repeated attempts inside of calls, by what the attempt before failed with.',
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
    help: 'Searches that one leg could not answer, and the other did.',
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
} as const satisfies Readonly<Record<string, MetricSpec>>;

type Table = typeof METRICS;
export type MetricName = keyof Table;
type OfKind<K extends MetricSpec['kind']> = {
  [N in MetricName]: Table[N]['kind'] extends K ? N : never;
}[MetricName];
export type CounterName = OfKind<'counter'>;
export type HistogramName = OfKind<'histogram'>;
export type GaugeName = OfKind<'gauge'>;
export type LabelsOf<N extends MetricName> = Readonly<Record<Table[N]['labels'][number], string>>;
