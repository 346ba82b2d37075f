/**
 * Varve as a library: one folder, no server. Reads and writes work at once; `refresh()` runs the
 * activities of the workflows inline. A Temporal address makes refreshing durable instead.
 */
import { getBudget, grantBudget } from '#api/budget.ts';
import { compactionStatus, compactMemory } from '#api/compaction.ts';
import { contextFor, type ContextAnswer } from '#api/context.ts';
import { appendTurns } from '#api/conversations.ts';
import { listDeadLetters, retryDeadLetters } from '#api/dead-letters.ts';
import { health, type HealthAnswer } from '#api/health.ts';
import {
  RefreshTenant,
  type AddMemory,
  type AppendTurns,
  type AssembleContext,
  type BulkAddMemories,
  type BulkDeleteMemories,
  type CompactionStatus,
  type CompactMemory,
  type DeleteMemory,
  type GetBudget,
  type GetMemory,
  type GetSummary,
  type GrantBudget,
  type ListDeadLetters,
  type ListSummaries,
  type RetryDeadLetters,
  type UpdateMemory,
} from '#api/inputs.ts';
import { bulkAddMemories, bulkDeleteMemories } from '#api/bulk.ts';
import { addMemory, deleteMemory, getMemory, updateMemory } from '#api/memories.ts';
import { listMemories, memoryHistory, searchMemories } from '#api/search.ts';
import type { ListMemories, MemoryHistory, SearchMemories } from '#api/search-inputs.ts';
import { parseInput } from '#api/parse.ts';
import { authorizeTenant, LOCAL_OPERATOR, type Principal } from '#api/principal.ts';
import { getSummary, listSummaries } from '#api/summaries.ts';
import type { RefreshTotals } from '#core/contract.ts';
import { SILENT_LOG, type Log } from '#core/ports/platform.ts';
import { apiPortsOf, openParts } from './compose.ts';
import { inlineDreams } from './inline-dreams.ts';
import { refreshInline } from './inline-refresh.ts';
import { markdownTiers, type MarkdownTiers } from './markdown-tiers.ts';
import type { PartsSettings } from './settings.ts';

interface TemporalPlace {
  readonly address: string;
  readonly namespace?: string;
  /** `TEMPORAL_API_KEY`, `TEMPORAL_TLS_…` by name; a plain connection where absent. */
  readonly security?: Readonly<Record<string, string>> | null;
}

export interface OpenVarveOptions {
  /** Folder that holds everything; made where it does not exist. */
  readonly dataDir: string;
  /** Another store or embedder than SQLite in the folder and the built-in one. */
  readonly settings?: PartsSettings;
  /** A Temporal server: writes then wake its workflows, and a `varve` worker refreshes. */
  readonly temporal?: TemporalPlace;
  readonly principal?: Principal;
  readonly log?: Log;
}

type Answer<T extends (...args: never) => unknown> = ReturnType<T>;

export interface Varve extends MarkdownTiers, AsyncDisposable {
  readonly memory: {
    add(input: AddMemory): Answer<typeof addMemory>;
    bulkAdd(input: BulkAddMemories): Answer<typeof bulkAddMemories>;
    get(input: GetMemory): Answer<typeof getMemory>;
    update(input: UpdateMemory): Answer<typeof updateMemory>;
    delete(input: DeleteMemory): Answer<typeof deleteMemory>;
    bulkDelete(input: BulkDeleteMemories): Answer<typeof bulkDeleteMemories>;
    /** Takes the text of old turns; at once where no Temporal is. */
    compact(input: CompactMemory): Answer<typeof compactMemory>;
    compactionStatus(input: CompactionStatus): Answer<typeof compactionStatus>;
    search(input: SearchMemories): Answer<typeof searchMemories>;
    list(input: ListMemories): Answer<typeof listMemories>;
    history(input: MemoryHistory): Answer<typeof memoryHistory>;
  };
  readonly conversation: { append(input: AppendTurns): Answer<typeof appendTurns> };
  readonly summary: {
    get(input: GetSummary): Answer<typeof getSummary>;
    list(input: ListSummaries): Answer<typeof listSummaries>;
    /** Scopes that were given up after three failures. */
    deadLetters(input: ListDeadLetters): Answer<typeof listDeadLetters>;
    retry(input: RetryDeadLetters): Answer<typeof retryDeadLetters>;
  };
  readonly budget: {
    get(input: GetBudget): Answer<typeof getBudget>;
    grant(input: GrantBudget): Answer<typeof grantBudget>;
  };
  readonly context: { assemble(input: AssembleContext): Promise<ContextAnswer> };
  /**
   * Remakes every stale summary of a tenant, or only those that are due; answers what it did.
   * @throws VarveError BUDGET_EXHAUSTED with what the budget lacked, where the policy says
   * `Reject`; FORBIDDEN for a principal that is bound to identifiers
   */
  refresh(input: RefreshTenant): Promise<RefreshTotals>;
  health(): Promise<HealthAnswer>;
}

/** @throws VarveError PROVIDER_REJECTED, CORRUPT, TIMEOUT where the folder cannot be used. */
export async function openVarve(options: OpenVarveOptions): Promise<Varve> {
  await using held = new AsyncDisposableStack();
  const log = options.log ?? SILENT_LOG;
  const parts = held.use(
    await openParts({ dataDir: options.dataDir, log, settings: options.settings }),
  );
  const { temporal } = options;
  const client = temporal === undefined ? null : held.use(await connect(temporal));
  const ports = apiPortsOf(
    parts,
    client ?? inlineDreams(parts),
    client === null ? null : () => client.health(),
  );
  const principal = options.principal ?? LOCAL_OPERATOR;
  const open = held.move();
  return {
    memory: {
      add: (input) => addMemory(ports, principal, input),
      get: (input) => getMemory(ports, principal, input),
      update: (input) => updateMemory(ports, principal, input),
      bulkAdd: (input) => bulkAddMemories(ports, principal, input),
      delete: (input) => deleteMemory(ports, principal, input),
      bulkDelete: (input) => bulkDeleteMemories(ports, principal, input),
      compact: (input) => compactMemory(ports, principal, input),
      compactionStatus: (input) => compactionStatus(ports, principal, input),
      search: (input) => searchMemories(ports, principal, input),
      list: (input) => listMemories(ports, principal, input),
      history: (input) => memoryHistory(ports, principal, input),
    },
    conversation: { append: (input) => appendTurns(ports, principal, input) },
    summary: {
      get: (input) => getSummary(ports, principal, input),
      list: (input) => listSummaries(ports, principal, input),
      deadLetters: (input) => listDeadLetters(ports, principal, input),
      retry: (input) => retryDeadLetters(ports, principal, input),
    },
    budget: {
      get: (input) => getBudget(ports, principal, input),
      grant: (input) => grantBudget(ports, principal, input),
    },
    ...markdownTiers(ports, principal),
    context: { assemble: (input) => contextFor(ports, principal, input) },
    refresh: async (input) => {
      const { tenant, kind } = parseInput(RefreshTenant, input);
      // It spends the tenant's budget, and tells of it where that is used up.
      authorizeTenant(principal, tenant);
      return refreshInline(parts, tenant, kind);
    },
    health: () => health(ports),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function connect({ address, namespace = 'default', security = null }: TemporalPlace) {
  const { connectTemporal } = await import('#providers/temporal/client.ts');
  return connectTemporal({ address, namespace, security });
}
