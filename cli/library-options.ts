/** Fills in the options that a caller leaves out: from the environment, then defaults. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Library } from '#api/calls/library.generated.ts';
import type { Principal } from '#api/principal.ts';
import { codeOf, VarveError } from '#core/errors.ts';
import type { Layer } from '#core/layer.ts';
import type { Log } from '#core/ports/platform.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import { FOLDER_CLUSTER } from '#core/records/policy.ts';
import type { ResourceFile } from '#crds/read-resources.ts';
import type { Parts } from './composition-root.ts';
import type { LayerPolicy, TenantPolicy } from './policy-types.generated.ts';
import type { Config } from './config.ts';
import {
  localModelOf,
  CONTEXT_TOKENS,
  OPENAI_URL,
  OUTPUT_TOKENS,
  withModelLimits,
} from './model-settings.ts';
import type {
  EmbeddingSettings,
  LocalModelSettings,
  ModelSettings,
  ModelsSettings,
  PartsSettings,
} from './store-and-model-settings.ts';

/** A model by its name, or with its known limits and prices; missing numbers have defaults. */
export type ModelInput = string | (Pick<ModelSettings, 'name'> & Partial<ModelSettings>);

export interface ModelsInput {
  /** Base URL of an endpoint that speaks OpenAI's `/chat/completions`; OpenAI's if absent. */
  readonly url?: string;
  /** For OpenAI's endpoint, `OPENAI_API_KEY` if absent. Never printed. */
  readonly apiKey?: string;
  readonly standard: ModelInput;
  /** The standard model if absent. */
  readonly economy?: ModelInput;
}

export interface EmbeddingInput extends Omit<EmbeddingSettings, 'url'> {
  /** Base URL of an endpoint that speaks OpenAI's `/embeddings`; OpenAI's if absent. */
  readonly url?: string;
}

export interface LocalModelInput extends Omit<LocalModelSettings, 'url'> {
  /** Where a named model is downloaded from; Hugging Face if absent. */
  readonly url?: string;
}

export interface LibraryOptions {
  /**
   * Folder that holds everything; created if it does not exist. If absent, `VARVE_DATA_DIR` or
   * `.varve`, and then `MONGODB_URI` counts too.
   */
  readonly dataDir?: string | undefined;
  /**
   * The policy of tenants: budget, intervals, depths, hierarchy, limits. An object, several, or a
   * YAML file or folder as `varve start` reads it. If absent, the folder `policies` in the data
   * folder, if there is one; null keeps what the store has.
   */
  readonly policy?: PolicyInput | null | undefined;
  /** The models that write summaries; if absent, they consist of the sources' sentences. */
  readonly models?: ModelsInput | undefined;
  /** `local`: a model on this machine embeds, either the default one or the named one. */
  readonly embedder?: 'lexical' | 'endpoint' | 'local' | LocalModelInput | undefined;
  /** The endpoint for vectors by meaning; if absent, vectors of words and their parts. */
  readonly embedding?: EmbeddingInput | undefined;
  /** Variables as the commands read them; those of the process if absent, `{}` for none. */
  readonly environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** All settings explicitly: then no variable is read and no policy is searched for. */
  readonly settings?: PartsSettings | undefined;
}

export interface TemporalPlace {
  readonly address: string;
  readonly namespace?: string;
  /** `TEMPORAL_API_KEY`, `TEMPORAL_TLS_…` by name; a plain connection if absent. */
  readonly security?: Readonly<Record<string, string>> | null;
}

export interface OpenVarveOptions extends LibraryOptions {
  /** A Temporal server: writes then start its workflows, and a `varve` worker refreshes. */
  readonly temporal?: TemporalPlace;
  readonly principal?: Principal;
  readonly log?: Log;
}

/** Every operation of the API as a method. */
export interface Varve extends Library, AsyncDisposable {
  /** What `await using` does at the end of a block; a second call does nothing. */
  close(): Promise<void>;
}

