/** Spans of a trace: how long each step takes, from the API call to the model call. */
import type { TraceContext } from '../trace-context.ts';

/** Ids, counts, codes and names of configured models; never memory text and never a secret. */
type SpanAttributes = Readonly<Record<string, string | number | boolean | string[]>>;

export interface SpanFacts {
  /** Has few distinct values. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  readonly attributes?: SpanAttributes;
  /** A span of another process; the span that is active here if absent. */
  readonly parent?: TraceContext | null;
}

export interface OpenSpan {
  /** Adds attributes that become known while the span is open. */
  note(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** Marks the span as failed with a code. A thrown error does so without a call. */
  fail(code: string): void;
}

/** A span that ended elsewhere, with its own ids. */
export interface EndedSpan extends SpanFacts {
  readonly context: TraceContext;
  readonly links: readonly TraceContext[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** The code of its failure; null if it did not fail. */
  readonly failure: string | null;
}

/** By which a run of a workflow hands out its span. */
// oxlint-disable-next-line typescript/consistent-type-definitions: an interface has no index
export type TraceSinks = { readonly trace: { ended(span: EndedSpan): void } };

export interface Tracing {
  /** Runs work inside a span, which ends with it. Throws what the work throws. */
  inSpan<T>(facts: SpanFacts, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** Returns the context of the active span; null if there is none. */
  active(): TraceContext | null;
  add(span: EndedSpan): void;
}

const NO_SPAN: OpenSpan = {
  note: () => undefined,
  rename: () => undefined,
  fail: () => undefined,
};

/** For use without tracing. */
export const NO_TRACING: Tracing = {
  inSpan: async (_facts, work) => work(NO_SPAN),
  active: () => null,
  add: () => undefined,
};
