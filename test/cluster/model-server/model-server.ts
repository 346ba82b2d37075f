/**
 * A chat server of a test run that speaks OpenAI's `/chat/completions`. It finds the items and
 * sources in the prompt, answers faithfully, and fails as a script says. It counts what it did.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { answerText } from './answer-text.ts';
import { ANSWER, type Behave, type Behavior, type Tokens } from './behavior.ts';
import { ChatBody } from './chat-body.ts';
import { dreamText, isDreamPrompt } from './dream-text.ts';
import { refuse, refusalOf, type Dialect, UNDERSTANDS_ALL } from './dialect.ts';
import { CHARACTERS_PER_TOKEN } from './facts.ts';
import { readPrompt, type PromptItem } from './read-prompt.ts';

export interface ModelCall {
  readonly headers: IncomingHttpHeaders;
  readonly body: ChatBody;
  /** Empty where the message is no prompt of Varve. */
  readonly items: readonly PromptItem[];
}

export interface ModelServer extends AsyncDisposable {
  /** The base that `/chat/completions` is added to. */
  readonly baseUrl: string;
  /** Every call, also those that were refused; the earliest first. */
  readonly calls: readonly ModelCall[];
  /** Behaviors of the next calls, in their order; when it is empty, `behave` decides. */
  readonly script: Behavior[];
  /** Tokens of all answers that went out with status 200: what a provider would charge. */
  charged(): Tokens & { readonly answers: number };
}

export interface ModelServerOptions {
  /** Default: every call is answered faithfully. */
  readonly behave?: Behave;
  /** What the server understands; default: all that OpenAI's does. */
  readonly dialect?: Partial<Dialect>;
  /** Names under `/models`; without it there is no such list. */
  readonly models?: readonly string[];
  /** The keys that it takes, looked at with each call; without it any. */
  readonly keys?: ReadonlySet<string>;
  /** Default: a free one. */
  readonly port?: number;
}

const PATH = '/v1';

export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const calls: ModelCall[] = [];
  const script: Behavior[] = [];
  const charged = { answers: 0, prompt: 0, completion: 0 };
  const charge = ({ prompt, completion }: Tokens): void => {
    charged.answers += 1;
    charged.prompt += prompt;
    charged.completion += completion;
  };
  const dialect = { ...UNDERSTANDS_ALL, ...options.dialect };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const isKnown = isKeyKnown(request.headers, options.keys);
      if (request.url === `${PATH}/models`) {
        if (isKnown) listModels(response, options.models);
        else refuse(response, WRONG_KEY);
        return;
      }
      const call = callOf(request.headers, Buffer.concat(chunks).toString('utf8'));
      calls.push(call);
      const refusal = isKnown ? refusalOf(call.body, dialect) : WRONG_KEY;
      const prompt = call.body.messages.at(-1)?.content ?? '';
      const behavior =
        refusal ?? script.shift() ?? options.behave?.({ number: calls.length, prompt }) ?? ANSWER;
      void perform(behavior, { call, response, charge });
    });
  });
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${String(port)}${PATH}`,
    calls,
    script,
    charged: () => ({ ...charged }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** As OpenAI's says it, with a part of what was sent. */
const WRONG_KEY = {
  kind: 'Refuse',
  status: 401,
  code: 'invalid_api_key',
  message: 'Incorrect API key provided.',
} as const;

function isKeyKnown(
  { authorization }: IncomingHttpHeaders,
  keys: ReadonlySet<string> | undefined,
): boolean {
  return keys === undefined || keys.has((authorization ?? '').replace(/^Bearer /u, ''));
}

function callOf(headers: IncomingHttpHeaders, text: string): ModelCall {
  const body = ChatBody.parse(JSON.parse(text));
  const user = body.messages.at(-1)?.content ?? '';
  return { headers, body, items: user.startsWith('Item ') ? readPrompt(user) : [] };
}

function listModels(response: ServerResponse, models: readonly string[] | undefined): void {
  if (models === undefined) refuse(response, { kind: 'Refuse', status: 404 });
  else sendJson(response, { object: 'list', data: models.map((id) => ({ id, object: 'model' })) });
}

interface Turn {
  readonly call: ModelCall;
  readonly response: ServerResponse;
  readonly charge: (tokens: Tokens) => void;
}

async function perform(behavior: Behavior, turn: Turn): Promise<void> {
  const { response } = turn;
  switch (behavior.kind) {
    case 'Refuse':
      refuse(response, behavior);
      return;
    case 'Silence':
      return;
    case 'Halt':
    case 'CutStream':
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"id":"x","choices":[', () => {
        if (behavior.kind === 'CutStream') response.destroy();
      });
      return;
    case 'Page':
      if (behavior.contentType !== undefined) {
        response.setHeader('content-type', behavior.contentType);
      }
      response.end(behavior.text);
      return;
    case 'Body':
      sendJson(response, behavior.body, behavior.status);
      return;
    case 'Answer':
      if (behavior.latencyMs !== undefined) await delay(behavior.latencyMs);
      answer(behavior, turn);
      return;
    default:
      throw new Error('There is no such behavior.');
  }
}

function answer(
  { fault, usage, inParts = false }: Extract<Behavior, { kind: 'Answer' }>,
  { call: { body, items }, response, charge }: Turn,
): void {
  const user = body.messages.at(-1)?.content ?? '';
  const whole = isDreamPrompt(user) ? dreamText(user, fault) : answerText(items, fault);
  const tokensMax = body.max_completion_tokens ?? body.max_tokens ?? Infinity;
  const text = whole.slice(0, tokensMax * CHARACTERS_PER_TOKEN);
  const isCut = text.length < whole.length || fault === 'OverLong' || fault === 'CutItem';
  const asked = body.messages.map(({ content }) => content).join('');
  const counted = usage ?? { prompt: tokensOf(asked), completion: tokensOf(text) };
  charge(counted);
  const finishReason = fault === 'Filtered' ? 'content_filter' : isCut ? 'length' : 'stop';
  sendJson(response, {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 0,
    model: body.model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: inParts ? partsOf(text) : text },
        finish_reason: finishReason,
      },
    ],
    ...(usage === null
      ? {}
      : {
          usage: {
            prompt_tokens: counted.prompt,
            completion_tokens: counted.completion,
            total_tokens: counted.prompt + counted.completion,
          },
        }),
  });
}

/** As Mistral's models that think answer. */
function partsOf(text: string): readonly object[] {
  const half = Math.floor(text.length / 2);
  return [
    { type: 'thinking', thinking: [{ type: 'text', text: '{"items":[]}' }] },
    { type: 'text', text: text.slice(0, half) },
    { type: 'text', text: text.slice(half) },
  ];
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
}

function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
