/** A provider as a worker uses it: its models, with its key and within its rate limit. */
import { createCallRate, type CallRate } from '#core/budget/model-calls-per-minute.ts';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { modelNameOf } from '#core/refresh/model-choice.ts';
import type {
  OpenaiProvider,
  ProvidedModel,
  ModelProviderRecord,
  ProviderCheck,
} from '#core/records/model-provider.ts';
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
  /** Makes a free request to the endpoint. @throws VarveError as the endpoint fails */
  readonly ask: () => Promise<unknown>;
  /** When the endpoint last failed a model call; null if it never did. */
  readonly failedAt: () => number | null;
}

interface ServeParts extends ModelParts {
  readonly secrets: SecretSource;
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
    return { record, ...none, ask: () => Promise.resolve(), failedAt: () => null };
  }
  const adapter = await loadAdapter();
  const { clock, log } = parts.platform;
  const { secretRef: reference, requestsPerMinute, baseUrl } = openai;
  const provider = record.name;
  const key = createProviderKey({ provider, reference, secrets: parts.secrets, clock, log });
  const rate = requestsPerMinute === null ? null : createCallRate(requestsPerMinute);
  let failedAt: number | null = null;
  const onFailure = (): void => {
    failedAt = clock();
  };
  const models = openai.models.map((model) =>
    servedModel({ provider, openai, model, key, rate, onFailure }, { ...parts, adapter }),
  );
  return {
    record,
    models: new Map(models.map(({ summary }) => [summary.name, summary])),
    dreamers: new Map(models.map(({ dreamer }) => [dreamer.name, dreamer])),
    ask: () => key.use((apiKey) => adapter.listModels({ baseUrl, apiKey }, clock)),
    failedAt: () => failedAt,
  };
}

/** Loads the adapter for OpenAI's protocol; only if such a provider is served. */
async function loadAdapter() {
  const [{ createOpenAiSummaryModel }, { createOpenAiDreamModel }, { listModels }] =
    await Promise.all([
      import('#providers/openai/summary-model.ts'),
      import('#providers/openai/dream-model.ts'),
      import('#providers/openai/model-list.ts'),
    ]);
  return { createOpenAiSummaryModel, createOpenAiDreamModel, listModels };
}

interface Served {
  readonly provider: string;
  readonly openai: OpenaiProvider;
  readonly model: ProvidedModel;
  readonly key: ProviderKey;
  readonly rate: CallRate | null;
  readonly onFailure: () => void;
}

/** A model for summaries and dreams: one key, one rate and one endpoint. */
interface BothModels {
  readonly summary: SummaryModel;
  readonly dreamer: DreamModel;
}

function servedModel(
  { provider, openai, model: spec, key, rate, onFailure }: Served,
  { adapter, tokens, platform, secrets }: ServeParts & { readonly adapter: Adapter },
): BothModels {
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
  const guarded = async <T>(
    signal: AbortSignal,
    ask: (model: BothModels) => Promise<T>,
  ): Promise<T> => {
    const rest = rate?.take(platform.clock()) ?? 0;
    if (rest > 0) throw heldBack(provider, rest);
    try {
      return await key.use((apiKey) => ask(keyed(apiKey)));
    } catch (error) {
      if (!signal.aborted && stateOfFailure(error).state === 'Unavailable') onFailure();
      throw error;
    }
  };
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
