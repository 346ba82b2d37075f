/** A trace collector for a test run: receives OTLP over HTTP as JSON, and keeps the spans. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Value = z
  .object({
    stringValue: z.string().optional(),
    intValue: z.number().optional(),
    boolValue: z.boolean().optional(),
    arrayValue: z.object({ values: z.array(z.object({ stringValue: z.string() })) }).optional(),
  })
  .transform(
    ({ stringValue, intValue, boolValue, arrayValue }) =>
      stringValue ?? intValue ?? boolValue ?? arrayValue?.values.map((each) => each.stringValue),
  );
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .transform((all) => Object.fromEntries(all.map(({ key, value }) => [key, value])));

const Span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes: Attributes,
  status: z.object({ code: z.number(), message: z.string().optional() }),
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
});

/** What of a message of OTLP the tests look at. */
const Message = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(Span) })),
    }),
  ),
});

export type CollectedSpan = z.infer<typeof Span> & {
  readonly resource: z.infer<typeof Attributes>;
};

export interface Collector extends AsyncDisposable {
  /** The base that `/v1/traces` is added to. */
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** What came in, as it was sent. */
  readonly bodies: readonly string[];
  readonly headers: readonly NodeJS.Dict<string | string[]>[];
  /** Of the answers from now on; null for none at all. */
  answer: number | null;
}

export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: string[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      bodies.push(body);
      headers.push(request.headers);
      if (collector.answer === null) return;
      const isKnown = request.url === '/v1/traces';
      if (isKnown && collector.answer < 300) spans.push(...spansOf(body));
      response.writeHead(isKnown ? collector.answer : 404, { 'content-type': 'application/json' });
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const collector: Collector = {
    url: `http://127.0.0.1:${String(port)}`,
    spans,
    bodies,
    headers,
    answer: 200,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}

function spansOf(body: string): CollectedSpan[] {
  return Message.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, resource: resource.attributes })),
    ),
  );
}
