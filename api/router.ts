/** The tRPC router: the procedures by name. Inputs are parsed inside, with our own errors. */
import { initTRPC } from '@trpc/server';
import { contextFor } from './context.ts';
import { appendTurns } from './conversations.ts';
import { errorShape, toTrpcError } from './error-mapping.ts';
import { health } from './health.ts';
import {
  type AddMemory,
  type AppendTurns,
  type AssembleContext,
  type GetSummary,
  type ListSummaries,
  type MemoryKey,
  type UpdateMemory,
} from './inputs.ts';
import { addMemory, deleteMemory, getMemory, updateMemory } from './memories.ts';
import type { ApiPorts } from './ports.ts';
import type { Principal } from './principal.ts';
import { getSummary, listSummaries } from './summaries.ts';

export interface ApiContext {
  readonly ports: ApiPorts;
  readonly principal: Principal;
}

const t = initTRPC.context<ApiContext>().create({
  errorFormatter: ({ shape, error }) => ({
    ...shape,
    // The stack is for the server's log; a client gets the code and what it can act on.
    data: { httpStatus: shape.data.httpStatus, path: shape.data.path, ...errorShape(error) },
  }),
});

type Procedure<Out> = (ports: ApiPorts, principal: Principal, input: unknown) => Promise<Out>;

/** Types the input for clients; the procedure itself parses what really arrives. */
function resolve<In, Out>(run: Procedure<Out>) {
  return {
    input: (input: unknown): In => input as In,
    call: async ({ ctx, input }: { ctx: ApiContext; input: unknown }): Promise<Out> => {
      try {
        return await run(ctx.ports, ctx.principal, input);
      } catch (error) {
        if (!(error instanceof Error && error.name === 'VarveError')) {
          ctx.ports.platform.log.error({ error }, 'procedure failed');
        }
        throw toTrpcError(error);
      }
    },
  };
}

function query<In, Out>(run: Procedure<Out>) {
  const { input, call } = resolve<In, Out>(run);
  return t.procedure.input(input).query(call);
}

function mutation<In, Out>(run: Procedure<Out>) {
  const { input, call } = resolve<In, Out>(run);
  return t.procedure.input(input).mutation(call);
}

export const router = t.router({
  memory: t.router({
    add: mutation<AddMemory, Awaited<ReturnType<typeof addMemory>>>(addMemory),
    get: query<MemoryKey, Awaited<ReturnType<typeof getMemory>>>(getMemory),
    update: mutation<UpdateMemory, Awaited<ReturnType<typeof updateMemory>>>(updateMemory),
    delete: mutation<MemoryKey, Awaited<ReturnType<typeof deleteMemory>>>(deleteMemory),
  }),
  conversation: t.router({
    append: mutation<AppendTurns, Awaited<ReturnType<typeof appendTurns>>>(appendTurns),
  }),
  summary: t.router({
    get: query<GetSummary, Awaited<ReturnType<typeof getSummary>>>(getSummary),
    list: query<ListSummaries, Awaited<ReturnType<typeof listSummaries>>>(listSummaries),
  }),
  context: t.router({
    assemble: query<AssembleContext, Awaited<ReturnType<typeof contextFor>>>(contextFor),
  }),
  health: t.procedure.query(({ ctx }) => health(ctx.ports)),
});

export type AppRouter = typeof router;
