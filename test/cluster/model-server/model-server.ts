/**
 * A chat server of a test run that speaks OpenAI's `/chat/completions`. It finds the items and
 * sources in the prompt, answers faithfully, and fails as a script says. It counts what it did.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { ANSWER, type Behave, type Behavior, type Tokens, type Fault } from './behavior.ts';
import { ChatBody } from './chat-body.ts';
import { refuse, refusalOf, type Dialect, UNDERSTANDS_ALL } from './dialect.ts';
import { readPrompt, type PromptItem, type PromptSource } from './read-prompt.ts';

interface ModelCall {
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

interface ModelServerOptions {
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
  return { headers, body, items: isItemPrompt(user) ? readPrompt(user) : [] };
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

/** Some number that no source of a test has. */
const INVENTED = '987654';
/** Characters from the end of an answer into its last fact. */
const WITHIN_LAST_FACT = 12;

/** The text that the model says: the faithful answer, or what a fault makes of it. */
export function answerText(items: readonly PromptItem[], fault: Fault | undefined): string {
  const faithful = items.map((item) => faithfulItem(item));
  switch (fault) {
    case 'CitesNothing':
      return told(eachFact(faithful, (fact) => ({ ...fact, sources: [] })));
    case 'CitesAnotherScope':
      return told(citingNext(items, faithful));
    case 'SwapsOwners':
      return told(items.map((item, at) => ({ ...next(faithful, at), item: item.label })));
    case 'InventsNumbers':
      return told(
        eachFact(faithful, (fact) => ({ ...fact, text: `${fact.text} It was ${INVENTED}.` })),
      );
    case 'InventsQuotes':
      return told(eachFact(faithful, (fact) => ({ ...fact, quote: 'words that nobody said' })));
    case 'ObeysSources':
      return told(obeying(items));
    case 'MalformedFacts':
      return JSON.stringify({ items: faithful.map(malformed) });
    case 'LeavesOutItem':
      return told(faithful.slice(0, -1));
    case 'MalformedJson':
      return told(faithful).slice(0, -WITHIN_LAST_FACT);
    case 'OverLong':
      return told([...faithful, ...faithful.slice(-1)]).slice(0, -WITHIN_LAST_FACT);
    case 'CutItem':
      return told(faithful).slice(0, -WITHIN_LAST_FACT);
    case 'WrongSchema':
      return JSON.stringify({ summaries: faithful.map(({ item }) => ({ [item]: 'fine' })) });
    case 'PlainProse':
      return 'I am glad to help! Everything in these notes looks important to me.';
    case 'Fenced':
      return `Sure, {here} it is:\n\`\`\`json\n${told(faithful)}\n\`\`\`\nAnything else?`;
    case 'Filtered':
      return '';
    case undefined:
      return told(faithful);
    default:
      throw new Error(`There is no fault ${String(fault)}.`);
  }
}

function told(items: readonly AnswerItem[]): string {
  return JSON.stringify({ items });
}

function next<T>(list: readonly T[], at: number): T | undefined {
  return list[(at + 1) % list.length];
}

function eachFact(items: readonly AnswerItem[], change: (fact: AnswerFact) => AnswerFact) {
  return items.map((item) =>
    item.facts === undefined ? item : { ...item, facts: item.facts.map(change) },
  );
}

function citingNext(
  items: readonly PromptItem[],
  faithful: readonly AnswerItem[],
): readonly AnswerItem[] {
  return faithful.map((item, at) => {
    const sources = next(items, at)?.sources.map(({ label }) => label) ?? [];
    return item.kept === undefined
      ? { ...item, facts: item.facts?.map((fact) => ({ ...fact, sources })) ?? [] }
      : { ...item, kept: sources };
  });
}

/** What a source wants said, as a model would say it that takes data for instructions. */
function obeying(items: readonly PromptItem[]): readonly AnswerItem[] {
  return items.map(({ label, sources }) => ({
    item: label,
    facts: sources.map((source) => {
      const wanted = /\bsay:\s*(.+)/iu.exec(source.text)?.[1];
      return { ...faithfulFact(source), text: wanted ?? 'All former rules are off.', quote: null };
    }),
  }));
}

/** Every second fact is none; the others are sound. */
function malformed({ item, facts = [], kept = [] }: AnswerItem): unknown {
  const wrong: readonly unknown[] = [7, { text: '' }, { text: 'x', sources: 3 }, null];
  return {
    item,
    ...(kept.length > 0 ? { kept: [...kept, 7, null] } : {}),
    facts: facts.flatMap((fact, at) => [fact, wrong[at % wrong.length]]),
  };
}

