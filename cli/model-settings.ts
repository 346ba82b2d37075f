/** The settings of models that write summaries or embed, as cli/config.ts read them. */
import { homedir } from 'node:os';
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import { cacheFolder } from '#providers/temporal/server-cache.ts';
import {
  type ModelSettings,
  type ModelsSettings,
  Address,
  unlessEmpty,
  type LocalModelSettings,
} from './store-and-model-settings.ts';

/** Used if a key is given without an address. */
export const OPENAI_URL = 'https://api.openai.com/v1';
/** Assumed limits of a model whose limits are unknown. */
export const CONTEXT_TOKENS = 128_000;
export const OUTPUT_TOKENS = 16_384;
/** Room next to the longest answer for the rules and one segment of a scope. */
const SOURCE_ROOM_TOKENS = 6_000;
/** The longest answer for one item plus a quarter, which thinking tokens must leave free. */
const ANSWER_ROOM_TOKENS = 2_000;
const DOLLARS_MAX = 10_000;
const TOKENS_MAX = 10_000_000;
/** Reserved: the name of the summarizer without a model, in summaries and ledgers. */
const TAKEN_NAME = 'extractive';

const Name = z
  .string()
  .max(256)
  .refine((name) => name !== TAKEN_NAME, { error: 'this name means no model' });
const Dollars = z.coerce.number().min(0).max(DOLLARS_MAX);
const Tokens = z.coerce.number().int().min(1).max(TOKENS_MAX);
const ThinkingTokens = z.coerce.number().int().min(0).max(TOKENS_MAX);

export const MODEL_VARIABLES = {
  OPENAI_BASE_URL: unlessEmpty(Address),
  OPENAI_API_KEY: unlessEmpty(z.string()),
  VARVE_MODEL_STANDARD: unlessEmpty(Name),
  VARVE_MODEL_STANDARD_INPUT_PRICE: unlessEmpty(Dollars),
  VARVE_MODEL_STANDARD_OUTPUT_PRICE: unlessEmpty(Dollars),
  VARVE_MODEL_STANDARD_CONTEXT_TOKENS: unlessEmpty(Tokens),
  VARVE_MODEL_STANDARD_OUTPUT_TOKENS: unlessEmpty(Tokens),
  VARVE_MODEL_STANDARD_THINKING_TOKENS: unlessEmpty(ThinkingTokens),
  VARVE_MODEL_ECONOMY: unlessEmpty(Name),
  VARVE_MODEL_ECONOMY_INPUT_PRICE: unlessEmpty(Dollars),
  VARVE_MODEL_ECONOMY_OUTPUT_PRICE: unlessEmpty(Dollars),
  VARVE_MODEL_ECONOMY_CONTEXT_TOKENS: unlessEmpty(Tokens),
  VARVE_MODEL_ECONOMY_OUTPUT_TOKENS: unlessEmpty(Tokens),
  VARVE_MODEL_ECONOMY_THINKING_TOKENS: unlessEmpty(ThinkingTokens),
} as const;

const Variables = z.object(MODEL_VARIABLES);
type Variables = z.infer<typeof Variables>;

/**
 * Returns null if no model is named: many shells hold a key for other programs, and a key alone
 * must not begin to cost money. One named model serves both classes.
 * @throws VarveError INVALID_INPUT naming the variable that is missing or does not fit
 */
export function modelsOf(set: Variables): ModelsSettings | null {
  const standard = modelOf(set, 'standard');
  const economy = modelOf(set, 'economy');
  const one = standard ?? economy;
  if (one === null) return null;
  const { OPENAI_BASE_URL: url, OPENAI_API_KEY: apiKey } = set;
  if (url === undefined && apiKey === undefined) {
    throw invalid(
      'A model is set, but no endpoint. Set OPENAI_BASE_URL, or OPENAI_API_KEY for OpenAI itself.',
    );
  }
  if (standard?.name === economy?.name && JSON.stringify(standard) !== JSON.stringify(economy)) {
    throw invalid(
      'VARVE_MODEL_STANDARD and VARVE_MODEL_ECONOMY name one model with two sets of settings. ' +
        'Leave one of them out; the other then serves both classes.',
    );
  }
  const byClass = { standard: standard ?? one, economy: economy ?? one };
  return { url: url ?? OPENAI_URL, apiKey, ...byClass };
}

