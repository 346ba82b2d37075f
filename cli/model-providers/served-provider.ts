/** A provider as a worker uses it: its models, with its key and within its rate limit. */
import { createCallRate, type CallRate } from '#core/budget/model-calls-per-minute.ts';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { modelNameOf } from '#core/refresh/model-choice.ts';
import type {
  OpenaiProvider,
  ProvidedEmbedding,
  ProvidedModel,
  ModelProviderRecord,
  ProviderCheck,
} from '#core/records/model-provider.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import type { Clock, Platform } from '#core/ports/platform.ts';
import type { DreamModel } from '#core/ports/dream-model.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import { NO_SECRETS, type SecretSource } from '#core/ports/secret-source.ts';
import type { ModelParts } from '../load-models.ts';
import { createProviderKey, type ProviderKey } from './provider-key.ts';

export interface ServedProvider {
  readonly record: ModelProviderRecord;
  /** By the names of the installation (`modelNameOf`); empty for a provider without an endpoint. */
  readonly models: ReadonlyMap<string, SummaryModel>;
  /** The same models, used for dreams. */
  readonly dreamers: ReadonlyMap<string, DreamModel>;
  /** Null if it declares no embedding model. */
  readonly embedder: Embedder | null;
  /** Makes a free request to the endpoint. @throws VarveError as the endpoint fails */
  readonly ask: () => Promise<unknown>;
  /** When the endpoint last failed a model call; null if it never did. */
  readonly failedAt: () => number | null;
}

interface ServeParts extends ModelParts {
  readonly secrets: SecretSource;
  /** The source of the key of an embedding model; `secrets` if absent. */
  readonly embeddingSecrets?: SecretSource | undefined;
}

type Adapter = Awaited<ReturnType<typeof loadAdapter>>;

export async function serveProvider(
  record: ModelProviderRecord,
  parts: ServeParts,
): Promise<ServedProvider> {
  const { openai } = record.provider;
  // Every process already has the summarizer without a model.
  if (openai === undefined) {
    const none = { models: new Map<string, never>(), dreamers: new Map<string, never>() };
    return { record, ...none, embedder: null, ask: () => Promise.resolve(), failedAt: () => null };
  }
  const adapter = await loadAdapter();
  const { clock, log } = parts.platform;
  const { secretRef: reference, requestsPerMinute, baseUrl } = openai;
  const provider = record.name;
  const { secrets, embeddingSecrets = secrets } = parts;
  const keyFrom = (source: SecretSource): ProviderKey =>
    createProviderKey({ provider, reference, secrets: source, clock, log });
  const key = keyFrom(secrets);
  const rate = requestsPerMinute === null ? null : createCallRate(requestsPerMinute);
  let failedAt: number | null = null;
  const onFailure = (): void => {
    failedAt = clock();
  };
  const endpoint = { provider, openai, key, rate, onFailure };
  const models = openai.models.map((model) =>
    servedModel({ ...endpoint, model }, { ...parts, adapter }),
  );
  return {
    record,
    models: new Map(models.map(({ summary }) => [summary.name, summary])),
    dreamers: new Map(models.map(({ dreamer }) => [dreamer.name, dreamer])),
    embedder:
      openai.embedding === undefined
        ? null
        : servedEmbedder(
            { ...endpoint, key: embeddingSecrets === secrets ? key : keyFrom(embeddingSecrets) },
            openai.embedding,
            { adapter, platform: parts.platform },
          ),
    ask: () => key.use((apiKey) => adapter.listModels({ baseUrl, apiKey }, clock)),
    failedAt: () => failedAt,
  };
}

/** Loads the adapter for OpenAI's protocol; only if such a provider is served. */
async function loadAdapter() {
  const [summary, dream, embedding, list] = await Promise.all([
    import('#providers/openai/summary-model.ts'),
    import('#providers/openai/dream-model.ts'),
    import('#providers/openai/embedder.ts'),
    import('#providers/openai/model-list.ts'),
  ]);
  return {
    createOpenAiSummaryModel: summary.createOpenAiSummaryModel,
    createOpenAiDreamModel: dream.createOpenAiDreamModel,
    createOpenAiEmbedder: embedding.createOpenAiEmbedder,
    listModels: list.listModels,
  };
}

interface ServedEndpoint {
  readonly provider: string;
  readonly openai: OpenaiProvider;
  readonly key: ProviderKey;
  readonly rate: CallRate | null;
  readonly onFailure: () => void;
}

interface Served extends ServedEndpoint {
  readonly model: ProvidedModel;
}

/** A model for summaries and dreams: one key, one rate and one endpoint. */
interface BothModels {
  readonly summary: SummaryModel;
  readonly dreamer: DreamModel;
}

