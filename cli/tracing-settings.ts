/** Tracing: off unless an endpoint is set, through the variables of the OpenTelemetry standard. */
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import { NO_TRACING, type Tracing } from '#core/ports/tracing.ts';
import { ACTIVE_SPAN } from '#providers/node/active-span.ts';
import type { TracingSettings } from '#providers/opentelemetry/tracing.ts';
import { z } from 'zod';
import { Address, unlessEmpty } from './store-and-model-settings.ts';

const PARENT_BASED = 'parentbased_';
const ROOT_SAMPLERS = ['always_on', 'always_off', 'traceidratio'];
const SAMPLERS = [...ROOT_SAMPLERS, ...ROOT_SAMPLERS.map((name) => PARENT_BASED + name)];
const PROTOCOLS = ['http/protobuf', 'http/json'] as const;
const TEXT_LENGTH_MAX = 256;
const SPANS_MAX = 65_536;
const MS_MAX = 600_000;
const QUEUE_SPANS = 2_048;
const BATCH_SPANS = 512;
const DELAY_MS = 5_000;
const EXPORT_MS = 30_000;
/** Below the 10 s of the standard, since a process that ends waits for pending requests. */
const REQUEST_MS = 5_000;
const TRACES_PATH = 'v1/traces';

const Spans = z.coerce.number().int().min(1).max(SPANS_MAX);
const Milliseconds = z.coerce.number().int().min(1).max(MS_MAX);
/** Pairs of `name=value`, separated by commas; values are percent-encoded. */
const ResourceAttributes = z.string().transform((text, context) => {
  const pairs = text.split(',').map((pair) => pair.trim().split('='));
  if (pairs.some(([name = '', ...value]) => name === '' || value.length !== 1)) {
    context.addIssue('expected name=value with commas between');
    return z.NEVER;
  }
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, decoded(value)]));
});

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

const Protocol = unlessEmpty(
  z.enum(PROTOCOLS, `spans are sent only over HTTP; expected one of ${PROTOCOLS.join(', ')}`),
);
/** Names from the standard; the exporter itself reads headers and certificates. */
const Variables = z.object({
  OTEL_SDK_DISABLED: unlessEmpty(z.string()),
  OTEL_TRACES_EXPORTER: unlessEmpty(z.enum(['otlp', 'none'], 'expected otlp or none')),
  OTEL_EXPORTER_OTLP_ENDPOINT: unlessEmpty(Address),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: unlessEmpty(Address),
  OTEL_EXPORTER_OTLP_TIMEOUT: unlessEmpty(Milliseconds),
  OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: unlessEmpty(Milliseconds),
  OTEL_EXPORTER_OTLP_PROTOCOL: Protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: Protocol,
  OTEL_SERVICE_NAME: unlessEmpty(z.string().max(TEXT_LENGTH_MAX)),
  OTEL_RESOURCE_ATTRIBUTES: unlessEmpty(ResourceAttributes),
  OTEL_TRACES_SAMPLER: unlessEmpty(z.enum(SAMPLERS, `expected one of ${SAMPLERS.join(', ')}`)),
  OTEL_TRACES_SAMPLER_ARG: unlessEmpty(z.coerce.number().min(0).max(1)),
  OTEL_BSP_MAX_QUEUE_SIZE: unlessEmpty(Spans),
  OTEL_BSP_MAX_EXPORT_BATCH_SIZE: unlessEmpty(Spans),
  OTEL_BSP_SCHEDULE_DELAY: unlessEmpty(Milliseconds),
  OTEL_BSP_EXPORT_TIMEOUT: unlessEmpty(Milliseconds),
});

/** The name of the service if none is set. */
type Part = 'varve' | 'varve-api' | 'varve-worker';

/**
 * Returns null if nothing is traced. Only commands that trace call this: the variables apply to
 * every program on a machine, and a value that Varve can't use must not end a library.
 * @throws VarveError INVALID_INPUT naming each wrong variable
 */
export function tracingSettingsOf(
  environment: Readonly<Record<string, string | undefined>>,
  part: Part,
): TracingSettings | null {
  const parsed = Variables.safeParse(environment);
  if (!parsed.success) {
    const wrong = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    throw new VarveError('INVALID_INPUT', `A setting of tracing is wrong. ${wrong.join('; ')}.`);
  }
  const set = parsed.data;
  const isOff = set.OTEL_SDK_DISABLED?.toLowerCase() === 'true';
  if (isOff || set.OTEL_TRACES_EXPORTER === 'none') return null;
  const base = set.OTEL_EXPORTER_OTLP_ENDPOINT;
  const url = set.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && beneath(base));
  if (url === undefined) return null;
  const { 'service.name': named, ...attributes } = set.OTEL_RESOURCE_ATTRIBUTES ?? {};
  return {
    url,
    serviceName: set.OTEL_SERVICE_NAME ?? named ?? part,
    attributes,
    ...samplingOf(set.OTEL_TRACES_SAMPLER, set.OTEL_TRACES_SAMPLER_ARG),
    queueMax: set.OTEL_BSP_MAX_QUEUE_SIZE ?? QUEUE_SPANS,
    batchMax: set.OTEL_BSP_MAX_EXPORT_BATCH_SIZE ?? BATCH_SPANS,
    delayMs: set.OTEL_BSP_SCHEDULE_DELAY ?? DELAY_MS,
    requestMs:
      set.OTEL_EXPORTER_OTLP_TRACES_TIMEOUT ?? set.OTEL_EXPORTER_OTLP_TIMEOUT ?? REQUEST_MS,
    exportMs: set.OTEL_BSP_EXPORT_TIMEOUT ?? EXPORT_MS,
  };
}

function samplingOf(sampler = `${PARENT_BASED}always_on`, share = 1) {
  const isParentHeeded = sampler.startsWith(PARENT_BASED);
  if (sampler.endsWith('traceidratio')) return { ratio: share, isParentHeeded };
  return { ratio: sampler.endsWith('always_on') ? 1 : 0, isParentHeeded };
}

function beneath(base: string): string {
  return `${base.replace(/\/+$/u, '')}/${TRACES_PATH}`;
}

/**
 * Loads the packages of OpenTelemetry if spans have a destination, and exports the spans of this
 * process until disposed. Disposing sends what waits, within seconds.
 * @throws VarveError INVALID_INPUT naming each wrong variable
 */
export async function openPartTracing(
  environment: Readonly<Record<string, string | undefined>>,
  { part, log }: { readonly part: Part; readonly log: Log },
): Promise<Tracing & AsyncDisposable> {
  const settings = tracingSettingsOf(environment, part);
  if (settings === null) return { ...NO_TRACING, [Symbol.asyncDispose]: () => Promise.resolve() };
  const { openTracing } = await import('#providers/opentelemetry/tracing.ts');
  return openTracing(settings, { active: ACTIVE_SPAN, log });
}
