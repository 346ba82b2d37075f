/** A local endpoint with OpenAI's `/embeddings`, whose behavior tests set. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Body = z.looseObject({ model: z.string(), input: z.array(z.string()) });

export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: z.infer<typeof Body> & Readonly<Record<string, unknown>>;
}

/** What to do with one request instead of answering it. */
export type Behavior = (response: ServerResponse, asked: Asked) => void;

export interface EmbeddingEndpoint extends AsyncDisposable {
  readonly url: string;
  readonly asked: readonly Asked[];
  /** Of the next requests, in their order; then every request is answered. */
  readonly behaviors: Behavior[];
}

/** Answers with `[length of the text, 1, 0, …]`, the last text first: order is by index. */
export async function openEndpoint(dimensions = 3): Promise<EmbeddingEndpoint> {
  const asked: Asked[] = [];
  const behaviors: Behavior[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Body.parse(JSON.parse(Buffer.concat(chunks).toString('utf8')));
      const one = { path: request.url ?? '', headers: request.headers, body };
      asked.push(one);
      const behavior = behaviors.shift();
      if (behavior !== undefined) {
        behavior(response, one);
        return;
      }
      const data = body.input.map((text, index) => ({
        index,
        embedding: vectorOf(text, dimensions),
      }));
      json(200, {
        object: 'list',
        data: data.toReversed(),
        usage: { prompt_tokens: 7, total_tokens: 7 },
      })(response, one);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/v1`,
    asked,
    behaviors,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Behavior {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

export function vectorOf(text: string, dimensions: number): number[] {
  return Array.from({ length: dimensions }, (_, at) => (at === 0 ? text.length : Number(at === 1)));
}
