/** The activities over a real store, with a clock, a model and an embedder that a test can set. */
import { providerOver } from '#test/provider-over.ts';
import { createActivities } from '#activities/create-activities.ts';
import type { RefreshPorts } from '#activities/refresh-ports.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import {
  createProviderCache,
  type ProviderCache,
  createProvidedModels,
} from '#cli/model-providers/provider-cache.ts';
import { serveProvider } from '#cli/model-providers/served-provider.ts';
import type { OwnModels } from '#cli/load-models.ts';
import type { PartsSettings } from '#cli/store-and-model-settings.ts';
import type {
  ClaimKind,
  RefreshActivities,
  RefreshTotals,
} from '#core/refresh/refresh-contract.ts';
import { VarveError } from '#core/errors.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { SILENT_LOG, type Log } from '#core/ports/platform.ts';
import type { ModelAnswer, ModelBatch, SummaryModel } from '#core/ports/model.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { NO_SECRETS, type SecretSource } from '#core/ports/secret-source.ts';
import { refreshRound } from '#core/refresh/refresh-round.ts';
import type { EventRecord } from '#core/records/event.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { NOW, ownerOf } from '#test/conformance/samples.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

export const PRICE = { inputMicroDollarsPerMillion: 1_000_000, outputMicroDollarsPerMillion: 0 };

const WINDOW_TOKENS = 32_000;
const OUTPUT_TOKENS = 16_000;

type Answer = (batch: ModelBatch, extractive: () => Promise<ModelAnswer>) => Promise<ModelAnswer>;

export interface FixtureOptions {
  /** Stands in for the model, which has a price then. */
  readonly answer?: Answer;
  /** What that model can read in one call. */
  readonly windowTokens?: number;
  /** Whether its calls cost nothing. */
  readonly isFree?: boolean;
  /** Called before each embedding. */
  readonly beforeEmbedding?: () => Promise<unknown>;
  readonly log?: Log;
  /** Which store; a SQLite file if absent. */
  readonly settings?: PartsSettings;
  /** Where the keys of ModelProviders lie; there are none if absent. */
  readonly secrets?: SecretSource;
}

interface FixtureParts extends RefreshPorts {
  readonly models: OwnModels;
  readonly modelProviders: ProviderCache;
}

export interface Fixture extends AsyncDisposable {
  readonly parts: FixtureParts;
  readonly ports: ApiPorts;
  readonly activities: RefreshActivities;
  readonly calls: readonly ModelBatch[];
  advance(ms: number): void;
  declare(
    tenant: string,
    differing: (policy: TenantPolicy) => Partial<TenantPolicy>,
  ): Promise<void>;
  add(tenant: string, content: string, more?: object): Promise<string>;
  remove(tenant: string, id: string): Promise<unknown>;
  /** One round, as a run of the workflow makes it. */
  round(tenant: string, kind?: ClaimKind): Promise<RefreshTotals>;
  scope(tenant: string, scopeId?: string): Promise<ScopeRecord>;
  summary(tenant: string): ReturnType<typeof OPERATIONS.summary.get.call>;
  events(tenant: string): Promise<readonly EventRecord['type'][]>;
}

export async function openFixture(options: FixtureOptions = {}): Promise<Fixture> {
  await using held = new AsyncDisposableStack();
  const { folder } = held.use(await temporaryFolder());
  const calls: ModelBatch[] = [];
  const log = options.log ?? SILENT_LOG;
  const model = modelOf(options, calls);
  const { settings } = options;
  const opened = held.use(
    await openParts({ dataDir: folder, log, settings, ...(model && { model }) }),
  );
  let now = NOW;
  const platform = { ...opened.platform, clock: () => now };
  const { secrets = NO_SECRETS } = options;
  const modelProviders = createProviderCache(opened.store.modelProviders, platform.clock, (each) =>
    serveProvider(each, { tokens: opened.tokens, platform, secrets }),
  );
  const parts: FixtureParts = {
    ...opened,
    platform,
    modelProviders,
    provided: createProvidedModels(opened.store.policies, modelProviders),
    embedders: {
      ...opened.embedders,
      configured: async () => {
        const embedder = await opened.embedders.configured();
        return {
          ...embedder,
          embed: async (texts, call) => {
            await options.beforeEmbedding?.();
            return embedder.embed(texts, call);
          },
        };
      },
    },
  };
  const provider = providerOver(parts);
  const ports = apiPortsOf({ ...opened, ...parts, provider }, NO_REFRESH_TRIGGER, null);
  const { signal } = new AbortController();
  const activities = createActivities(parts, NO_REFRESH_TRIGGER, () => ({ signal }));
  const { store } = parts;
  const open = held.move();
  const user = { layer: 'user', identifiers: { userId: 'ann' } } as const;
  return {
    parts,
    ports,
    activities,
    calls,
    advance: (ms) => {
      now += ms;
    },
    declare: async (tenant, differing) => {
      const policy = defaultPolicy(tenant);
      const declared = { ...policy, ...differing(policy) };
      await store.policies.put(ownerOf('test'), declared, { hash: platform.newId(), now });
    },
    add: async (tenant, content, more = {}) => {
      const input = { tenant, ...user, content, ...more };
      return (await OPERATIONS.memory.add.call(ports, LOCAL_OPERATOR, input)).memory.id;
    },
    remove: (tenant, id) => OPERATIONS.memory.delete.call(ports, LOCAL_OPERATOR, { tenant, id }),
    round: (tenant, kind = 'Stale') =>
      refreshRound(activities, { tenant, claimId: platform.newId(), kind, codeOf }),
    scope: (tenant, scopeId = 'ann') => store.scopes.get({ tenant, layer: 'user', scopeId }),
    summary: (tenant) => OPERATIONS.summary.get.call(ports, LOCAL_OPERATOR, { tenant, ...user }),
    events: async (tenant) => {
      const events = await store.events.list(tenant, { afterId: null, limit: 100 });
      return events.map(({ type }) => type);
    },
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

export function codeOf(failure: unknown) {
  if (failure instanceof VarveError) return failure.code;
  throw failure;
}

function modelOf(options: FixtureOptions, calls: ModelBatch[]) {
  const { answer, windowTokens = WINDOW_TOKENS, isFree = false } = options;
  if (answer === undefined) return undefined;
  return (extractive: SummaryModel): SummaryModel => ({
    ...extractive,
    name: 'metered',
    price: isFree ? null : PRICE,
    inputTokensMax: windowTokens,
    outputTokensMax: OUTPUT_TOKENS,
    answer: (batch, call) => {
      calls.push(batch);
      return answer(batch, () => extractive.answer(batch, call));
    },
  });
}
