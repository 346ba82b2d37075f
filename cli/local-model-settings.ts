/** Which model runs on this machine, and where it comes from. */
import { homedir } from 'node:os';
import { cacheFolder } from '#providers/temporal/server-cache.ts';
import type { LocalModelSettings } from './settings.ts';

/** What embeds: words and their pieces, an endpoint, or a model on this machine. */
export const EMBEDDERS = ['lexical', 'endpoint', 'local'] as const;
export type EmbedderName = (typeof EMBEDDERS)[number];

/** In a hundred languages, 384 numbers, 135 MB; by Microsoft, MIT. */
const LOCAL_MODEL = 'Xenova/multilingual-e5-small';
const LOCAL_MODEL_MEGABYTES = 135;
const LOCAL_MODEL_URL = 'https://huggingface.co';

/** What is said where memories are compared by their words alone. */
export const LOCAL_OFFER =
  '--embedder local finds by meaning, with a model on this machine ' +
  `(${String(LOCAL_MODEL_MEGABYTES)} MB, downloaded once); see docs/operating/models.md`;

interface LocalModelVariables {
  readonly VARVE_LOCAL_MODEL?: string | undefined;
  readonly VARVE_LOCAL_MODEL_URL?: string | undefined;
  readonly VARVE_LOCAL_QUERY_PREFIX?: string | undefined;
  readonly VARVE_LOCAL_PASSAGE_PREFIX?: string | undefined;
}

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