function servedModel(
  { model: spec, ...endpoint }: Served,
  { adapter, tokens, platform, secrets }: ServeParts & { readonly adapter: Adapter },
): BothModels {
  const { provider, openai } = endpoint;
  const { name, classes, inputMicroDollarsPerMillion, outputMicroDollarsPerMillion, ...sizes } =
    spec;
  const withKey = (apiKey: string | null): BothModels => {
    const options = {
      ...sizes,
      baseUrl: openai.baseUrl,
      apiKey,
      model: name,
      name: modelNameOf({ provider, model: name }),
      classes,
      price: { inputMicroDollarsPerMillion, outputMicroDollarsPerMillion },
      tokens,
      platform,
    };
    return {
      summary: adapter.createOpenAiSummaryModel(options),
      dreamer: adapter.createOpenAiDreamModel(options),
    };
  };
  const unkeyed = withKey(null);
  let last: { readonly apiKey: string | null; readonly model: BothModels } | null = null;
  const keyed = (apiKey: string | null): BothModels => {
    // Keeps what the model learned about its server for as long as the key stays the same.
    if (last?.apiKey !== apiKey) last = { apiKey, model: withKey(apiKey) };
    return last?.model ?? unkeyed;
  };
  const guarded = <T>(signal: AbortSignal, ask: (model: BothModels) => Promise<T>): Promise<T> =>
    callEndpoint(endpoint, platform.clock, { signal, call: (apiKey) => ask(keyed(apiKey)) });
  const { writer } = unkeyed.summary;
  return {
    summary: {
      ...unkeyed.summary,
      isKeyElsewhere: openai.secretRef !== null && secrets === NO_SECRETS,
      answer: (batch, call) => guarded(call.signal, ({ summary }) => summary.answer(batch, call)),
      ...(writer === undefined
        ? {}
        : {
            writer: {
              usageMax: (question) => writer.usageMax(question),
              write: (question, call) =>
                guarded(call.signal, ({ summary }) =>
                  (summary.writer ?? writer).write(question, call),
                ),
            },
          }),
    },
    dreamer: {
      ...unkeyed.dreamer,
      dream: (question, call) =>
        guarded(call.signal, ({ dreamer }) => dreamer.dream(question, call)),
    },
  };
}

interface EndpointCall<T> {
  readonly signal: AbortSignal | undefined;
  readonly call: (apiKey: string | null) => Promise<T>;
}

/** Makes a call within the rate of the provider, and notes whether the endpoint failed it. */
async function callEndpoint<T>(
  { provider, key, rate, onFailure }: ServedEndpoint,
  clock: Clock,
  { signal, call }: EndpointCall<T>,
): Promise<T> {
  const rest = rate?.take(clock()) ?? 0;
  if (rest > 0) throw heldBack(provider, rest);
  try {
    return await key.use(call);
  } catch (error) {
    if (signal?.aborted !== true && stateOfFailure(error).state === 'Unavailable') onFailure();
    throw error;
  }
}

/** The declared embedding model; the same model has the same generation in the settings. */
function servedEmbedder(
  endpoint: ServedEndpoint,
  spec: ProvidedEmbedding,
  { adapter, platform }: { readonly adapter: Adapter; readonly platform: Platform },
): Embedder {
  const { name, inputMicroDollarsPerMillion: price, textsMax, ...rest } = spec;
  const { digest, clock, tracing } = platform;
  const withKey = (apiKey: string | null): Embedder =>
    adapter.createOpenAiEmbedder({
      ...rest,
      baseUrl: endpoint.openai.baseUrl,
      apiKey,
      model: name,
      ...(textsMax === null ? {} : { textsMax }),
      microDollarsPerMillionTokens: price === 0 ? null : price,
      dimensionsSetting: `embedding.dimensions of ModelProvider ${endpoint.provider}`,
      digest,
      clock,
      tracing,
    });
  let last: { readonly apiKey: string | null; readonly embedder: Embedder } | null = null;
  const keyed = (apiKey: string | null): Embedder => {
    // Keeps the connections for as long as the key stays the same.
    if (last?.apiKey !== apiKey) last = { apiKey, embedder: withKey(apiKey) };
    return last.embedder;
  };
  return {
    ...withKey(null),
    embed: (texts, call) =>
      callEndpoint(endpoint, clock, {
        signal: call.signal,
        call: (apiKey) => keyed(apiKey).embed(texts, call),
      }),
  };
}

function heldBack(provider: string, retryAfterMs: number): VarveError {
  const message = `ModelProvider ${provider} has as many calls in this minute as its rate allows.`;
  return new VarveError('RATE_LIMITED', message, { details: { provider, retryAfterMs } });
}

export type ProviderState = Pick<ProviderCheck, 'state' | 'code'>;

/** With these, the endpoint answers and knows the key; calls need no list of models. */
const ANSWERED: ReadonlySet<ErrorCode> = new Set(['RATE_LIMITED', 'PROVIDER_REJECTED']);

export const AVAILABLE: ProviderState = { state: 'Available', code: null };

export function stateOfFailure(failure: unknown): ProviderState {
  const code: ErrorCode = failure instanceof VarveError ? failure.code : 'PROVIDER_ERROR';
  return ANSWERED.has(code) ? AVAILABLE : { state: 'Unavailable', code };
}
