/**
 * Reads a model in a folder: dimensions, tokens, prefixes and pooling from its files, and the name
 * of its generation, which changes with anything that changes a vector.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { DIMENSIONS_MAX } from '#core/vector.ts';
import { CONFIG, findModel, POOLING, TOKENIZER_CONFIG, type ModelPlaces } from './model-files.ts';
import type { Pooling } from './pooling.ts';

/** Change this with the method: the steps between text and vector, besides the model. */
const METHOD = 1;
/** Digits of the hash in the name of a generation. */
const MARK_DIGITS = 8;
/** Token limit if no file of a model gives one. */
const TOKENS_DEFAULT = 512;
/** Attention takes memory by the square of the tokens. */
const TOKENS_MAX = 2_048;
const TOKENS_MIN = 16;
/** Models of this family are trained with a word before each text. */
const E5 = /(?:^|[/_-])e5(?:[/_-]|$)/iu;
/** Positions of these models begin after that of the padding token. */
const SHIFTED = /roberta|camembert|mpnet/u;

export interface Prefixes {
  readonly query: string;
  readonly passage: string;
}

export interface ModelOptions {
  /** `organization/model`, or the folder; its last part becomes part of the generation's name. */
  readonly name: string;
  readonly folder: string;
  /** Prefixes; if absent, those of the model's family. */
  readonly queryPrefix?: string | undefined;
  readonly passagePrefix?: string | undefined;
}

export interface LocalModel {
  readonly name: string;
  readonly generation: string;
  readonly dimensions: number;
  readonly prefixes: Prefixes;
  readonly places: ModelPlaces;
  readonly tokensMax: number;
  readonly pooling: Pooling;
}

const Config = z.object({
  hidden_size: z.int().min(1).max(DIMENSIONS_MAX),
  model_type: z.string().default(''),
  _name_or_path: z.string().default(''),
  max_position_embeddings: z.number().optional(),
  pad_token_id: z.number().nullish(),
});
/** Models without a limit write a number of 30 digits. */
const TokenizerConfig = z.object({ model_max_length: z.number().optional() });
const PoolingConfig = z.object({
  pooling_mode_cls_token: z.boolean().default(false),
  pooling_mode_mean_tokens: z.boolean().default(false),
});

/**
 * Reads the model.
 * @throws VarveError NOT_FOUND if files are missing, INVALID_INPUT if one is invalid
 */
export async function readLocalModel({ name, folder, ...given }: ModelOptions) {
  const places = await findModel(folder);
  const config = await read(places.config, CONFIG, Config);
  const limits = await read(places.tokenizerConfig, TOKENIZER_CONFIG, TokenizerConfig);
  const pooling = await poolingOf(places);
  const isE5 = E5.test(name) || E5.test(config._name_or_path);
  const prefixes = {
    query: given.queryPrefix ?? (isE5 ? 'query: ' : ''),
    passage: given.passagePrefix ?? (isE5 ? 'passage: ' : ''),
  };
  const tokensMax = tokensOf(config, limits.model_max_length);
  const files = await Promise.all([hashOf(places.graph), hashOf(places.tokenizer)]);
  const mark = createHash('sha256')
    .update(JSON.stringify([METHOD, files, tokensMax, pooling, prefixes]))
    .digest('hex')
    .slice(0, MARK_DIGITS);
  const { hidden_size: dimensions } = config;
  const generation = `${lastOf(name)}-${String(dimensions)}-${mark}`;
  const model: LocalModel = {
    name,
    generation,
    dimensions,
    prefixes,
    places,
    tokensMax,
    pooling,
  };
  return model;
}

function tokensOf(config: z.infer<typeof Config>, length: number | undefined): number {
  const shift = SHIFTED.test(config.model_type) ? (config.pad_token_id ?? 1) + 1 : 0;
  const positions = config.max_position_embeddings ?? TOKENS_DEFAULT;
  const most = Math.min(positions - shift, length ?? TOKENS_DEFAULT, TOKENS_MAX);
  return Math.max(TOKENS_MIN, Math.floor(most));
}

async function poolingOf({ pooling: file }: ModelPlaces): Promise<Pooling> {
  if (file === null) return 'mean';
  const modes = await read(file, POOLING, PoolingConfig);
  if (modes.pooling_mode_mean_tokens && !modes.pooling_mode_cls_token) return 'mean';
  if (modes.pooling_mode_cls_token && !modes.pooling_mode_mean_tokens) return 'cls';
  throw new VarveError(
    'INVALID_INPUT',
    `${POOLING} of the embedding model asks for a pooling that Varve does not support. ` +
      'Expected the mean of the tokens or the first one; choose another model.',
  );
}

async function read<T>(file: string, name: string, schema: z.ZodType<T>): Promise<T> {
  let json: unknown = null;
  try {
    json = JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw unreadable(name, 'it is no JSON', cause);
  }
  const { data, error } = schema.safeParse(json);
  if (data !== undefined) return data;
  const [issue] = error?.issues ?? [];
  throw unreadable(name, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, error);
}

function unreadable(name: string, why: string, cause: unknown): VarveError {
  return new VarveError(
    'INVALID_INPUT',
    `${name} of the embedding model can't be used: ${why}. ` +
      'Remove the folder to download it again, or place the file of the model there.',
    { cause },
  );
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

function lastOf(name: string): string {
  return name.split(/[/\\]/u).findLast((part) => part !== '') ?? name;
}
