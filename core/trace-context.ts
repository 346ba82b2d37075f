/** W3C trace context: the position of a span in a trace, as one line that crosses processes. */

export interface TraceContext {
  /** 32 hexadecimal digits, not all zero. */
  readonly traceId: string;
  /** 16 hexadecimal digits, not all zero. */
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Later versions may append fields. */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/u;
const FORBIDDEN_VERSION = 'ff';
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);
const SAMPLED = 1;

/** Returns null for a line that receivers must ignore according to the standard. */
export function readTraceparent(line: string): TraceContext | null {
  const [, version = FORBIDDEN_VERSION, trace = NO_TRACE, span = NO_SPAN, flags = '', more] =
    TRACEPARENT.exec(line) ?? [];
  if (version === FORBIDDEN_VERSION || trace === NO_TRACE || span === NO_SPAN) return null;
  if (version === '00' && more !== undefined) return null;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED;
  return { traceId: trace, spanId: span, isSampled };
}

export function writeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** The Temporal header in which Temporal's own clients carry a trace, too. */
export const TRACE_HEADER = '_tracer-data';

/** Returns the value of that header. */
export function traceHeaderOf(context: TraceContext): { readonly traceparent: string } {
  return { traceparent: writeTraceparent(context) };
}

/** Returns null if the value has another form. */
export function readTraceHeader(value: unknown): TraceContext | null {
  if (typeof value !== 'object' || value === null || !('traceparent' in value)) return null;
  return typeof value.traceparent === 'string' ? readTraceparent(value.traceparent) : null;
}
