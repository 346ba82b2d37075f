/**
 * A model provider, compiled from its resource: what a worker needs to call it, and where its key
 * is stored; never the key itself.
 */
import { z } from 'zod';
import { DIMENSIONS_MAX } from '../vector.ts';
import { ModelClass } from './model-class.ts';
import { Owner } from './policy.ts';

/** Maximum namespaces of one list; for more, open the provider to all with `*`. */
export const ALLOWED_NAMESPACES_MAX = 1_000;
/** Most providers that are read at once; an installation normally has a handful. */
export const PROVIDERS_MAX = 1_000;
/** The most models of one endpoint. */
export const PROVIDER_MODELS_MAX = 32;

/** The most texts of one call of an embedding endpoint; OpenAI takes as many. */
export const EMBEDDED_TEXTS_MAX = 2_048;
export const PREFIX_LENGTH_MAX = 256;

/** Stands for every namespace. */
export const EVERY_NAMESPACE = '*';

const NAME_LENGTH_MAX = 253;
const MODEL_LENGTH_MAX = 256;
const URL_LENGTH_MAX = 2_048;
/** Ten thousand dollars for a million tokens; a larger price is a misplaced decimal point. */
const PRICE_MAX = 10_000_000_000;
const TOKENS_MAX = 10_000_000;
const REQUESTS_PER_MINUTE_MAX = 1_000_000;

const ResourceName = z.string().min(1).max(NAME_LENGTH_MAX);
const ModelName = z.string().min(1).max(MODEL_LENGTH_MAX);
const MicroDollars = z.int().min(0).max(PRICE_MAX);
const Tokens = z.int().min(1).max(TOKENS_MAX);

/** Where a key is stored in Kubernetes. */
export const SecretReference = z.strictObject({ name: ResourceName, key: ResourceName });
export type SecretReference = z.infer<typeof SecretReference>;

export const ProvidedModel = z.strictObject({
  name: ModelName,
  classes: z.array(ModelClass).min(1),
  /** As `Price` in core/ports/model.ts. */
  inputMicroDollarsPerMillion: MicroDollars,
  outputMicroDollarsPerMillion: MicroDollars,
  contextTokens: Tokens,
  outputTokensMax: Tokens,
  /** The most tokens of an answer that the model may use for thinking; 0 if it does not think. */
  thinkingTokens: z.int().min(0).max(TOKENS_MAX),
});
export type ProvidedModel = z.infer<typeof ProvidedModel>;

/** The model that embeds the memories of an installation. */
export const ProvidedEmbedding = z.strictObject({
  name: ModelName,
  /** Length of its vectors. */
  dimensions: z.int().min(1).max(DIMENSIONS_MAX),
  /** List price for a million tokens; 0 if calls cost nothing. */
  inputMicroDollarsPerMillion: MicroDollars,
  queryPrefix: z.string().max(PREFIX_LENGTH_MAX),
  passagePrefix: z.string().max(PREFIX_LENGTH_MAX),
  /** Whether that number of dimensions is requested from the endpoint. */
  dimensionsSent: z.boolean(),
  /** Null for the default of the adapter. */
  textsMax: z.int().min(1).max(EMBEDDED_TEXTS_MAX).nullable(),
});
export type ProvidedEmbedding = z.infer<typeof ProvidedEmbedding>;

/** Whether a model makes vectors of several lengths, as OpenAI's do; others refuse the field. */
export function takesDimensions(model: string): boolean {
  return model.startsWith('text-embedding-3-');
}

export const OpenaiProvider = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/u }).max(URL_LENGTH_MAX),
  /** Null if the endpoint needs no key. */
  secretRef: SecretReference.nullable(),
  /** Empty only for an endpoint that only embeds. */
  models: z.array(ProvidedModel).max(PROVIDER_MODELS_MAX),
  /** Absent if the endpoint embeds nothing. */
  embedding: ProvidedEmbedding.optional(),
  /** Null if the endpoint itself reports when the rate is too high. */
  requestsPerMinute: z.int().min(1).max(REQUESTS_PER_MINUTE_MAX).nullable(),
});
export type OpenaiProvider = z.infer<typeof OpenaiProvider>;

/** Exactly one of `openai` and `extractive`. */
export const ModelProvider = z
  .strictObject({
    openai: OpenaiProvider.optional(),
    /** The summarizer without a model, for both classes. */
    extractive: z.strictObject({}).optional(),
    allowedNamespaces: z.array(z.string().min(1).max(NAME_LENGTH_MAX)).max(ALLOWED_NAMESPACES_MAX),
  })
  .refine(({ openai, extractive }) => (openai === undefined) !== (extractive === undefined), {
    error: 'exactly one of openai and extractive',
  });
export type ModelProvider = z.infer<typeof ModelProvider>;

/** Returns whether the provider may serve tenants of a namespace. */
export function isAllowedIn(
  { allowedNamespaces }: Pick<ModelProvider, 'allowedNamespaces'>,
  namespace: string,
): boolean {
  return allowedNamespaces.includes(EVERY_NAMESPACE) || allowedNamespaces.includes(namespace);
}

const CODE_LENGTH_MAX = 64;

/** What a worker found when it last checked the provider. */
export const ProviderCheck = z.strictObject({
  at: z.int().min(0),
  state: z.enum(['Available', 'Unavailable']),
  /** Why it is not available, as a word without spaces; null if it is available. */
  code: z.string().min(1).max(CODE_LENGTH_MAX).nullable(),
  /** Since when the state has been the same. */
  since: z.int().min(0),
});
export type ProviderCheck = z.infer<typeof ProviderCheck>;

/** A model provider in the store; it belongs to the installation and to no tenant. */
export const ModelProviderRecord = z.strictObject({
  /** The name of its resource in the release namespace. */
  name: z.string().min(1).max(253),
  owner: Owner,
  /** Rises by one with every change of the provider. */
  generation: z.int().min(1),
  hash: z.string(),
  provider: ModelProvider,
  appliedAt: z.int().min(0),
  /** When its resource was created; the oldest one serves. Absent if unknown, as in a folder. */
  createdAt: z.int().min(0).optional(),
  /** Epoch of the leader of the owner's cluster that last wrote or fenced; 0 without leaders. */
  epoch: z.int().min(0),
  /** Null until a worker has checked the provider in its current form. */
  check: ProviderCheck.nullable(),
});
export type ModelProviderRecord = z.infer<typeof ModelProviderRecord>;

/**
 * Returns the provider whose embedding model the installation uses: the oldest one that declares a
 * model, and of several of one moment, or of a folder, the first by name. Null if none does.
 */
export function embeddingProvider<
  T extends Pick<ModelProviderRecord, 'name' | 'provider' | 'createdAt'>,
>(records: readonly T[]): T | null {
  const age = (a: T, b: T): number =>
    (a.createdAt ?? 0) - (b.createdAt ?? 0) || (a.name < b.name ? -1 : 1);
  const declaring = records.filter(({ provider }) => provider.openai?.embedding !== undefined);
  return declaring.toSorted(age)[0] ?? null;
}
