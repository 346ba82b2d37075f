/** The composition root: connects adapters to ports, once per process, and passes them down. */
import type { RefreshPorts } from '#activities/refresh-ports.ts';
import { createAuditLog } from '#api/audit-log.ts';
import { createCallLimiter, CALL_LIMIT_DEFAULTS } from '#api/call-limits.ts';
import { createFairScheduler } from '#api/fair-scheduler.ts';
import { createPastSessions } from '#api/past-session-cache.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LastContexts } from '#api/last-contexts.ts';
import { StaleNotes } from '#api/stale-summary-log.ts';
import { VarveError } from '#core/errors.ts';
import { AUDIT_DAYS_DEFAULT } from '#core/records/audit-entry.ts';
import { desiredModel } from '#core/refresh/model-choice.ts';
import { modelOutage } from '#core/refresh/model-outage.ts';
import { oldestStaleAge } from '#core/refresh/staleness.ts';
import type { Keeping, MessageExtractor, SentMessage } from '#core/ports/message-extractor.ts';
import type { ConversationTexts, SummaryModel } from '#core/ports/model.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { Flushes } from '#core/ports/flush-runs.ts';
import { NO_METRICS, type MetricsPage } from '#core/ports/metrics.ts';
import type { Log, Platform, Timers } from '#core/ports/platform.ts';
import type { Tracing } from '#core/ports/tracing.ts';
import { NO_SECRETS, type SecretSource } from '#core/ports/secret-source.ts';
import type { Store } from '#core/ports/store.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import { queuePerName } from '#core/queue-per-name.ts';
import { createSummaryCache } from '#core/refresh/summary-cache.ts';
import {
  createProviderCache,
  type ProviderCache,
  createProvidedModels,
} from './model-providers/provider-cache.ts';
import { serveProvider } from './model-providers/served-provider.ts';
import { catalogOfOne, loadModels, type OwnModels } from './load-models.ts';
import { openChosenStore } from './choose-store.ts';
import { loadEmbedders, withDeclared } from './load-embedders.ts';
import type { PartsSettings } from './store-and-model-settings.ts';
import type { Compactions, CompactionTotals } from '#core/ports/compactions.ts';
import type { Report } from '#providers/temporal/server-progress.ts';

export interface Parts
  extends
    RefreshPorts,
    Pick<
      ApiPorts,
      | 'analyzer'
      | 'pastSessions'
      | 'timer'
      | 'isMetricsOpen'
      | 'isDeclaredOnly'
      | 'calendar'
      | 'audit'
      | 'callLimiter'
    >,
    AsyncDisposable {
  readonly models: OwnModels;
  /** The ModelProviders in the store. */
  readonly modelProviders: ProviderCache;
  readonly metricsPage: MetricsPage;
}

export interface PartsOptions {
  readonly dataDir: string;
  readonly log: Log;
  /** Nothing is traced if absent. */
  readonly tracing?: Tracing | undefined;
  /** Chooses store, embedder and models; if absent, those that need no server. */
  readonly settings?: PartsSettings | undefined;
  /** Source of the keys of ModelProviders; absent for a process that calls none. */
  readonly secrets?: SecretSource | undefined;
  /** Source of the key of the embedding model of a ModelProvider; `secrets` if absent. */
  readonly embeddingSecrets?: SecretSource | undefined;
  /** Replaces the models of both classes; for tests of budgets and crashes. */
  readonly model?: (extractive: SummaryModel) => SummaryModel;
  /** Shows the download of an embedding model; if absent, a progress bar on a terminal. */
  readonly report?: Report | undefined;
  /** Whether metrics are counted for a page that serves them; true if absent. */
  readonly measured?: boolean;
}

