/** What a caller of the library may leave out, filled in: by the environment, then by defaults. */
import path from 'node:path';
import { VarveError } from '#core/errors.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import type { Config } from './config.ts';
import type { PolicyInput } from './library-policy.ts';
import { localModelOf } from './local-model-settings.ts';
import { CONTEXT_TOKENS, OPENAI_URL, OUTPUT_TOKENS, withModelLimits } from './model-settings.ts';
import type { OpenVarveOptions } from './open-varve.ts';
import type {
  EmbeddingSettings,
  LocalModelSettings,
  ModelSettings,
  ModelsSettings,
  PartsSettings,
} from './settings.ts';

/** A model by its name, or with what is known of it; numbers left out have defaults. */
export type ModelInput = string | (Pick<ModelSettings, 'name'> & Partial<ModelSettings>);

export interface ModelsInput {
  /** Base URL of an endpoint that speaks OpenAI's `/chat/completions`; OpenAI's where absent. */
  readonly url?: string;
  /** `OPENAI_API_KEY` where absent. Never printed. */
  readonly apiKey?: string;
  readonly standard: ModelInput;
  /** The standard model where absent. */
  readonly economy?: ModelInput;
}

export interface EmbeddingInput extends Omit<EmbeddingSettings, 'url'> {
  /** Base URL of an endpoint that speaks OpenAI's `/embeddings`; OpenAI's where absent. */
  readonly url?: string;
}

export interface LocalModelInput extends Omit<LocalModelSettings, 'url'> {
  /** Where a model that is named is downloaded from; Hugging Face where absent. */
  readonly url?: string;
}

export interface LibraryOptions {
  /**
   * Folder that holds everything; made where it does not exist. `VARVE_DATA_DIR` or `.varve` where
   * absent, and then `MONGODB_URI` counts too.
   */
  readonly dataDir?: string | undefined;
  /**
   * What holds for tenants: budget, intervals, depths, hierarchy, limits. An object, several, or a
   * YAML file or folder as `varve start` reads it. Where absent the folder `policies` in the data
   * folder, if there is one; null leaves what the store has.
   */
  readonly policy?: PolicyInput | null | undefined;
  /** The models that write summaries; sentences of the sources where absent. */
  readonly models?: ModelsInput | undefined;
  /** `local`: a model on this machine embeds, the default one or the one named. */
  readonly embedder?: 'lexical' | 'endpoint' | 'local' | LocalModelInput | undefined;
  /** What makes vectors by meaning; words and their pieces where absent. */
  readonly embedding?: EmbeddingInput | undefined;
  /** Variables as the commands read them; those of the process where absent, `{}` for none. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** All of it by hand: then no variable is read and no policy looked for. */
  readonly settings?: PartsSettings | undefined;
}

/** Every option; the type holds this list complete. */
const OPTIONS: Readonly<Record<keyof OpenVarveOptions, true>> = {
  dataDir: true,
  policy: true,
  models: true,
  embedder: true,
  embedding: true,
  environment: true,
  settings: true,
  temporal: true,
  principal: true,
  log: true,
};

/**
 * What JavaScript lets through: a misspelled option would be passed over.
 * @throws VarveError INVALID_INPUT
 */
export function requireKnownOptions(options: OpenVarveOptions): void {
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(OPTIONS, name));
  if (unknown.length > 0) {
    const known = Object.keys(OPTIONS).join(', ');
    throw new VarveError('INVALID_INPUT', `${unknown.join(', ')}: no such option; take ${known}.`);
  }
  const { dataDir }: { readonly dataDir?: unknown } = options;
  if (dataDir === undefined || (typeof dataDir === 'string' && dataDir !== '')) return;
  const found = JSON.stringify(dataDir);
  throw new VarveError('INVALID_INPUT', `dataDir: expected the path of a folder, found ${found}.`);
}

export interface LibraryPlan {
  readonly dataDir: string;
  readonly settings: PartsSettings;
  /** `isOptional` for the default: it need not exist. */
  readonly policy: { readonly input: PolicyInput; readonly isOptional: boolean } | null;
}

/**
 * @param config what the environment says; null where it is not read
 * @throws VarveError INVALID_INPUT where models are given that cannot be used so
 */
