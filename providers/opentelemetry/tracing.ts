/**
 * Tracing with the OpenTelemetry SDK; spans are sent by OTLP over HTTP.
 *
 * Nothing is registered globally, so another SDK may run in the same process. Spans wait in a
 * bounded queue, and are dropped when it is full. Only the end of the process waits for the
 * collector, for a bounded time.
 */
import type { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanContext,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  TracerProvider,
  TraceIdRatioBasedSampler,
  type IdGenerator,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import type { EndedSpan, OpenSpan, SpanFacts, Tracing } from '#core/ports/tracing.ts';
import type { TraceContext } from '#core/trace-context.ts';

/** How long the end of the process waits for the collector. */
const FLUSH_MS_MAX = 3_000;
/** Attributes hold ids, names and counts; longer values are cut. */
const VALUE_LENGTH_MAX = 256;

export interface TracingSettings {
  /** Full URL that spans are posted to. It may hold a secret, so it is never printed. */
  readonly url: string;
  readonly serviceName: string;
  /** Attributes of the resource, besides the service name. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The share of traces that is sampled, 0 to 1. */
  readonly ratio: number;
  /** Whether the sampling decision of the program that began a trace is followed. */
  readonly isParentHeeded: boolean;
  /** Maximum spans that wait; more are dropped. */
  readonly queueMax: number;
  /** Maximum spans of one message. */
  readonly batchMax: number;
  readonly delayMs: number;
  /** Timeout of one message, including retries. */
  readonly requestMs: number;
  /** Time after which the next message is sent, whatever became of the previous one. */
  readonly exportMs: number;
}

export interface TracingPorts {
  /** Storage of the active span, for other readers. */
  readonly active: AsyncLocalStorage<TraceContext>;
  readonly log: Log;
}

export interface OpenTracing extends Tracing, AsyncDisposable {}

/** Opens tracing. Disposing sends waiting spans. Failures of the collector are never thrown. */
export function openTracing(settings: TracingSettings, { active, log }: TracingPorts): OpenTracing {
  const ids = new IdsOfRuns();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      ...settings.attributes,
      'service.name': settings.serviceName,
      'process.pid': process.pid,
    }),
    sampler: samplerOf(settings),
    idGenerator: ids,
    spanLimits: { attributeValueLengthLimit: VALUE_LENGTH_MAX },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reporting(exporterOf(settings), log),
        maxQueueSize: settings.queueMax,
        maxExportBatchSize: Math.min(settings.batchMax, settings.queueMax),
        scheduledDelayMillis: settings.delayMs,
        exportTimeoutMillis: settings.exportMs,
      }),
    ],
  });
  const tracer = provider.getTracer('varve');
  const start = ({ name, kind, attributes = {}, parent }: SpanFacts): Span =>
    tracer.startSpan(
      name,
      { kind: KINDS[kind], attributes },
      contextWith(parent ?? active.getStore() ?? null),
    );
  return {
    inSpan: async (facts, work) => {
      const span = start(facts);
      const open = openSpan(span);
      try {
        return await active.run(ofSpan(span.spanContext()), () => work(open));
      } catch (error) {
        open.fail(error instanceof VarveError ? error.code : nameOf(error));
        throw error;
      } finally {
        span.end();
      }
    },
    active: () => active.getStore() ?? null,
    add: ({ context, links, startedAt, endedAt, failure, ...facts }: EndedSpan) => {
      const { name, kind, attributes = {}, parent = null } = facts;
      ids.next = context.spanId;
      const linked = links.map((link) => ({ context: toSpanContext(link) }));
      const options = { kind: KINDS[kind], attributes, links: linked, startTime: startedAt };
      const span = tracer.startSpan(name, options, contextWith(parent));
      if (failure !== null) openSpan(span).fail(failure);
      span.end(endedAt);
    },
    [Symbol.asyncDispose]: () => active.exit(() => flushed(provider, log)),
  };
}

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
} as const satisfies Record<SpanFacts['kind'], SpanKind>;

/** Generates random ids, except for runs, whose span id is known in advance. */
class IdsOfRuns implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  /** The id for the next span that is started. */
  next: string | null = null;

  generateTraceId(): string {
    return this.#random.generateTraceId();
  }

  generateSpanId(): string {
    const id = this.next ?? this.#random.generateSpanId();
    this.next = null;
    return id;
  }
}

function openSpan(span: Span): OpenSpan {
  let isFailed = false;
  return {
    note: (attributes) => void span.setAttributes(attributes),
    rename: (name) => void span.updateName(name),
    fail: (code) => {
      if (isFailed) return;
      isFailed = true;
      // No message: an error's message may quote its input.
      span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR });
    },
  };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error;
}

function contextWith(parent: TraceContext | null): Context {
  if (parent === null) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, toSpanContext(parent));
}

function toSpanContext({ traceId, spanId, isSampled }: TraceContext): SpanContext {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return { traceId, spanId, traceFlags, isRemote: true };
}

function ofSpan({ traceId, spanId, traceFlags }: SpanContext): TraceContext {
  return { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
}

function exporterOf({ url, requestMs }: TracingSettings): SpanExporter {
  return new OTLPTraceExporter({ url, timeoutMillis: requestMs });
}

function samplerOf({ ratio, isParentHeeded }: TracingSettings): Sampler {
  const root = new TraceIdRatioBasedSampler(ratio);
  return isParentHeeded ? new ParentBasedSampler({ root }) : root;
}

/** Logs one line when the collector fails, and one when it accepts spans again. */
function reporting(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        const isFailed = result.error !== undefined;
        if (isFailed && !isFailing) {
          log.warn(
            { spans: spans.length, error: nameOf(result.error) },
            'the collector fails; spans are lost',
          );
        } else if (!isFailed && isFailing) log.info({}, 'the collector accepts spans again');
        isFailing = isFailed;
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

async function flushed(provider: TracerProvider, log: Log): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => {
    resolve('late');
  }, FLUSH_MS_MAX);
  // Failures are in the log already.
  const sent = provider.shutdown().catch(() => undefined);
  if ((await Promise.race([sent, late])) === 'late') {
    log.warn({ waitedMs: FLUSH_MS_MAX }, 'the collector is slow; spans are lost');
  }
  clearTimeout(timer);
}
