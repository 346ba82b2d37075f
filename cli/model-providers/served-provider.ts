/** A provider as a worker calls it: its models, with its key and within its rate. */
import { createCallRate, type CallRate } from '#core/call-rate.ts';
import { VarveError } from '#core/errors.ts';
import { modelNameOf } from '#core/model-choice.ts';
import type { OpenaiProvider, ProvidedModel } from '#core/model-provider.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { SecretSource } from '#core/ports/secret-source.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { ModelParts } from '../models.ts';
import { foundOf } from './due-checks.ts';
import { createProviderKey, type ProviderKey } from './provider-key.ts';

export interface ServedProvider {
  readonly record: ModelProviderRecord;
  /** By the names of the installation (`modelNameOf`); none of a provider without an endpoint. */
  readonly models: ReadonlyMap<string, SummaryModel>;
  /** Asks the endpoint for what costs nothing. @throws VarveError as the endpoint fails */
  readonly ask: () => Promise<unknown>;
  /** When a call of a model last found the endpoint away; null where none did. */
  readonly failedAt: () => number | null;
}

export interface ServeParts extends ModelParts {
  readonly secrets: SecretSource;
}

type Adapter = Awaited<ReturnType<typeof loadAdapter>>;

export async function serveProvider(
  record: ModelProviderRecord,
  parts: ServeParts,
): Promise<ServedProvider> {
  const { openai } = record.provider;
  // The summariser without a model is in every process.
  if (openai === undefined) {
    return { record, models: new Map(), ask: () => Promise.resolve(), failedAt: () => null };
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
    models: new Map(models.map((model) => [model.name, model])),
    ask: () => key.use((apiKey) => adapter.listModels({ baseUrl, apiKey }, clock)),
    failedAt: () => failedAt,
  };
}

/** Of endpoints that speak OpenAI's protocol; loaded where one is served. */
async function loadAdapter() {
  const [{ createOpenAiSummaryModel }, { listModels }] = await Promise.all([
    import('#providers/openai/summary-model.ts'),
    import('#providers/openai/model-list.ts'),
  ]);
  return { createOpenAiSummaryModel, listModels };
}

interface Served {
  readonly provider: string;
  readonly openai: OpenaiProvider;
  readonly model: ProvidedModel;
  readonly key: ProviderKey;
  readonly rate: CallRate | null;
  readonly onFailure: () => void;
}

function servedModel(
  { provider, openai, model: spec, key, rate, onFailure }: Served,
  { adapter, tokens, platform }: ServeParts & { readonly adapter: Adapter },
): SummaryModel {
  const { name, classes, inputMicroDollarsPerMillion, outputMicroDollarsPerMillion, ...sizes } =
    spec;
  const withKey = (apiKey: string | null): SummaryModel =>
    adapter.createOpenAiSummaryModel({
      ...sizes,
      baseUrl: openai.baseUrl,
      apiKey,
      model: name,
      name: modelNameOf({ provider, model: name }),
      classes,
      price: { inputMicroDollarsPerMillion, outputMicroDollarsPerMillion },
      tokens,
      platform,
    });
  const unkeyed = withKey(null);
  let last: { readonly apiKey: string | null; readonly model: SummaryModel } | null = null;
  const keyed = (apiKey: string | null): SummaryModel => {
    // What it has learned of its server is kept as long as its key.
    if (last?.apiKey !== apiKey) last = { apiKey, model: withKey(apiKey) };
    return last?.model ?? unkeyed;
  };
  return {
    ...unkeyed,
    answer: async (batch, call) => {
      const rest = rate?.take(platform.clock()) ?? 0;
      if (rest > 0) throw heldBack(provider, rest);
      try {
        return await key.use((apiKey) => keyed(apiKey).answer(batch, call));
      } catch (error) {
        if (!call.signal.aborted && foundOf(error).state === 'Unavailable') onFailure();
        throw error;
      }
    },
  };
}

function heldBack(provider: string, retryAfterMs: number): VarveError {
  const message = `ModelProvider ${provider} has as many calls in this minute as its rate allows.`;
  return new VarveError('RATE_LIMITED', message, { details: { provider, retryAfterMs } });
}