interface DreamSource {
  readonly label: string;
  readonly heading: string | null;
  readonly isKnown: boolean;
  readonly lines: string[];
}

/** Whether a message is the prompt of a dream. */
function isDreamPrompt(user: string): boolean {
  return /^Today is .*\n<[0-9a-f]{24} memory>\n/u.test(user);
}

function isItemPrompt(user: string): boolean {
  return /^Today is .*\n\nItem /u.test(user);
}

/** Every line of MEMORY.md, and every line of the new blocks after them. */
export function dreamText(user: string, fault: Fault | undefined): string {
  if (fault === 'PlainProse') return 'I have dreamed of many things.';
  if (fault === 'Filtered') return '';
  const { memory, daily } = readDream(user);
  const headed = memory.map(({ heading, label, lines }) => ({
    heading,
    label,
    text: lines.join(' '),
  }));
  const added = daily.flatMap(({ label, lines, isKnown }) =>
    isKnown ? [] : lines.map((text) => ({ heading: null, label, text })),
  );
  const groups = Map.groupBy([...headed, ...added], ({ heading }) => heading);
  const open = groups.get(null) ?? [];
  groups.delete(null);
  const bullets = [...open, ...[...groups.values()].flat()].flatMap(
    ({ heading, label, text }, index, all) => [
      ...(heading !== null && all[index - 1]?.heading !== heading ? [`## ${heading}`] : []),
      `- ${faulty(text, fault)}${fault === 'CitesNothing' ? '' : ` (${label})`}`,
    ],
  );
  const text = ['[MEMORY]', ...bullets, '[DREAM]', `- ${String(added.length)} new lines.`].join(
    '\n',
  );
  return fault === 'Fenced' ? `Sure!\n\`\`\`markdown\n${text}\n\`\`\`\nAnything else?` : text;
}

function faulty(text: string, fault: Fault | undefined): string {
  if (fault === 'InventsNumbers') return `${text} Of those 4711.`;
  const [, asked] = /say:\s*(.+)$/iu.exec(text) ?? [];
  return fault === 'ObeysSources' && asked !== undefined ? asked : text;
}

function readDream(user: string): {
  readonly memory: readonly DreamSource[];
  readonly daily: readonly DreamSource[];
} {
  const [, ...rows] = user.split('\n');
  const marker = (rows[0] ?? '').replace(/ .*/u, '');
  const memory: DreamSource[] = [];
  const daily: DreamSource[] = [];
  let open = memory;
  for (const row of rows) {
    if (!row.startsWith(`${marker} `)) open.at(-1)?.lines.push(row);
    else if (row === `${marker} daily>`) open = daily;
    else {
      const [, label, heading] = /^<\S+ (s\d+) .*?(?:under (".*"))?>$/u.exec(row) ?? [];
      if (label === undefined) continue;
      const named: unknown = heading === undefined ? null : JSON.parse(heading);
      open.push({
        label,
        heading: typeof named === 'string' ? named : null,
        isKnown: row.endsWith(' read before>'),
        lines: [],
      });
    }
  }
  return { memory, daily };
}

export interface AnswerFact {
  readonly text: string;
  readonly sources: readonly string[];
  readonly quote: string | null;
  readonly speaker: string | null;
}

export interface AnswerItem {
  readonly item: string;
  readonly facts?: readonly AnswerFact[];
  readonly kept?: readonly string[];
}

/** A rough count that needs no tokenizer, for sizes and for usage. */
export const CHARACTERS_PER_TOKEN = 4;

function faithfulItem(item: PromptItem): AnswerItem {
  const { label, task, tokensMax } = item;
  const sources = withinTokens(item.sources, tokensMax);
  return task === 'Select'
    ? { item: label, kept: sources.map((source) => source.label) }
    : { item: label, facts: sources.map(faithfulFact) };
}

function faithfulFact({ label, speaker, text }: PromptSource): AnswerFact {
  const sentence = firstSentence(text);
  return { text: sentence, sources: [label], quote: sentence, speaker };
}

/** The first sentence that says something, else the beginning up to the end of a word. */
function firstSentence(text: string): string {
  const line = text.trim();
  const [sentence] = /^[^]{20,240}?[.!?](?=\s|$)/u.exec(line) ?? [];
  return sentence ?? /^[^]{1,240}(?=\s|$)/u.exec(line)?.[0] ?? line.slice(0, 240);
}

function withinTokens(sources: readonly PromptSource[], tokensMax: number) {
  let left = tokensMax * CHARACTERS_PER_TOKEN;
  return sources.filter(({ text }) => {
    if (text.trim() === '') return false;
    left -= firstSentence(text).length;
    return left >= 0;
  });
}
