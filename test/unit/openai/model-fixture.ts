/** A model over the test model server, asked about two people. */
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { SummaryModel } from '#core/ports/model.ts';
import type { Log } from '#core/ports/platform.ts';
import { NO_TRACING } from '#core/ports/tracing.ts';
import type { OpenAiModelOptions } from '#providers/openai/call-usage.ts';
import { createOpenAiSummaryModel } from '#providers/openai/summary-model.ts';
import { startModelServer, type ModelServer } from '#test/cluster/model-server/model-server.ts';
import { batchOf, digest, item, source } from '../core/prompt-batch.ts';

export const KEY = 'sk-a-very-secret-key';
const NOW = Date.UTC(2026, 10, 1, 12);
const PRICE = { inputMicroDollarsPerMillion: 150_000, outputMicroDollarsPerMillion: 600_000 };
export const TEAM = batchOf(
  item('ann', [source('a1', 'Ann has a secret garden with 3 trees.', { speaker: 'ann' })]),
  item('bob', [source('b1', 'Bob keeps 7 dogs in a secret house.')]),
);
const [ANN = '', BOB = ''] = TEAM.items.map((each) => each.item);

const said = (id: string, text: string, speaker: string | null = null) => ({
  text,
  sources: [id],
  quote: text,
  speaker,
});
/** What a good model answers about each. */
export const ANN_SAID = {
  item: ANN,
  facts: [said('a1', 'Ann has a secret garden with 3 trees.', 'ann')],
};
export const BOB_SAID = {
  item: BOB,
  facts: [said('b1', 'Bob keeps 7 dogs in a secret house.')],
};

/** One server for the tests of a file; each finds an empty script. */
export function sharedModelServer(): () => ModelServer {
  let server: ModelServer | null = null;
  beforeAll(async () => {
    server = await startModelServer();
  });
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });
  beforeEach(() => {
    if (server !== null) server.script.length = 0;
  });
  return () => {
    if (server === null) throw new Error('The server starts before the tests.');
    return server;
  };
}

export type Differing = Partial<OpenAiModelOptions> & { readonly log?: Log };

export function modelOver(
  server: Pick<ModelServer, 'baseUrl'>,
  differing: Differing = {},
): SummaryModel {
  return createOpenAiSummaryModel(endpointOptions(server, differing));
}

/** Of a model with the key, at a server of the tests. */
export function endpointOptions(
  { baseUrl }: Pick<ModelServer, 'baseUrl'>,
  { log = quiet().log, ...differing }: Differing,
): OpenAiModelOptions {
  return {
    baseUrl,
    apiKey: KEY,
    model: 'a-model',
    classes: ['economy'],
    price: PRICE,
    contextTokens: 32_000,
    outputTokensMax: 8_000,
    thinkingTokens: 0,
    tokens: { name: 'quarter', count: (text) => Math.ceil(text.length / 4) },
    platform: { digest, clock: () => NOW, log, tracing: NO_TRACING },
    ...differing,
  };
}

/** Keeps what is logged, as a log file would show it. */
export function quiet(): { readonly log: Log; readonly lines: string[] } {
  const lines: string[] = [];
  const write = (level: string) => (fields: object, message: string) => {
    lines.push(JSON.stringify({ level, ...fields, message }));
  };
  const log = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return { lines, log };
}

export function call(signal?: AbortSignal): Parameters<SummaryModel['answer']>[1] {
  return { attemptId: 'batch/1', signal: signal ?? new AbortController().signal };
}
