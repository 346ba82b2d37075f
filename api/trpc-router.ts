/** The tRPC router, built from the table of operations. */
import {
  initTRPC,
  type TRPCBuiltRouter,
  type TRPCMutationProcedure,
  type TRPCQueryProcedure,
} from '@trpc/server';
import type { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { countRefusal } from '#memory/measured-call.ts';
import { errorMessage, errorShape, toTrpcError } from './trpc-errors.ts';
import type { AnyOperation, Operation } from './operations/operation.ts';
import { mapOperations, servedOperations, type ServedOperations } from './operations/table.ts';
import { parseInput } from './parse-input.ts';
import type { ApiPorts } from './api-ports.ts';
import type { Principal } from './principal.ts';
import { currentRequest, noteOperation } from './request-log.ts';

interface ApiContext {
  readonly ports: ApiPorts;
  readonly principal: Principal;
}

const t = initTRPC.context<ApiContext>().create({
  errorFormatter: ({ shape, error, path }) => ({
    ...shape,
    message: errorMessage(error, path),
    // The stack is for the server's log; a client gets the code and what it can act on.
    data: { httpStatus: shape.data.httpStatus, path: shape.data.path, ...errorShape(error) },
  }),
});

/** Parses by the schemas of the row, so that no field leaves that the row does not declare. */
function procedure(operation: AnyOperation) {
  const { kind, input, output } = operation;
  const built = t.procedure
    .use(async ({ ctx, next }) => {
      const answered = await next();
      // Invalid input is refused before the operation runs; the operation counts its own refusals.
      const cause = answered.ok ? undefined : answered.error.cause;
      if (cause instanceof VarveError) countRefusal(ctx.ports, operation.name, cause);
      return answered;
    })
    .input((given: unknown) => {
      noteOperation(operation.name);
      return parseInput(input, given);
    })
    .output(output);
  const resolve = async ({ ctx, input: asked }: { ctx: ApiContext; input: unknown }) => {
    try {
      return await operation.run(ctx.ports, ctx.principal, asked);
    } catch (error) {
      if (!(error instanceof VarveError)) {
        ctx.ports.platform.log.error({ ...currentRequest(), error }, 'procedure failed');
      }
      throw toTrpcError(error);
    }
  };
  return kind === 'query' ? built.query(resolve) : built.mutation(resolve);
}

interface Definition<In extends z.ZodType, Out extends z.ZodType> {
  input: z.input<In>;
  output: z.output<Out>;
  meta: object;
}
type Procedures<Table> = {
  [Name in keyof Table]: Table[Name] extends Operation<
    infer Kind,
    infer In extends z.ZodType,
    infer Out extends z.ZodType
  >
    ? Kind extends 'query'
      ? TRPCQueryProcedure<Definition<In, Out>>
      : TRPCMutationProcedure<Definition<In, Out>>
    : Procedures<Table[Name]>;
};
type RootTypes = (typeof t)['_config']['$types'];

/** Has the types of the table, which tRPC can't infer from a walk over it. */
export type AppRouter = TRPCBuiltRouter<RootTypes, Procedures<ServedOperations>>;

export const router = t.router(
  mapOperations(servedOperations(), procedure) as Parameters<typeof t.router>[0],
) as unknown as AppRouter;
