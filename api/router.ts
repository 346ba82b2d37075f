/** The tRPC router: the procedures by name. Inputs are parsed inside, with our own errors. */
import { initTRPC } from '@trpc/server';
import { VarveError } from '#core/errors.ts';
import { getBudget, grantBudget } from './budget.ts';
import { compactionStatus, compactMemory } from './compaction.ts';
import { contextFor } from './context.ts';
import { appendTurns } from './conversations.ts';
import { appendDaily, getDaily } from './daily.ts';
import { listDeadLetters, retryDeadLetters } from './dead-letters.ts';
import type {
  AppendDaily,
  EditDocument,
  GetDaily,
  GetDocument,
  ListDocuments,
  ListVersions,
  RestoreDocument,
} from './document-inputs.ts';
import {
  editDocument,
  getDocument,
  listDocuments,
  listVersions,
  restoreDocument,
} from './documents.ts';
import { approveDream, rejectDream } from './dream-decisions.ts';
import type {
  ApproveDream,
  DreamStatus,
  GetDream,
  ListDreams,
  ListSchedules,
  RejectDream,
  RunDream,
} from './dream-inputs.ts';
import { dreamStatus, getDream, listDreams, listSchedules, runDream } from './dreams.ts';
import { errorMessage, errorShape, toTrpcError } from './error-mapping.ts';
import { health } from './health.ts';
import { bulkAddMemories, bulkDeleteMemories } from './bulk.ts';
import type {
  AddMemory,
  AppendTurns,
  AssembleContext,
  BulkAddMemories,
  BulkDeleteMemories,
  CompactionStatus,
  CompactMemory,
  DeleteMemory,
  GetBudget,
  GetMemory,
  GetSummary,
  GrantBudget,
  ListDeadLetters,
  ListSummaries,
  RetryDeadLetters,
  UpdateMemory,
} from './inputs.ts';
import { addMemory, deleteMemory, getMemory, updateMemory } from './memories.ts';
import type { ApiPorts } from './ports.ts';
import type { Principal } from './principal.ts';
import { listMemories, memoryHistory, searchMemories } from './search.ts';
import type { ListMemories, MemoryHistory, SearchMemories } from './search-inputs.ts';
import { getSummary, listSummaries } from './summaries.ts';

export interface ApiContext {
  readonly ports: ApiPorts;
  readonly principal: Principal;
}

const t = initTRPC.context<ApiContext>().create({
  errorFormatter: ({ shape, error }) => ({
    ...shape,
    message: errorMessage(error),
    // The stack is for the server's log; a client gets the code and what it can act on.
    data: { httpStatus: shape.data.httpStatus, path: shape.data.path, ...errorShape(error) },
  }),
});

type Procedure<Out> = (ports: ApiPorts, principal: Principal, input: unknown) => Promise<Out>;

/** Types the input for clients; the procedure itself parses what really arrives. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it is what clients see
function typed<In>(input: unknown): In {
  return input as In;
}

function call<Out>(run: Procedure<Out>) {
  return async ({ ctx, input }: { ctx: ApiContext; input: unknown }): Promise<Out> => {
    try {
      return await run(ctx.ports, ctx.principal, input);
    } catch (error) {
      if (!(error instanceof VarveError)) {
        ctx.ports.platform.log.error({ error }, 'procedure failed');
      }
      throw toTrpcError(error);
    }
  };
}

export const router = t.router({
  memory: t.router({
    add: t.procedure.input(typed<AddMemory>).mutation(call(addMemory)),
    bulkAdd: t.procedure.input(typed<BulkAddMemories>).mutation(call(bulkAddMemories)),
    get: t.procedure.input(typed<GetMemory>).query(call(getMemory)),
    update: t.procedure.input(typed<UpdateMemory>).mutation(call(updateMemory)),
    delete: t.procedure.input(typed<DeleteMemory>).mutation(call(deleteMemory)),
    bulkDelete: t.procedure.input(typed<BulkDeleteMemories>).mutation(call(bulkDeleteMemories)),
    compact: t.procedure.input(typed<CompactMemory>).mutation(call(compactMemory)),
    compactionStatus: t.procedure.input(typed<CompactionStatus>).query(call(compactionStatus)),
    search: t.procedure.input(typed<SearchMemories>).query(call(searchMemories)),
    list: t.procedure.input(typed<ListMemories>).query(call(listMemories)),
    history: t.procedure.input(typed<MemoryHistory>).query(call(memoryHistory)),
  }),
  conversation: t.router({
    append: t.procedure.input(typed<AppendTurns>).mutation(call(appendTurns)),
  }),
  summary: t.router({
    get: t.procedure.input(typed<GetSummary>).query(call(getSummary)),
    list: t.procedure.input(typed<ListSummaries>).query(call(listSummaries)),
    deadLetters: t.procedure.input(typed<ListDeadLetters>).query(call(listDeadLetters)),
    retry: t.procedure.input(typed<RetryDeadLetters>).mutation(call(retryDeadLetters)),
  }),
  budget: t.router({
    get: t.procedure.input(typed<GetBudget>).query(call(getBudget)),
    grant: t.procedure.input(typed<GrantBudget>).mutation(call(grantBudget)),
  }),
  daily: t.router({
    append: t.procedure.input(typed<AppendDaily>).mutation(call(appendDaily)),
    get: t.procedure.input(typed<GetDaily>).query(call(getDaily)),
  }),
  document: t.router({
    list: t.procedure.input(typed<ListDocuments>).query(call(listDocuments)),
    get: t.procedure.input(typed<GetDocument>).query(call(getDocument)),
    edit: t.procedure.input(typed<EditDocument>).mutation(call(editDocument)),
    versions: t.procedure.input(typed<ListVersions>).query(call(listVersions)),
    restore: t.procedure.input(typed<RestoreDocument>).mutation(call(restoreDocument)),
  }),
  dream: t.router({
    run: t.procedure.input(typed<RunDream>).mutation(call(runDream)),
    status: t.procedure.input(typed<DreamStatus>).query(call(dreamStatus)),
    get: t.procedure.input(typed<GetDream>).query(call(getDream)),
    list: t.procedure.input(typed<ListDreams>).query(call(listDreams)),
    approve: t.procedure.input(typed<ApproveDream>).mutation(call(approveDream)),
    reject: t.procedure.input(typed<RejectDream>).mutation(call(rejectDream)),
    schedules: t.procedure.input(typed<ListSchedules>).query(call(listSchedules)),
  }),
  context: t.router({
    assemble: t.procedure.input(typed<AssembleContext>).query(call(contextFor)),
  }),
  health: t.procedure.query(call((ports) => health(ports))),
});

export type AppRouter = typeof router;
