/** One call of the provider: measured, cancellable, and with retries at one level. */
import { VarveError } from '#core/errors.ts';
import { LAYERS } from '#core/layer.ts';
import type { Lifetime } from './provider-lifetime.ts';
import type { ProviderPorts } from './provider-ports.ts';
import { withRetries } from './store-and-embedder-retries.ts';

const OPERATIONS = [
  'add',
  'bulkAdd',
  'get',
  'update',
  'delete',
  'bulkDelete',
  'list',
  'search',
  'history',
  'generateEmbedding',
  'backfill',
  'claimKey',
  'healthCheck',
] as const;
export type MeasuredOperation = (typeof OPERATIONS)[number];

export interface Call {
  readonly operation: MeasuredOperation;
  readonly tenant: string;
  /** The principal, for the history and for idempotency keys. */
  readonly by: string;
  readonly signal: AbortSignal;
  /** Runs an attempt that can be repeated without a second effect. */
  readonly retried: <T>(attempt: () => Promise<T>) => Promise<T>;
}

interface CallStart {
  readonly operation: MeasuredOperation;
  readonly tenant: string;
  readonly by: string;
  readonly signal?: AbortSignal | undefined;
}

/** Runs one call; counts and times it and counts its failure by code (MEM-28, MEM-30). */
export async function runCall<T>(
  { ports, lifetime }: { ports: ProviderPorts; lifetime: Lifetime },
  start: CallStart,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const { metrics, timers } = ports;
  const { operation } = start;
  const begun = timers.timer();
  metrics.count('memory_operations_total', { operation });
  try {
    return await lifetime.track(() => work(openCall(ports, lifetime.signal, start)));
  } catch (error) {
    countFailure(ports, operation, error);
    throw error;
  } finally {
    metrics.observe('memory_operations_latency', { operation }, timers.timer() - begun);
  }
}

/** Opens a call with retries but no measurements, as part of another call or of background work. */
export function openCall(ports: ProviderPorts, end: AbortSignal, start: CallStart): Call {
  const { metrics, timers } = ports;
  const { operation, tenant, by } = start;
  const signal = start.signal === undefined ? end : AbortSignal.any([start.signal, end]);
  const onRetry = (code: string): void => {
    metrics.count('memory_operations_retries_total', { operation, code });
  };
  return {
    operation,
    tenant,
    by,
    signal,
    retried: (attempt) => withRetries(attempt, { timers, signal, onRetry }),
  };
}

const counted = new WeakSet<Error>();

/** Counts a failed call, or a failed item of a call that continued. */
export function countFailure(
  { metrics }: Pick<ProviderPorts, 'metrics'>,
  operation: MeasuredOperation,
  error: unknown,
): void {
  if (error instanceof Error) counted.add(error);
  const code = error instanceof VarveError ? error.code : 'CORRUPT';
  metrics.count('memory_operations_errors_total', { operation, code });
}

/** Counts a call that was refused before the provider was called, such as for a wrong layer. */
export function countRefusal(
  ports: Pick<ProviderPorts, 'metrics'>,
  name: string,
  error: unknown,
): void {
  const [group, operation] = name.split('.');
  const known = OPERATIONS.find((each) => each === operation);
  if (group !== 'memory' || known === undefined) return;
  if (error instanceof Error && counted.has(error)) return;
  countFailure(ports, known, error);
}

/** Counts hits by layer, for a metric with a label of few values. */
export function countByLayer(hits: readonly { memory: { layer: string } }[]) {
  return LAYERS.map((layer) => ({
    layer,
    count: hits.filter(({ memory }) => memory.layer === layer).length,
  }));
}
