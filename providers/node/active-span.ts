/** The span of the code that runs now; log lines name it. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { TraceContext } from '#core/trace-context.ts';

export const ACTIVE_SPAN = new AsyncLocalStorage<TraceContext>();

/** Returns the fields of a log line; none outside a span. */
export function spanFields(): { readonly trace_id?: string; readonly span_id?: string } {
  const active = ACTIVE_SPAN.getStore();
  return active === undefined ? {} : { trace_id: active.traceId, span_id: active.spanId };
}
