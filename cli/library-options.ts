/**
 * Fills in the options that a caller of the library leaves out: from the environment, then
 * defaults.
 */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { z } from 'zod';
import type { Library } from '#api/library.ts';
import type { Principal } from '#api/authorize.ts';
import { codeOf, unexpected, VarveError } from '#core/errors.ts';
import type { Layer } from '#core/layer.ts';
import type { Log } from '#core/ports/platform.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import { FOLDER_CLUSTER } from '#core/records/policy.ts';
import { requireKnownOptions } from '#core/check-options.ts';
import type { LayerSummaryPolicy } from '#crds/layer-summary-policy.ts';
import type { MemoryTenant } from '#crds/memory-tenant.ts';
import type { ResourceFile } from '#crds/read-resources.ts';
import type { Parts } from './composition-root.ts';
import type { Config } from './config.ts';
import {
  localModelOf,
  CONTEXT_TOKENS,
  EMBEDDERS,
  OPENAI_URL,
  OUTPUT_TOKENS,
  withModelLimits,
} from './model-settings.ts';
import {
  DIMENSIONS_MAX,
  EMBEDDING_MS_MAX,
  EMBEDDING_MS_MIN,
  EmbeddingMs,
} from './store-and-model-settings.ts';
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
  /** `OPENAI_API_KEY` if absent. Never printed. */
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
  /**
   * The models that write summaries; if absent, summaries consist of the sources' own sentences.
   */
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

/** Every option; the type keeps this list complete. */
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

/** Options that are objects, each with an example for errors. */
const OBJECTS: Partial<Record<keyof OpenVarveOptions, string>> = {
  models: "{ standard: 'MODEL' }",
  embedding: "{ model: 'MODEL', dimensions: 1536 }",
  environment: 'process.env',
  settings: '{ models, embedding }',
  temporal: "{ address: 'localhost:7233' }",
};

/** Every field of `embedding`; the type keeps this list complete. */
const EMBEDDING: Readonly<Record<keyof EmbeddingInput, true>> = {
  url: true,
  model: true,
  dimensions: true,
  dimensionsSent: true,
  apiKey: true,
  queryPrefix: true,
  passagePrefix: true,
  textsMax: true,
  timeoutMs: true,
  searchWaitMs: true,
  dollarsPerMillionTokens: true,
};

const MODEL_FIELDS: Readonly<Record<keyof ModelSettings, true>> = {
  name: true,
  inputDollarsPerMillion: true,
  outputDollarsPerMillion: true,
  contextTokens: true,
  outputTokensMax: true,
  thinkingTokens: true,
};
const MODELS: Readonly<Record<keyof ModelsInput, true>> = {
  url: true,
  apiKey: true,
  standard: true,
  economy: true,
};
const TEMPORAL: Readonly<Record<keyof TemporalPlace, true>> = {
  address: true,
  namespace: true,
  security: true,
};

const LOG_METHODS = ['debug', 'info', 'warn', 'error'] as const;

/**
 * Checks what JavaScript callers can get wrong.
 * @throws VarveError INVALID_INPUT
 */
export function requireLibraryOptions(options: OpenVarveOptions): void {
  if (!isObject(options)) throw unexpected('options', options, "an object: { dataDir: 'memory' }");
  requireKnownOptions(options, Object.keys(OPTIONS));
  const given: Partial<Record<keyof OpenVarveOptions, unknown>> = options;
  for (const [name, expected] of Object.entries(OBJECTS)) {
    const value: unknown = Reflect.get(options, name);
    if (value === undefined || isObject(value)) continue;
    throw unexpected(name, value, `an object such as ${expected}, or none`);
  }
  const { policy, log } = given;
  if (policy != null && typeof policy !== 'string' && !isObject(policy)) {
    throw unexpected('policy', policy, "{ tenant: 'acme' }, a list of such, a path, or null");
  }
  if (log !== undefined && !isLog(log)) {
    const methods = LOG_METHODS.join(', ');
    throw unexpected('log', log, `an object with the methods ${methods}, such as console`);
  }
  const { dataDir, embedder, principal } = given;
  if (dataDir !== undefined && (typeof dataDir !== 'string' || dataDir === '')) {
    throw unexpected('dataDir', dataDir, 'the path of a folder');
  }
  const isEmbedder =
    embedder === undefined || EMBEDDERS.some((name) => name === embedder) || isObject(embedder);
  if (!isEmbedder) {
    const names = EMBEDDERS.map((name) => `'${name}'`).join(', ');
    throw unexpected('embedder', embedder, `one of ${names}, or { model: 'FOLDER OR NAME' }`);
  }
  if (principal !== undefined && !isPrincipal(principal)) {
    const expected = "{ name: 'dana', tenants: ['acme'] or 'all', bound: { userId: 'dana' } }";
    throw unexpected('principal', principal, `an object such as ${expected}, or none`);
  }
  if (options.models !== undefined) requireModels(options.models);
  if (options.temporal !== undefined) requireTemporal(options.temporal);
}

