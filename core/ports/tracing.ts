/** Spans of a trace: what takes how long, from the call of the API to the call of the model. */
import type { TraceContext } from '../trace-context.ts';

/** Ids, counts, codes and names of configured models; never memory text and never a secret. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[]>>;

export interface SpanFacts {
  /** Of few values. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'producer' | 'consumer' | 'internal';
  readonly attributes?: SpanAttributes;
  /** Of another process; the span that is active here where absent. */
  readonly parent?: TraceContext | null;
}

export interface OpenSpan {
  /** What becomes known while it lasts. */
  note(attributes: SpanAttributes): void;
  rename(name: string): void;
  /** That it failed, and by what code; a failure that is thrown needs no call. */
  fail(code: string): void;
}

/** A span that has ended elsewhere, under ids of its own. */
export interface EndedSpan extends SpanFacts {
  readonly context: TraceContext;
  readonly links: readonly TraceContext[];
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** The code of its failure; null where there was none. */
  readonly failure: string | null;
}

/** By which a run of a workflow hands out its span. */
// oxlint-disable-next-line typescript/consistent-type-definitions: an interface has no index
export type TraceSinks = { readonly trace: { ended(span: EndedSpan): void } };

export interface Tracing {
  /** Runs work inside of a span, which ends with it. Throws what the work throws. */
  inSpan<T>(facts: SpanFacts, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** Of the span that is active here; null where none is. */
  active(): TraceContext | null;
  add(span: EndedSpan): void;
}

const NO_SPAN: OpenSpan = {
  note: () => undefined,
  rename: () => undefined,
  fail: () => undefined,
};

/** Where nothing is traced. */
export const NO_TRACING: Tracing = {
  inSpan: async (_facts, work) => work(NO_SPAN),
  active: () => null,
  add: () => undefined,
};
