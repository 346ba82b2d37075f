/** One trace in two processes, from an API call over Temporal to the model call. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { stackPaths } from '#cli/installation-files.ts';
import { startCollector, type CollectedSpan } from '../cluster/collector/collector.ts';
import { startModelServer } from '../cluster/model-server/model-server.ts';
import { startStackOn, TENANT, untilSummarized } from './running-stack.ts';
import { until } from './until.ts';
import { temporaryFolder } from './varve-process.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const MODEL = 'a-traced-model';
const CANARY = 'canary 7f3a of Kiel';

function environment(collector: string, models: string): Readonly<Record<string, string>> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OPENAI_BASE_URL: models,
    OPENAI_API_KEY: 'sk-of-nobody',
    VARVE_LOG_LEVEL: 'info',
    ...Object.fromEntries(
      ['STANDARD', 'ECONOMY'].flatMap((each) => [
        [`VARVE_MODEL_${each}`, MODEL],
        [`VARVE_MODEL_${each}_INPUT_PRICE`, '0.1'],
        [`VARVE_MODEL_${each}_OUTPUT_PRICE`, '0.2'],
      ]),
    ),
  };
}

test('an API call, its workflow, the activities and the model call form one trace', async () => {
  await using collector = await startCollector();
  await using models = await startModelServer();
  await using folder = await temporaryFolder();
  const env = environment(collector.url, models.baseUrl);
  const stack = await startStackOn(folder.path, { env });
  try {
    await addTraced(stack.addresses.apiUrl, stack.token);
    await untilSummarized(stack.api, 'ferry', CANARY);
    const trace = () => collector.spans.filter(({ traceId }) => traceId === TRACE);
    await until('the run has ended and its span is there', () =>
      Promise.resolve(trace().some(({ name }) => name === 'RunWorkflow:tenantRefresh')),
    );
    // From the model back to who called.
    const model = the(trace(), `chat ${MODEL}`);
    expect(pathOf(trace(), model)).toEqual([
      `chat ${MODEL}`,
      'RunActivity:summarizeBatch',
      'RunWorkflow:tenantRefresh',
      'SignalWithStartWorkflow:tenantRefresh',
      'memory.add',
      CALLER,
    ]);
    expect(model.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': MODEL,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': expect.any(Number) as number,
      'gen_ai.usage.output_tokens': expect.any(Number) as number,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(models.baseUrl).port),
    });
    const services = trace().map(({ resource }) => resource['service.name']);
    expect(new Set(services)).toEqual(new Set(['varve', 'varve-worker']));
    const worker = await readFile(stackPaths(folder.path).workerLog, 'utf8');
    const answered = worker.split('\n').find((line) => line.includes('the model answered')) ?? '{}';
    expect(JSON.parse(answered)).toMatchObject({ trace_id: TRACE });
    const service = await readFile(stackPaths(folder.path).serviceLog, 'utf8');
    expect(service).toContain(`"trace_id":"${TRACE}"`);
  } finally {
    await stack[Symbol.asyncDispose]();
  }
  expect(models.calls.some(({ body }) => JSON.stringify(body).includes(CANARY))).toBe(true);
  expect(collector.bodies.length).toBeGreaterThan(0);
  expect(collector.bodies.filter((body) => body.includes('canary'))).toEqual([]);
});

async function addTraced(apiUrl: string, token: string): Promise<void> {
  const { status } = await fetch(`${apiUrl}/memory.add`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      traceparent: `00-${TRACE}-${CALLER}-01`,
    },
    body: JSON.stringify({
      tenant: TENANT,
      layer: 'project',
      identifiers: { projectId: 'ferry' },
      content: `The ferry is called ${CANARY}.`,
    }),
  });
  expect(status).toBe(200);
}

function the(spans: readonly CollectedSpan[], name: string): CollectedSpan {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`No span ${name} among ${names(spans)}.`);
  return found;
}

const names = (spans: readonly CollectedSpan[]) => spans.map(({ name }) => name).join(', ');

/** Names from a span to its root; the id of a parent that was never sent stands last. */
function pathOf(spans: readonly CollectedSpan[], from: CollectedSpan): readonly string[] {
  const parent = spans.find(({ spanId }) => spanId === from.parentSpanId);
  if (parent !== undefined) return [from.name, ...pathOf(spans, parent)];
  return [from.name, from.parentSpanId ?? 'root'];
}
