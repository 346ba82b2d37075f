/**
 * The program of the tiny language model: `/v1/chat/completions` in plain text, one call at a time.
 * It prints its port on standard output, and ends when its standard input does.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { CONTEXT_TOKENS, loadLlama, type Llama, type LlamaModule } from './llama.ts';

const Body = z.looseObject({
  model: z.string(),
  messages: z.tuple([
    z.object({ role: z.literal('system'), content: z.string() }),
    z.object({ role: z.literal('user'), content: z.string() }),
  ]),
  max_tokens: z.int().min(1),
});

/** Serves until its standard input ends. */
export async function serve(module: LlamaModule, weights: string): Promise<void> {
  const llama = await loadLlama(module, weights);
  let last: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => {
    last = last.then(() => answer(llama, request, response)).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.stdout.write(`${String((server.address() as AddressInfo).port)}\n`);
  process.stdin.resume().once('end', () => process.exit(0));
}

async function answer(
  llama: Llama,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const parsed: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  const body = Body.parse(parsed);
  // A JSON grammar makes such a small model hang: it finds no allowed word to continue with.
  if (body['response_format'] !== undefined) {
    refuse(response, 'response_format is not supported');
    return;
  }
  const [{ content: system }, { content: user }] = body.messages;
  if (llama.tokensOf(system + user) + body.max_tokens > CONTEXT_TOKENS) {
    refuse(response, 'the prompt exceeds the context length');
    return;
  }
  const left = new AbortController();
  response.once('close', () => {
    left.abort();
  });
  const question = { system, user, tokensMax: body.max_tokens, signal: left.signal };
  const { text, isCut, promptTokens, completionTokens } = await llama.ask(question);
  send(response, 200, {
    object: 'chat.completion',
    model: body.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text },
        finish_reason: isCut ? 'length' : 'stop',
      },
    ],
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    },
  });
}

function refuse(response: ServerResponse, message: string): void {
  send(response, 400, { error: { message, type: 'invalid_request_error' } });
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
