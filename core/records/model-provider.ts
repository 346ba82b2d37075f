/**
 * A model provider, compiled from its resource: what a worker needs to call it, and where its key
 * is stored; never the key itself.
 */
import { z } from 'zod';
import { ModelClass } from './model-class.ts';
import { Owner } from './policy.ts';

/** Maximum namespaces of one list; for more, open the provider to all with `*`. */
export const ALLOWED_NAMESPACES_MAX = 1_000;
/** The most models of one endpoint. */
export const PROVIDER_MODELS_MAX = 32;

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

export const OpenaiProvider = z.strictObject({
  baseUrl: z.url({ protocol: /^https?$/u }).max(URL_LENGTH_MAX),
  /** Null if the endpoint needs no key. */
  secretRef: SecretReference.nullable(),
  models: z.array(ProvidedModel).min(1).max(PROVIDER_MODELS_MAX),
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