/** Opens the store and loads what every interface of Varve needs. */
export async function openParts(options: PartsOptions): Promise<Parts> {
  const { log, model, settings = {}, secrets = NO_SECRETS } = options;
  const { auditDays: days = 0 } = settings;
  const [node, tokenizers, analyzers, { createMemoryProvider }] = await Promise.all([
    import('#providers/node/platform.ts'),
    import('#providers/tokenizers/token-counter.ts'),
    import('#providers/lexical/analyzer.ts'),
    import('#memory/memory-provider.ts'),
  ]);
  const { createCalendar } = await import('#providers/node/calendar.ts');
  const platform: Platform = node.createPlatform({ log, tracing: options.tracing });
  const tokens = await tokenizers.loadTokenCounter({ log });
  const analyzer = analyzers.createTextAnalyzer();
  await using held = new AsyncDisposableStack();
  const own = held.use(await loadEmbedders(settings, { platform, report: options.report }));
  const models = await loadModels(settings.models, { tokens, platform });
  const store = await openChosenStore(options, { platform, analyzer, embedder: own.configured });
  const modelProviders = createProviderCache(store.modelProviders, platform.clock, (record) =>
    serveProvider(record, {
      tokens,
      platform,
      secrets,
      embeddingSecrets: options.embeddingSecrets,
    }),
  );
  const embedders = withDeclared(own, modelProviders);
  const timers = (await import('#providers/node/timers.ts')).createTimers();
  const { timer } = timers;
  const { metrics, page } =
    options.measured === false
      ? { metrics: NO_METRICS, page: NO_PAGE }
      : await openMetrics(store, platform, timer);
  const provider = createMemoryProvider({
    store,
    platform,
    tokens,
    analyzer,
    embedders,
    metrics,
    timers,
  });
  held.defer(() => provider.shutdown());
  const pastSessions = createPastSessions({ store, analyzer, platform });
  held.defer(() => pastSessions.settled());
  const open = held.move();
  return {
    store,
    provider,
    platform,
    calendar: createCalendar(),
    tokens,
    analyzer,
    pastSessions,
    metrics,
    timer,
    embedders,
    models: model === undefined ? models : catalogOfOne(models, model(models.extractive)),
    modelProviders,
    provided: createProvidedModels(store.policies, modelProviders),
    metricsPage: page,
    audit: days === 0 ? null : createAuditLog({ store, platform, days }),
    callLimiter: callLimiterOf(settings, platform, timers),
    isMetricsOpen: settings.metricsOpen ?? false,
    isDeclaredOnly: settings.declaredOnly ?? false,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

/** Returns null if no limits are set. */
function callLimiterOf(
  { callLimits }: PartsSettings,
  { clock }: Platform,
  { timer, wait }: Timers,
) {
  if (callLimits === undefined) return null;
  const looking = {
    timer,
    idle: () => performance.nodeTiming.idleTime,
    wait: (milliseconds: number) => wait(milliseconds, new AbortController().signal),
  };
  return createCallLimiter(callLimits, clock, createFairScheduler(looking));
}

/** Adds an audit and call limits, for an installation that others than its owner call. */
export function withAuditAndCallLimits(settings: PartsSettings): PartsSettings {
  return { auditDays: AUDIT_DAYS_DEFAULT, callLimits: CALL_LIMIT_DEFAULTS, ...settings };
}

/** The page if nothing is counted. */
const NO_PAGE: MetricsPage = {
  contentType: 'text/plain',
  render: () => Promise.resolve(''),
  snapshot: (process) => Promise.resolve({ process, metrics: [] }),
};

async function openMetrics(store: Store, { clock, log }: Platform, timer: Timers['timer']) {
  const { createPrometheusMetrics } = await import('#providers/prometheus/metrics-exporter.ts');
  return createPrometheusMetrics({
    storageSizes: (limit) => store.storageSizes(limit),
    oldestStaleAge: () => oldestStaleAge(store.scopes, clock()),
    modelOutageAge: async () => {
      const outage = await modelOutage(store, clock());
      return outage === null ? 0 : clock() - outage.since;
    },
    timer,
    log,
  });
}

/** Requests work, and runs it. */
interface Runs extends RefreshTrigger {
  /** Absent if nothing runs dreams. */
  readonly dreams?: DreamRuns;
}

/** Makes the ports of the API from the parts. */
export function apiPortsOf(
  parts: Omit<Parts, typeof Symbol.asyncDispose>,
  runs: Runs,
  refreshHealth: ApiPorts['refreshHealth'],
): ApiPorts {
  return {
    ...parts,
    summaryCache: createSummaryCache(parts.store.summaries),
    staleNotes: new StaleNotes(),
    lastContexts: new LastContexts(),
    refreshTrigger: runs,
    dreamRuns: runs.dreams ?? NO_DREAM_RUNS,
    compactions: compactionsOf(parts, runs),
    flushes: flushesOf(parts, runs),
    conversationTexts: conversationTextsOf(parts),
    messageExtractor: messageReaderOf(parts, runs),
    refreshHere: null,
    refreshHealth,
    modelOf: (policy, modelClass) => desiredModel(policy, modelClass, parts.models),
  };
}

const NO_DREAM_RUNS: DreamRuns = { start: refuseDream, apply: refuseDream };

async function refuseDream(): Promise<never> {
  const message = 'No worker runs dreams here; start varve, or set TEMPORAL_ADDRESS.';
  throw new VarveError('PROVIDER_ERROR', message);
}

/** Flushes for the API: in this process, or durable if workflows run. */
function flushesOf(parts: RefreshPorts, runs: RefreshTrigger): Flushes {
  return {
    here: async (input) => {
      const { flushInProcess } = await import('./in-process-work.ts');
      const { portsOfTenant } = await import('#activities/refresh-ports.ts');
      const ports = await portsOfTenant(parts, input.tenant);
      return flushInProcess({ ...ports, refreshTrigger: runs }, input);
    },
    runs: runs.flushes ?? null,
  };
}

/** Uses the models of this process: a conversation cannot wait for a worker. */
function conversationTextsOf(parts: RefreshPorts): ConversationTexts {
  return {
    write: async (tenant, question) => {
      const { writeConversation } = await import('#activities/summarize-conversation.ts');
      const { portsOfTenant } = await import('#activities/refresh-ports.ts');
      const { signal } = new AbortController();
      const ports = await portsOfTenant(parts, tenant);
      return writeConversation(ports, { tenant, question }, { signal });
    },
  };
}

/** Uses the models of this process, too: the caller waits for what is kept. */
function messageReaderOf(parts: RefreshPorts, runs: RefreshTrigger): MessageExtractor {
  const inQueue = queuePerName();
  const read = async (messages: readonly SentMessage[], keeping: Keeping) => {
    const { addMessages } = await import('#activities/extraction/add-messages.ts');
    const { portsOfTenant } = await import('#activities/refresh-ports.ts');
    const ports = await portsOfTenant(parts, keeping.tenant);
    return addMessages({ ...ports, refreshTrigger: runs, inQueue }, messages, keeping);
  };
  // The limits on calls of the API bound how many run.
  const running = new Map<string, ReturnType<MessageExtractor['read']>>();
  return {
    // A caller that gave up waiting sends the same call again, and gets the answer of the first.
    read: (messages, keeping, call) => {
      const begun = running.get(call);
      if (begun !== undefined) return begun;
      const own = read(messages, keeping).finally(() => running.delete(call));
      running.set(call, own);
      return own;
    },
  };
}

/** Compactions for the API: durable if workflows run, otherwise done at once. */
function compactionsOf(
  parts: Pick<RefreshPorts, 'store' | 'platform' | 'metrics'>,
  { compactions }: Pick<RefreshTrigger, 'compactions'>,
): Compactions {
  const here = async (tenant: string, dryRun: boolean): Promise<CompactionTotals> => {
    const { compactTenant } = await import('#activities/retention/retention-activities.ts');
    const { signal } = new AbortController();
    return compactTenant(parts, { tenant, dryRun }, { signal });
  };
  return {
    preview: (tenant) => here(tenant, true),
    run: async (tenant) =>
      compactions === undefined
        ? { kind: 'Done', totals: await here(tenant, false) }
        : { kind: await compactions.start(tenant) },
    last: async (tenant) => compactions?.last(tenant) ?? null,
  };
}