export function planLibrary(options: LibraryOptions, config: Config | null): LibraryPlan {
  const { settings, models } = options;
  const dataDir = options.dataDir ?? config?.dataDir ?? '.varve';
  const known = settings ?? config?.settings ?? {};
  const { mongodb, ...others } = known;
  const embedders = embeddersOf(options, config, others);
  // Who names a folder means that folder, whatever other programs of this shell use.
  const isMongo =
    mongodb !== undefined && (settings !== undefined || options.dataDir === undefined);
  const key = config?.environment['OPENAI_API_KEY'];
  return {
    dataDir,
    settings: {
      ...others,
      ...embedders,
      ...(isMongo ? { mongodb } : {}),
      ...(models === undefined ? {} : { models: modelsOf(models, key) }),
    },
    policy: policyOf(options, config, dataDir),
  };
}

function policyOf(
  { policy, settings }: LibraryOptions,
  config: Config | null,
  dataDir: string,
): LibraryPlan['policy'] {
  if (policy === null) return null;
  if (policy !== undefined) return { input: policy, isOptional: false };
  const named = config?.environment['VARVE_POLICY_DIR'];
  if (config !== null && named !== undefined) return { input: config.policyDir, isOptional: false };
  if (settings !== undefined) return null;
  return { input: path.join(dataDir, 'policies'), isOptional: true };
}

function modelsOf(input: ModelsInput, key: string | undefined): ModelsSettings {
  const { url = OPENAI_URL, standard, economy = standard } = input;
  const apiKey = input.apiKey ?? (url === OPENAI_URL ? key : undefined);
  return {
    url,
    apiKey,
    standard: modelOf(standard, 'standard'),
    economy: modelOf(economy, 'economy'),
  };
}

function modelOf(input: ModelInput, modelClass: ModelClass): ModelSettings {
  const given = typeof input === 'string' ? { name: input } : input;
  const model = {
    inputDollarsPerMillion: 0,
    outputDollarsPerMillion: 0,
    contextTokens: CONTEXT_TOKENS,
    outputTokensMax: OUTPUT_TOKENS,
    thinkingTokens: 0,
    ...given,
  };
  return withModelLimits(model, {
    name: `models.${modelClass}.name`,
    contextTokens: `models.${modelClass}.contextTokens`,
    outputTokensMax: `models.${modelClass}.outputTokensMax`,
    thinkingTokens: `models.${modelClass}.thinkingTokens`,
  });
}

/** Who names an embedder means that one, whatever the environment says. */
function embeddersOf(
  { embedder, embedding: input }: LibraryOptions,
  config: Config | null,
  known: PartsSettings,
): Pick<PartsSettings, 'embedding' | 'local'> {
  const key = config?.environment['OPENAI_API_KEY'];
  const embedding = input === undefined ? known.embedding : embeddingOf(input, key);
  if (embedder === undefined) {
    return { embedding, local: input === undefined ? known.local : undefined };
  }
  if (embedder === 'lexical') return { embedding: undefined, local: undefined };
  if (embedder === 'endpoint') {
    if (embedding !== undefined) return { embedding, local: undefined };
    const message = "embedder: 'endpoint' needs the option embedding, or VARVE_EMBEDDING_URL.";
    throw new VarveError('INVALID_INPUT', message);
  }
  const local = known.local ?? config?.localModel ?? localModelOf({}, {});
  return { embedding, local: embedder === 'local' ? local : { ...local, ...embedder } };
}

function embeddingOf(input: EmbeddingInput, key: string | undefined): EmbeddingSettings {
  const { url = OPENAI_URL } = input;
  return { ...input, url, apiKey: input.apiKey ?? (url === OPENAI_URL ? key : undefined) };
}

/**
 * A budget in dollars holds nothing where calls are declared to cost nothing.
 * @throws VarveError INVALID_INPUT naming the prices that are missing
 */
export function requirePrices({ models }: LibraryOptions, hasDollarBudget: boolean): void {
  if (models === undefined || !hasDollarBudget) return;
  const { standard, economy = standard } = models;
  for (const [modelClass, input] of Object.entries({ standard, economy })) {
    const given: Partial<ModelSettings> = typeof input === 'string' ? {} : input;
    const { inputDollarsPerMillion: read, outputDollarsPerMillion: written } = given;
    if (read !== undefined && written !== undefined) continue;
    throw new VarveError(
      'INVALID_INPUT',
      'The policy has a budget in dollars, and the price of the model is not known. Set ' +
        `models.${modelClass}.inputDollarsPerMillion and outputDollarsPerMillion, in US dollars ` +
        'for a million tokens; 0 where it costs nothing.',
    );
  }
}
