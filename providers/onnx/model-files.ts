/** The files of a model by the names that Hugging Face gives them. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { VarveError } from '#core/errors.ts';

export const CONFIG = 'config.json';
export const TOKENIZER = 'tokenizer.json';
export const TOKENIZER_CONFIG = 'tokenizer_config.json';
/** How token vectors become one vector; only some models have this file. */
export const POOLING = '1_Pooling/config.json';
/** The model itself, in order of preference: the quantized file has a quarter of the size. */
export const GRAPHS = [
  'onnx/model_quantized.onnx',
  'onnx/model.onnx',
  'model_quantized.onnx',
  'model.onnx',
] as const;

/** Files that every folder needs, for a message to people who place files by hand. */
export const NEEDED = `${CONFIG}, ${TOKENIZER}, ${TOKENIZER_CONFIG} and ${GRAPHS[0]}`;

export interface ModelPlaces {
  readonly config: string;
  readonly tokenizer: string;
  readonly tokenizerConfig: string;
  readonly pooling: string | null;
  readonly graph: string;
}

/**
 * Finds the files of a model.
 * @throws VarveError NOT_FOUND naming the folder, or what it lacks
 */
export async function findModel(folder: string): Promise<ModelPlaces> {
  const found = await modelIn(folder);
  if (found !== null) return found;
  const isThere = existsSync(folder);
  const lacking = isThere ? await lackingIn(folder) : [];
  const what = isThere ? `lacks ${lacking.join(', ')}` : 'is not there';
  throw new VarveError(
    'NOT_FOUND',
    `The folder of the embedding model, ${folder}, ${what}. It needs ${NEEDED}, as Hugging Face ` +
      'keeps them. Place them there, or name another folder or model with VARVE_LOCAL_MODEL.',
  );
}

/** Returns the files of a model; null if one is missing. */
export async function modelIn(folder: string): Promise<ModelPlaces | null> {
  const place = async (name: string): Promise<string | null> => {
    const file = path.join(folder, name);
    return existsSync(file) ? file : null;
  };
  const [config, tokenizer, tokenizerConfig, pooling, ...graphs] = await Promise.all(
    [CONFIG, TOKENIZER, TOKENIZER_CONFIG, POOLING, ...GRAPHS].map(place),
  );
  const graph = graphs.find((each) => each !== null);
  if (config == null || tokenizer == null || tokenizerConfig == null || graph == null) return null;
  return { config, tokenizer, tokenizerConfig, pooling: pooling ?? null, graph };
}

async function lackingIn(folder: string): Promise<readonly string[]> {
  const names = [CONFIG, TOKENIZER, TOKENIZER_CONFIG];
  const there = names.map((name) => existsSync(path.join(folder, name)));
  const graphs = GRAPHS.map((name) => existsSync(path.join(folder, name)));
  const lacking = names.filter((_, index) => there[index] === false);
  return graphs.includes(true) ? lacking : [...lacking, GRAPHS[0]];
}