function modelOf(set: Variables, modelClass: ModelClass): ModelSettings | null {
  const prefix = modelClass === 'standard' ? 'VARVE_MODEL_STANDARD' : 'VARVE_MODEL_ECONOMY';
  const name = set[prefix];
  const input = set[`${prefix}_INPUT_PRICE`];
  const output = set[`${prefix}_OUTPUT_PRICE`];
  const context = set[`${prefix}_CONTEXT_TOKENS`];
  const answer = set[`${prefix}_OUTPUT_TOKENS`];
  const thinking = set[`${prefix}_THINKING_TOKENS`];
  if (name === undefined) {
    const isSet = [input, output, context, answer, thinking].some((value) => value !== undefined);
    if (isSet) throw invalid(`Settings of a model are set, but no model: set ${prefix}.`);
    return null;
  }
  if (input === undefined || output === undefined) {
    throw invalid(
      `The price of the model is not known, so no budget can limit it. Set ${prefix}_INPUT_PRICE ` +
        `and ${prefix}_OUTPUT_PRICE, in US dollars per million tokens; 0 if it costs nothing.`,
    );
  }
  const model = {
    name,
    inputDollarsPerMillion: input,
    outputDollarsPerMillion: output,
    contextTokens: context ?? CONTEXT_TOKENS,
    outputTokensMax: answer ?? OUTPUT_TOKENS,
    thinkingTokens: thinking ?? 0,
  };
  return withModelLimits(model, {
    name: prefix,
    contextTokens: `${prefix}_CONTEXT_TOKENS`,
    outputTokensMax: `${prefix}_OUTPUT_TOKENS`,
    thinkingTokens: `${prefix}_THINKING_TOKENS`,
  });
}

/**
 * Returns the model if its limits leave room for sources and for an answer.
 * @param fields the caller's names for the fields
 * @throws VarveError INVALID_INPUT naming the field to raise
 */
export function withModelLimits(
  model: ModelSettings,
  fields: Readonly<Record<'name' | 'contextTokens' | 'outputTokensMax' | 'thinkingTokens', string>>,
): ModelSettings {
  const { contextTokens, outputTokensMax, thinkingTokens } = model;
  if (!Name.safeParse(model.name).success || model.name === '') {
    throw invalid(
      `${fields.name} is ${JSON.stringify(model.name)}. Expected the name of a model of the ` +
        `endpoint, of 1 to 256 characters; "${TAKEN_NAME}" means no model.`,
    );
  }
  if (contextTokens < outputTokensMax + SOURCE_ROOM_TOKENS) {
    throw invalid(
      `${fields.contextTokens} must be at least ${String(SOURCE_ROOM_TOKENS)} more than ` +
        `${fields.outputTokensMax}, which is ${String(outputTokensMax)}.`,
    );
  }
  if (outputTokensMax < thinkingTokens + ANSWER_ROOM_TOKENS) {
    throw invalid(
      `${fields.outputTokensMax} must be at least ${String(ANSWER_ROOM_TOKENS)} more than ` +
        `${fields.thinkingTokens}, which is ${String(thinkingTokens)}: the answer comes after ` +
        'the thoughts.',
    );
  }
  return model;
}

function invalid(message: string): VarveError {
  return new VarveError('INVALID_INPUT', message);
}

/** What embeds: words and their parts, an endpoint, or a model on this machine. */
export const EMBEDDERS = ['lexical', 'endpoint', 'local'] as const;
export type EmbedderName = (typeof EMBEDDERS)[number];

/** About a hundred languages, 384 dimensions, 135 MB; by Microsoft, MIT. */
const LOCAL_MODEL = 'Xenova/multilingual-e5-small';
const LOCAL_MODEL_MEGABYTES = 135;
const LOCAL_MODEL_URL = 'https://huggingface.co';

/** Shown if memories are compared by their words only. */
export const LOCAL_OFFER =
  '--embedder local finds by meaning, with a model on this machine ' +
  `(${String(LOCAL_MODEL_MEGABYTES)} MB, downloaded once); see docs/operating/models.md`;

interface LocalModelVariables {
  readonly VARVE_LOCAL_MODEL?: string | undefined;
  readonly VARVE_LOCAL_MODEL_URL?: string | undefined;
  readonly VARVE_LOCAL_QUERY_PREFIX?: string | undefined;
  readonly VARVE_LOCAL_PASSAGE_PREFIX?: string | undefined;
}

/** Returns which model runs on this machine, and where it comes from. */
export function localModelOf(
  set: LocalModelVariables,
  environment: Readonly<Record<string, string | undefined>>,
): LocalModelSettings {
  return {
    model: set.VARVE_LOCAL_MODEL ?? LOCAL_MODEL,
    url: set.VARVE_LOCAL_MODEL_URL ?? LOCAL_MODEL_URL,
    cacheDir: cacheFolder({ env: environment, os: process.platform, homeFolder: homedir() }),
    queryPrefix: set.VARVE_LOCAL_QUERY_PREFIX,
    passagePrefix: set.VARVE_LOCAL_PASSAGE_PREFIX,
  };
}
