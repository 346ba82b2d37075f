/** What the procedures need of the world, passed in by the composition root. */
import type { FlushKind, RefreshReport } from '#core/refresh/refresh-contract.ts';
import type { Calendar } from '#core/ports/calendar.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { Flushes } from '#core/ports/flush-runs.ts';
import type { ConversationTexts } from '#core/ports/model.ts';
import type { Compactions } from '#core/ports/compactions.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import type { MemoryProvider } from '#core/ports/memory-provider.ts';
import type { Metrics, MetricsPage } from '#core/ports/metrics.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import type { RefreshHealth, RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { RecipeModel } from '#core/refresh/recipe.ts';
import type { SummaryCache } from '#core/refresh/summary-cache.ts';
import type { LastContexts } from './last-contexts.ts';
import type { CallLimiter } from './call-rate-limits.ts';
import type { PastSessions } from './past-session-cache.ts';
import type { Principal } from './authorize.ts';
import type { StaleNotes } from './stale-summary-log.ts';

/** A call that is over. */
export interface Audited {
  readonly principal: Principal;
  readonly operation: string;
  readonly outcome: string;
  readonly input: unknown;
  /** Null where it failed. */
  readonly answer: unknown;
}

export interface AuditLog {
  /** Never fails: what is done is done. What could not be kept is in the log. */
  note(call: Audited): Promise<void>;
}

export interface ApiPorts {
  /** Memories go through the provider; the rest of the store is read and written as it is. */
  readonly provider: MemoryProvider;
  readonly store: Store;
  readonly platform: Platform;
  /** What is kept of writes and refusals; null where nothing is kept. */
  readonly audit: AuditLog | null;
  /** How fast callers may call; null for no limit. */
  readonly callLimiter: CallLimiter | null;
  readonly embedder: Embedder;
  readonly tokens: TokenCounter;
  readonly analyzer: TextAnalyzer;
  readonly summaryCache: SummaryCache;
  /** What the log has of stale summaries that were read. */
  readonly staleNotes: StaleNotes;
  readonly pastSessions: PastSessions;
  readonly lastContexts: LastContexts;
  readonly metrics: Metrics;
  /** Milliseconds with fractions from any moment on; never goes back. */
  readonly timer: () => number;
  readonly refreshTrigger: RefreshTrigger;
  readonly compactions: Compactions;
  readonly dreamRuns: DreamRuns;
  readonly flushes: Flushes;
  readonly conversationTexts: ConversationTexts;
  /** Days and times where a subject lives. */
  readonly calendar: Calendar;
  /** The model of a class by a tenant's policy: part of the recipe that freshness compares. */
  readonly modelOf: (policy: TenantPolicy, modelClass: ModelClass) => RecipeModel;
  /** Refreshes a tenant where the caller is; null where that is not for callers to do. */
  readonly refreshHere: ((tenant: string, kind: FlushKind) => Promise<RefreshReport>) | null;
  /** Whether Temporal and a worker are there; null where refreshes run inline. */
  readonly refreshHealth: (() => Promise<RefreshHealth>) | null;
  /** What a scraper reads; null where nothing is measured. */
  readonly metricsPage: MetricsPage | null;
  /** Whether it may be read without the token. */
  readonly isMetricsOpen: boolean;
  /** Whether a tenant that no resource declares is refused. */
  readonly isDeclaredOnly: boolean;
}
