/**
 * Models that answer by what they read and nothing else, over the protocols of OpenAI and of the AI
 * SDK's gateway. If the question asks for a home, they name the city in the prompt.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const CITY = /Braga/u;
const HOME = 'Where do I live?';
const UNKNOWN = 'I do not know.';

export interface StubModels extends AsyncDisposable {
  readonly url: string;
  /** Each prompt as JSON, in order. */
  readonly prompts: readonly string[];
}

const Chat = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.object({ function: z.object({ name: z.string() }) })).default([]),
});
type Chat = z.infer<typeof Chat>;

export async function startStubModels(): Promise<StubModels> {
  const prompts: string[] = [];
  const answered = async (request: IncomingMessage): Promise<unknown> => {
    const body = JSON.parse(await bodyOf(request)) as unknown;
    if (request.url === '/language-model') return gatewayAnswer(body, prompts);
    return chatAnswer(Chat.parse(body), prompts);
  };
  const server = createServer((request, response) => {
    answered(request).then(
      (answer) =>
        response.setHeader('content-type', 'application/json').end(JSON.stringify(answer)),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}`,
    prompts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}

function answerTo(prompt: string): string {
  if (!prompt.includes(HOME)) return 'Noted.';
  const [city] = CITY.exec(prompt) ?? [];
  return city === undefined ? UNKNOWN : `You live in ${city}.`;
}

function gatewayAnswer(body: unknown, prompts: string[]) {
  const { prompt } = z.object({ prompt: z.array(z.unknown()) }).parse(body);
  const text = JSON.stringify(prompt);
  prompts.push(text);
  const inputTokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 };
  return {
    content: [{ type: 'text', text: answerTo(text) }],
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens, outputTokens: { total: 1, text: 1, reasoning: 0 } },
    warnings: [],
  };
}

/** With tools it calls one first: it keeps what it is told, and looks up what it is asked. */
function chatAnswer({ messages, tools }: Chat, prompts: string[]) {
  const text = JSON.stringify(messages);
  prompts.push(text);
  const last = messages.at(-1);
  const call = last?.role === 'user' && tools.length > 0 ? callFor(wordsOf(last.content)) : null;
  const message =
    call === null
      ? { role: 'assistant', content: answerTo(text) }
      : { role: 'assistant', content: null, tool_calls: [call] };
  const finish_reason = call === null ? 'stop' : 'tool_calls';
  return { object: 'chat.completion', choices: [{ index: 0, message, finish_reason }] };
}

/** A text as it is, or in parts. */
function wordsOf(content: unknown): string {
  const parts = z.array(z.object({ text: z.string() })).safeParse(content);
  return parts.success ? parts.data.map(({ text }) => text).join('') : String(content);
}

function callFor(question: string) {
  const [name, input] = question.includes(HOME)
    ? ['get_context', { query: question }]
    : ['add_memory', { content: question }];
  const called = { name, arguments: JSON.stringify(input) };
  return { id: `call-${name}`, type: 'function', function: called };
}
