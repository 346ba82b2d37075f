/** Spans of requests and model calls, as a collector receives them. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startApiServer, type ApiServer } from '#api/http-server.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { tracingSettingsOf } from '#cli/tracing-settings.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { ACTIVE_SPAN } from '#providers/node/active-span.ts';
import { createLog } from '#providers/node/log.ts';
import { openTracing, type OpenTracing } from '#providers/opentelemetry/tracing.ts';
import { startCollector, type Collector } from '#test/cluster/collector/collector.ts';
import { startModelServer } from '#test/cluster/model-server/model-server.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { until } from '#test/e2e/until.ts';
import { failureOf } from '#test/unit/failures.ts';
import { openEndpoint } from '#test/unit/openai/embedding-endpoint.ts';
import { call, endpointOptions, TEAM } from '#test/unit/openai/model-fixture.ts';
import { createOpenAiEmbedder } from '#providers/openai/embedder.ts';
import { createOpenAiSummaryModel } from '#providers/openai/summary-model.ts';

const TOKEN = 'a-token-of-this-installation';
const SECRET = 'Dana likes maps.';
const DANA = { layer: 'user', identifiers: { userId: 'dana' }, content: SECRET };
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const SAMPLED = `00-${TRACE}-${CALLER}-01`;
const ERROR = 2;
const SERVER = 2;
const CLIENT = 3;

let lines: Record<string, unknown>[] = [];
let held: AsyncDisposableStack;
let collector: Collector;
beforeEach(async () => {
  lines = [];
  held = new AsyncDisposableStack();
  collector = held.use(await startCollector());
});
afterEach(() => held.disposeAsync());

const log = createLog({
  level: 'debug',
  destination: { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) },
});

function traced(environment: Readonly<Record<string, string>> = {}): OpenTracing {
  const given = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '50' };
  const settings = tracingSettingsOf({ ...given, ...environment }, 'varve-api');
  if (settings === null) throw new Error('An endpoint is set.');
  return held.use(openTracing(settings, { active: ACTIVE_SPAN, log }));
}

async function serve(tracing: OpenTracing): Promise<ApiServer> {
  const { folder } = held.use(await temporaryFolder());
  const parts = held.use(await openParts({ dataDir: folder, log, tracing }));
  const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
  const probes = { healthz: () => FINE, readyz: () => FINE };
  const address = { host: '127.0.0.1', port: 0, token: TOKEN };
  return held.use(await startApiServer({ ports, ...address, probes, isRequestLogOn: true }));
}
const FINE = { ok: true, findings: [] };

async function send(
  { url }: ApiServer,
  path: string,
  { body, traceparent }: { body?: unknown; traceparent?: string } = {},
): Promise<number> {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${TOKEN}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(traceparent === undefined ? {} : { traceparent }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.text();
  return response.status;
}

const collected = (count: number) =>
  until(`${String(count)} spans are collected`, () =>
    Promise.resolve(collector.spans.length >= count && collector.spans),
  );
const MEMORIES = '/v1/tenants/acme/memories';
const TOOL = {
  ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
  params: { name: 'add_memory', arguments: { content: SECRET } },
};

describe('a request', () => {
  test.each([
    ['REST', MEMORIES, DANA],
    ['tRPC', '/memory.add', { tenant: 'acme', ...DANA }],
    ['MCP', '/mcp?tenant=acme&userId=dana', TOOL],
  ])(
    'over %s continues the trace of its caller, without content in the span',
    async (_, path, body) => {
      const server = await serve(traced());
      expect(await send(server, path, { body, traceparent: SAMPLED })).toBe(200);
      expect(await collected(1)).toEqual([
        expect.objectContaining({
          traceId: TRACE,
          parentSpanId: CALLER,
          name: 'memory.add',
          kind: SERVER,
          attributes: {
            'http.request.method': 'POST',
            'http.response.status_code': 200,
            'varve.operations': ['memory.add'],
          },
          resource: { 'service.name': 'varve-api', 'process.pid': process.pid },
        }),
      ]);
      expect(collector.bodies.join('\n')).not.toMatch(/Dana|dana|acme/u);
      const line = lines.find(({ msg }) => msg === 'request');
      expect(line).toMatchObject({ trace_id: TRACE, span_id: collector.spans[0]?.spanId });
    },
  );

  test.each([undefined, 'no trace at all'])(
    'without a valid trace header (%s) starts a new trace',
    async (traceparent) => {
      const server = await serve(traced());
      await send(server, '/health', traceparent === undefined ? {} : { traceparent });
      const [span] = await collected(1);
      expect(span).toMatchObject({ name: 'health', traceId: expect.not.stringMatching(TRACE) });
      expect(span?.parentSpanId ?? '').toBe('');
    },
  );

  test('whose caller does not sample the trace is logged but not exported', async () => {
    const server = await serve(traced());
    await send(server, '/health', { traceparent: SAMPLED.replace(/01$/u, '00') });
    await send(server, '/health');
    await collected(1);
    expect(collector.spans.filter(({ traceId }) => traceId === TRACE)).toEqual([]);
    expect(lines.filter((line) => line['trace_id'] === TRACE)).toHaveLength(1);
  });

  test('to a probe has no span', async () => {
    const server = await serve(traced());
    for (const path of ['/healthz', '/readyz', '/metrics']) await send(server, path);
    await send(server, '/health');
    expect((await collected(1)).map(({ name }) => name)).toEqual(['health']);
  });

  test('has no trace id in the log if tracing is off', async () => {
    const { folder } = held.use(await temporaryFolder());
    const parts = held.use(await openParts({ dataDir: folder, log }));
    const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
    const address = { host: '127.0.0.1', port: 0, token: TOKEN, isRequestLogOn: true };
    const server = held.use(await startApiServer({ ports, ...address }));
    await send(server, '/health', { traceparent: SAMPLED });
    const line = await until('the line of the request', () =>
      Promise.resolve(lines.find(({ msg }) => msg === 'request')),
    );
    expect(line).not.toHaveProperty('trace_id');
    expect(collector.bodies).toEqual([]);
  });
});

describe('a collector', () => {
  test.each([500, null])(
    'that answers %j does not fail calls, and is logged once',
    async (answer) => {
      collector.answer = answer;
      const tracing = traced();
      const server = await serve(tracing);
      for (const _ of Array.from({ length: 20 })) expect(await send(server, '/health')).toBe(200);
      await until('the collector was asked', () => Promise.resolve(collector.bodies.length > 0));
      await tracing[Symbol.asyncDispose]();
      const lost = lines.filter(({ msg }) => String(msg).endsWith('spans are lost'));
      expect(lost).toHaveLength(1);
    },
  );

  test('that is slow receives at most what the queue holds', async () => {
    collector.answer = null;
    const tracing = traced({
      OTEL_BSP_MAX_QUEUE_SIZE: '5',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '5',
    });
    for (const at of Array.from({ length: 200 }).keys()) {
      await tracing.inSpan({ name: `span ${String(at)}`, kind: 'internal' }, async () => {});
    }
    collector.answer = 200;
    await tracing[Symbol.asyncDispose]();
    expect(collector.bodies.join('').split('"name":"span ').length - 1).toBeLessThanOrEqual(10);
  });

  test('receives the queued spans when the process ends', async () => {
    const tracing = traced({ OTEL_BSP_SCHEDULE_DELAY: '600000' });
    await tracing.inSpan({ name: 'the last', kind: 'internal' }, async () => {});
    expect(collector.spans).toEqual([]);
    await tracing[Symbol.asyncDispose]();
    expect(collector.spans.map(({ name }) => name)).toEqual(['the last']);
  });
});

describe('a call to a model', () => {
  test('that fails has the error code and no text of the error in its span', async () => {
    const tracing = traced();
    const models = held.use(await startModelServer());
    models.script.push({ kind: 'Refuse', status: 429, message: SECRET });
    const options = endpointOptions(models, {});
    const platform = { ...options.platform, tracing };
    const model = createOpenAiSummaryModel({ ...options, platform });
    expect(await failureOf(model.answer(TEAM, call()))).toMatchObject({ code: 'RATE_LIMITED' });
    const [span] = await collected(1);
    expect(span).toMatchObject({
      name: 'chat a-model',
      kind: CLIENT,
      status: { code: ERROR },
      attributes: { 'gen_ai.request.model': 'a-model', 'error.type': 'RATE_LIMITED' },
    });
    expect(span?.status.message ?? '').toBe('');
    expect(collector.bodies.join('')).not.toMatch(/Dana|secret garden/u);
  });

  test('that embeds has its model and token count in its span', async () => {
    const tracing = traced();
    const endpoint = held.use(await openEndpoint());
    const embedder = createOpenAiEmbedder({
      ...{ baseUrl: endpoint.url, apiKey: null, model: 'vectors', dimensions: 3 },
      ...{ dimensionsSent: false, queryPrefix: '', passagePrefix: '', tracing },
      ...{ microDollarsPerMillionTokens: null, digest: (text) => text, clock: () => 0 },
    });
    await embedder.embed([SECRET], { purpose: 'passage' });
    expect((await collected(1))[0]).toMatchObject({
      name: 'embeddings vectors',
      attributes: {
        'gen_ai.operation.name': 'embeddings',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'vectors',
        'gen_ai.usage.input_tokens': 7,
      },
    });
    expect(collector.bodies.join('')).not.toContain('Dana');
  });
});