function requireModels(models: ModelsInput): void {
  requireKnownOptions(models, Object.keys(MODELS));
  requireTexts('models', models, ['url', 'apiKey']);
  const { standard, economy = standard } = models;
  for (const [modelClass, model] of Object.entries({ standard, economy })) {
    const field = `models.${modelClass}`;
    if (typeof model === 'string' && model !== '') continue;
    if (!isObject(model)) {
      throw unexpected(field, model, "the name of a model, or { name: 'MODEL' }");
    }
    requireKnownOptions(model, Object.keys(MODEL_FIELDS));
    const { name, ...numbers } = model;
    if (typeof name !== 'string' || name === '') {
      throw unexpected(`${field}.name`, name, 'the name of a model of the endpoint');
    }
    for (const [number, value] of Object.entries(numbers)) {
      if (Number.isFinite(value) && value >= 0) continue;
      throw unexpected(`${field}.${number}`, value, 'a number from 0');
    }
  }
}

function requireTemporal(temporal: TemporalPlace): void {
  requireKnownOptions(temporal, Object.keys(TEMPORAL));
  const { address, security } = temporal;
  if (typeof address !== 'string' || address === '') {
    throw unexpected(
      'temporal.address',
      address,
      "the host and port of a server: 'localhost:7233'",
    );
  }
  requireTexts('temporal', temporal, ['namespace']);
  if (security != null && !isObject(security)) {
    throw unexpected(
      'temporal.security',
      security,
      'an object of variables such as TEMPORAL_API_KEY',
    );
  }
}

/** Checks text fields that may be left out. */
function requireTexts<T extends object>(
  name: string,
  given: T,
  fields: readonly (keyof T & string)[],
): void {
  for (const field of fields) {
    const value = given[field];
    if (value === undefined || (typeof value === 'string' && value !== '')) continue;
    // A key is shown only by its type.
    throw unexpected(
      `${name}.${field}`,
      field === 'apiKey' ? typeof value : value,
      'a text, or none',
    );
  }
}

function isLog(value: unknown): boolean {
  if (!isObject(value)) return false;
  return LOG_METHODS.every((name) => typeof Reflect.get(value, name) === 'function');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isPrincipal(value: unknown): boolean {
  if (!isObject(value) || !('tenants' in value) || !('bound' in value)) return false;
  return (value.tenants === 'all' || Array.isArray(value.tenants)) && isObject(value.bound);
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

/** A caller who names an embedder means that one, whatever the environment says. */
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

/** @throws VarveError INVALID_INPUT for settings that no endpoint could embed with */
function embeddingOf(input: EmbeddingInput, key: string | undefined): EmbeddingSettings {
  requireKnownOptions(input, Object.keys(EMBEDDING));
  const { url = OPENAI_URL, model, dimensions, timeoutMs, searchWaitMs } = input;
  if (typeof model !== 'string' || model === '') {
    throw unexpected('embedding.model', model, 'the name of a model of the endpoint');
  }
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions > DIMENSIONS_MAX) {
    const range = `1 to ${String(DIMENSIONS_MAX)}`;
    const expected = `the length of its vectors, a whole number from ${range}`;
    throw unexpected('embedding.dimensions', dimensions, expected);
  }
  for (const [name, value] of Object.entries({ timeoutMs, searchWaitMs })) {
    if (value === undefined || (typeof value === 'number' && EmbeddingMs.safeParse(value).success))
      continue;
    const range = `${String(EMBEDDING_MS_MIN)} to ${String(EMBEDDING_MS_MAX)}`;
    throw unexpected(`embedding.${name}`, value, `milliseconds, a whole number from ${range}`);
  }
  return { ...input, url, apiKey: input.apiKey ?? (url === OPENAI_URL ? key : undefined) };
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

type TenantSpec = z.input<typeof MemoryTenant>['spec'];
type LayerSpec = z.input<typeof LayerSummaryPolicy>['spec'];

/** The content of a `MemoryTenant` and its `LayerSummaryPolicy`s in one object. */
export interface TenantPolicyInput extends Omit<NonNullable<TenantSpec>, 'tenantId'> {
  readonly tenant: string;
  /** When and how the summaries of a layer are made; the defaults of the layer if absent. */
  readonly layers?: Partial<Record<Layer, Omit<LayerSpec, 'tenantRef' | 'layer'>>>;
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

/**
 * Applies the declared policies; tenants that are not named keep theirs.
 * @throws VarveError TENANT_CLAIMED
 */
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