interface LibraryPlan {
  readonly dataDir: string;
  readonly settings: PartsSettings;
  /** `isOptional` for the default policy: it need not exist. */
  readonly policy: { readonly input: PolicyInput; readonly isOptional: boolean } | null;
}

/**
 * @param config what the environment says; null if it is not read
 * @throws VarveError INVALID_INPUT if the given models cannot be used
 */
export function planLibrary(options: LibraryOptions, config: Config | null): LibraryPlan {
  const { settings, models } = options;
  const dataDir = options.dataDir ?? config?.dataDir ?? '.varve';
  const known = settings ?? config?.settings ?? {};
  const { mongodb, ...others } = known;
  const embedders = embeddersOf(options, config, others);
  // A caller who names a folder means that folder, whatever the variables of this shell say.
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
  return {
    url,
    apiKey: keyOf({ ...input, url }, key, 'models'),
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

/** A caller who names an embedder means that one, whatever the environment says. */
function embeddersOf(
  { embedder, embedding: input }: LibraryOptions,
  config: Config | null,
  known: PartsSettings,
): Pick<PartsSettings, 'embedding' | 'local'> {
  if (embedder === 'lexical') return { embedding: undefined, local: undefined };
  const key = config?.environment['OPENAI_API_KEY'];
  const embedding = input === undefined ? known.embedding : embeddingOf(input, key);
  if (embedder === undefined) {
    return { embedding, local: input === undefined ? known.local : undefined };
  }
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
  return { ...input, url, apiKey: keyOf({ ...input, url }, key, 'embedding') };
}

/**
 * OpenAI's key is for OpenAI alone; other endpoints may need none.
 * @throws VarveError INVALID_INPUT if OpenAI's is missing, before every call would fail
 */
function keyOf(
  { url, apiKey }: { readonly url: string; readonly apiKey?: string | undefined },
  ofOpenAi: string | undefined,
  option: 'models' | 'embedding',
): string | undefined {
  if (url !== OPENAI_URL) return apiKey;
  const key = [apiKey, ofOpenAi].find((each) => each !== undefined && each !== '');
  if (key !== undefined) return key;
  const message =
    `${option}: OpenAI needs a key. Set ${option}.apiKey or OPENAI_API_KEY, or name another ` +
    `endpoint with ${option}.url.`;
  throw new VarveError('INVALID_INPUT', message);
}

/**
 * A budget in dollars limits nothing if calls are declared to cost nothing.
 * @throws VarveError INVALID_INPUT naming the missing prices
 */
function requirePrices({ models }: LibraryOptions, hasDollarBudget: boolean): void {
  if (models === undefined || !hasDollarBudget) return;
  const { standard, economy = standard } = models;
  for (const [modelClass, input] of Object.entries({ standard, economy })) {
    const given: Partial<ModelSettings> = typeof input === 'string' ? {} : input;
    const { inputDollarsPerMillion: read, outputDollarsPerMillion: written } = given;
    if (read !== undefined && written !== undefined) continue;
    throw new VarveError(
      'INVALID_INPUT',
      'The policy has a budget in dollars, but the price of the model is not known. Set ' +
        `models.${modelClass}.inputDollarsPerMillion and outputDollarsPerMillion, in US dollars ` +
        'per million tokens; 0 if it costs nothing.',
    );
  }
}

/** The content of a `MemoryTenant` and its `LayerSummaryPolicy`s in one object. */
export interface TenantPolicyInput extends TenantPolicy {
  readonly tenant: string;
  /** When and how the summaries of a layer are made; the defaults of the layer if absent. */
  readonly layers?: Partial<Record<Layer, LayerPolicy>>;
}

/** One tenant, several, or the path of a YAML file or of a folder of such files. */
export type PolicyInput = TenantPolicyInput | readonly TenantPolicyInput[] | string;

/** Each round continues where the previous one had handled enough scopes. */
const ROUNDS_MAX = 10_000;

/**
 * Reads the declared policies, before anything is created.
 * @throws VarveError INVALID_INPUT with one report of every mistake
 */
export async function declaredPolicies(
  policy: NonNullable<LibraryPlan['policy']>,
  options: LibraryOptions,
): Promise<readonly ResourceFile[]> {
  const files = await filesOf(policy);
  if (files.length === 0) return files;
  // Loaded only by callers that declare resources.
  const { readResources } = await import('#crds/read-resources.ts');
  const { tenants } = readResources(files);
  requirePrices(
    options,
    tenants.some(({ spec }) => spec.budget.dollars !== undefined),
  );
  return files;
}

/** Tenants that are not named keep theirs. @throws VarveError TENANT_CLAIMED */
export async function applyDeclaredPolicies(
  { store, platform, calendar }: Parts,
  dir: readonly ResourceFile[],
): Promise<void> {
  if (dir.length === 0) return;
  const [operator, { describeOutcome }, { EnforcedPolicies }] = await Promise.all([
    import('#operator/folder/reconcile-folder.ts'),
    import('#operator/folder/outcome-text.ts'),
    import('#operator/tenant/enforced-policies.ts'),
  ]);
  const enforcedPolicies = new EnforcedPolicies();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const parts = {
      store,
      platform,
      calendar,
      clusterId: FOLDER_CLUSTER,
      enforcedPolicies,
    };
    const { outcomes } = await operator.reconcileFolder({ ...parts, dir });
    const refused = outcomes.find(({ kind }) => kind === 'Refused' || kind === 'Failed');
    if (refused !== undefined) {
      const code = refused.kind === 'Failed' ? refused.code : 'TENANT_CLAIMED';
      throw new VarveError(code, `The policy was not applied. ${describeOutcome(refused)}`);
    }
    if (!enforcedPolicies.isAnyBegun()) return;
  }
}

async function filesOf({
  input,
  isOptional,
}: NonNullable<LibraryPlan['policy']>): Promise<readonly ResourceFile[]> {
  if (typeof input !== 'string') {
    const { API_VERSION } = await import('#crds/metadata.ts');
    return [input].flat().map((each) => fileOf(each, API_VERSION));
  }
  if (isOptional && !(await isThere(input))) return [];
  const { readPolicyFile, readPolicyFolder } =
    await import('#operator/folder/read-policy-files.ts');
  const file = await readPolicyFile(input);
  if (file !== null) return [file];
  return readPolicyFolder(input);
}

/**
 * Checks early what would otherwise fail only once the store is opened.
 * @throws VarveError INVALID_INPUT if a file is in place of the folder, or the policy is missing
 */
export async function requirePlaces({ dataDir, policy }: LibraryPlan): Promise<void> {
  const found = await stat(dataDir).catch(() => null);
  if (found !== null && !found.isDirectory()) {
    const place = `${JSON.stringify(dataDir)}, which is a file`;
    const message = `dataDir: expected the path of a folder, found ${place}. Name a folder.`;
    throw new VarveError('INVALID_INPUT', message);
  }
  if (policy === null || policy.isOptional || typeof policy.input !== 'string') return;
  if (await isThere(policy.input)) return;
  throw new VarveError(
    'INVALID_INPUT',
    `There is no policy at ${policy.input}: expected a YAML file, or a folder of such files. ` +
      'Correct the option policy, or VARVE_POLICY_DIR.',
  );
}

async function isThere(place: string): Promise<boolean> {
  try {
    await stat(place);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Makes the same resources as in a file, so that the same rules check both: JSON is YAML. */
function fileOf(
  { tenant, layers = {}, ...spec }: TenantPolicyInput,
  apiVersion: string,
): ResourceFile {
  const resources = [
    { apiVersion, kind: 'MemoryTenant', metadata: { name: tenant }, spec },
    ...Object.entries(layers).map(([layer, settings]) => ({
      apiVersion,
      kind: 'LayerSummaryPolicy',
      metadata: { name: `${tenant}-${layer}` },
      spec: { tenantRef: { name: tenant }, layer, ...settings },
    })),
  ];
  const text = resources.map((resource) => JSON.stringify(resource, null, 2)).join('\n---\n');
  return { name: `policy of ${tenant}`, bytes: new TextEncoder().encode(text) };
}
