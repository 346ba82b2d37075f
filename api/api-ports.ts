/** What the operations need from outside, passed in by the composition root. */
import type { FlushKind, RefreshReport } from '#core/refresh/refresh-contract.ts';
import type { Calendar } from '#core/ports/calendar.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { Flushes } from '#core/ports/flush-runs.ts';
import type { MessageExtractor } from '#core/ports/message-extractor.ts';
import type { ConversationTexts } from '#core/ports/model.ts';
import type { Compactions } from '#core/ports/compactions.ts';
import type { Embedders } from '#core/ports/embedder.ts';
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
import type { CallLimiter } from './call-limits.ts';
import type { PastSessions } from './past-session-cache.ts';
import type { Principal } from './principal.ts';
import type { StaleNotes } from './stale-summary-log.ts';

/** A finished call. */
export interface Audited {
  readonly principal: Principal;
  readonly operation: string;
  readonly outcome: string;
  readonly input: unknown;
  /** Null if the call failed. */
  readonly answer: unknown;
}

export interface AuditLog {
  /** Never fails, since the call is over. The log names what could not be kept. */
  note(call: Audited): Promise<void>;
}

export interface ApiPorts {
  /** Memories go through the provider; everything else goes directly to the store. */
  readonly provider: MemoryProvider;
  readonly store: Store;
  readonly platform: Platform;
  /** Keeps writes and refusals; null if nothing is kept. */
  readonly audit: AuditLog | null;
  /** Limits how fast callers may call; null for no limit. */
  readonly callLimiter: CallLimiter | null;
  readonly embedders: Embedders;
  readonly tokens: TokenCounter;
  readonly analyzer: TextAnalyzer;
  readonly summaryCache: SummaryCache;
  /** Which stale summaries were logged already. */
  readonly staleNotes: StaleNotes;
  readonly pastSessions: PastSessions;
  readonly lastContexts: LastContexts;
  readonly metrics: Metrics;
  /** Milliseconds with fractions, since an arbitrary moment; never goes back. */
  readonly timer: () => number;
  readonly refreshTrigger: RefreshTrigger;
  readonly compactions: Compactions;
  readonly dreamRuns: DreamRuns;
  readonly flushes: Flushes;
  readonly conversationTexts: ConversationTexts;
  readonly messageExtractor: MessageExtractor;
  /** Dates and times in the time zone of a subject. */
  readonly calendar: Calendar;
  /** The model that a tenant's policy chooses for a class, which freshness compares. */
  readonly modelOf: (policy: TenantPolicy, modelClass: ModelClass) => RecipeModel;
  /** Refreshes a tenant in this process; null if callers may not do that. */
  readonly refreshHere: ((tenant: string, kind: FlushKind) => Promise<RefreshReport>) | null;
  /** Whether Temporal and a worker are reachable; null if refreshes run inline. */
  readonly refreshHealth: (() => Promise<RefreshHealth>) | null;
  /** The page for metrics scrapers; null if nothing is measured. */
  readonly metricsPage: MetricsPage | null;
  /** Whether the metrics page may be read without the token. */
  readonly isMetricsOpen: boolean;
  /** Whether to refuse a tenant that no resource declares. */
  readonly isDeclaredOnly: boolean;
}
