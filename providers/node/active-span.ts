/** Which span the code that runs now stands in; log lines name it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { TraceContext } from '#core/trace-context.ts';

export const ACTIVE_SPAN = new AsyncLocalStorage<TraceContext>();

/** The fields of a log line; none outside of a span. */
export function spanFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const active = ACTIVE_SPAN.getStore();
  return active === undefined ? {} : { trace_id: active.traceId, span_id: active.spanId };
}
