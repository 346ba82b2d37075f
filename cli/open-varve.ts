/**
 * Varve as a library: one folder, no server. Reads and writes work at once; `refresh()` runs the
 * activities of the workflows inline. A Temporal address makes refreshing durable instead.
 */
import { createActivities } from '#activities/create-activities.ts';
import { contextFor, type ContextAnswer } from '#api/context.ts';
import { appendTurns } from '#api/conversations.ts';
import { health, type HealthAnswer } from '#api/health.ts';
import {
  RefreshTenant,
  type AddMemory,
  type AppendTurns,
  type AssembleContext,
  type BulkAddMemories,
  type BulkDeleteMemories,
  type DeleteMemory,
  type GetMemory,
  type GetSummary,
  type ListSummaries,
  type UpdateMemory,
} from '#api/inputs.ts';
import { bulkAddMemories, bulkDeleteMemories } from '#api/bulk.ts';
import { addMemory, deleteMemory, getMemory, updateMemory } from '#api/memories.ts';
import { listMemories, memoryHistory, searchMemories } from '#api/search.ts';
import type { ListMemories, MemoryHistory, SearchMemories } from '#api/search-inputs.ts';
import { parseInput } from '#api/parse.ts';
import { authorize, LOCAL_OPERATOR, type Principal } from '#api/principal.ts';
import { getSummary, listSummaries } from '#api/summaries.ts';
import { NO_TOTALS, addTotals, type ClaimKind, type RefreshTotals } from '#core/contract.ts';
import { VarveError } from '#core/errors.ts';
import { SILENT_LOG, type Log } from '#core/ports/platform.ts';
import { refreshRound } from '#core/refresh-round.ts';
import { apiPortsOf, NO_WAKER, openParts, type Parts } from './compose.ts';
import type { PartsSettings } from './settings.ts';

/** Rounds of one inline refresh; each claims up to eight batches. */
const INLINE_ROUNDS_MAX = 1_000;

interface TemporalPlace {
  readonly address: string;
  readonly namespace?: string;
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

export interface Varve extends AsyncDisposable {
  readonly memory: {
    add(input: AddMemory): Answer<typeof addMemory>;
    bulkAdd(input: BulkAddMemories): Answer<typeof bulkAddMemories>;
    get(input: GetMemory): Answer<typeof getMemory>;
    update(input: UpdateMemory): Answer<typeof updateMemory>;
    delete(input: DeleteMemory): Answer<typeof deleteMemory>;
    bulkDelete(input: BulkDeleteMemories): Answer<typeof bulkDeleteMemories>;
    search(input: SearchMemories): Answer<typeof searchMemories>;
    list(input: ListMemories): Answer<typeof listMemories>;
    history(input: MemoryHistory): Answer<typeof memoryHistory>;
  };
  readonly conversation: { append(input: AppendTurns): Answer<typeof appendTurns> };
  readonly summary: {
    get(input: GetSummary): Answer<typeof getSummary>;
    list(input: ListSummaries): Answer<typeof listSummaries>;
  };
  readonly context: { assemble(input: AssembleContext): Promise<ContextAnswer> };
  /** Remakes every stale summary of a tenant, or only those that are due; answers what it did. */
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
    client ?? NO_WAKER,
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
      search: (input) => searchMemories(ports, principal, input),
      list: (input) => listMemories(ports, principal, input),
      history: (input) => memoryHistory(ports, principal, input),
    },
    conversation: { append: (input) => appendTurns(ports, principal, input) },
    summary: {
      get: (input) => getSummary(ports, principal, input),
      list: (input) => listSummaries(ports, principal, input),
    },
    context: { assemble: (input) => contextFor(ports, principal, input) },
    refresh: async (input) => {
      const { tenant, kind } = parseInput(RefreshTenant, input);
      authorize(principal, { tenant });
      return refreshInline(parts, tenant, kind);
    },
    health: () => health(ports),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function connect({ address, namespace = 'default' }: TemporalPlace) {
  const { connectTemporal } = await import('#providers/temporal/client.ts');
  return connectTemporal({ address, namespace });
}

/** The rounds of the workflow without a window: a caller who asks does not want to wait. */
async function refreshInline(
  parts: Parts,
  tenant: string,
  kind: ClaimKind,
): Promise<RefreshTotals> {
  const signal = new AbortController().signal;
  const activities = createActivities(parts, NO_WAKER, () => ({ signal }));
  const claim = parts.platform.newId();
  let totals = NO_TOTALS;
  for (let round = 0; round < INLINE_ROUNDS_MAX; round += 1) {
    const claimId = `${claim}/${String(round)}`;
    const codeOf = (failure: unknown) =>
      failure instanceof VarveError ? failure.code : ('PROVIDER_ERROR' as const);
    const onFailure = (code: string): void => {
      parts.platform.log.warn({ tenant, code }, 'batch given back');
    };
    const done = await refreshRound(activities, { tenant, claimId, kind, codeOf, onFailure });
    totals = addTotals(totals, done);
    if (done.batches + done.unchanged + done.emptied === 0) break;
    if (done.generated + done.unchanged + done.emptied === 0) break;
  }
  return totals;
}
