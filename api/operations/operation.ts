/** What one operation of the API is: the row of the table in table.ts, and how it is called. */
import type { z } from 'zod';
import { VarveError, type ErrorCode } from '#core/errors.ts';
import type { Role } from '#core/role.ts';
import { admit } from '../admission.ts';
import { parseInput } from '../parse.ts';
import type { ApiPorts } from '../ports.ts';
import type { Principal } from '../principal.ts';
import { noteOperation } from '../request-log.ts';

/** What a call costs beside reads and writes of the store. */
export const COSTS = {
  none: 'nothing',
  embedding: 'at most one embedding; none where the text is known already',
  embeddings: 'at most one embedding for each item, many of them in one request',
  modelCalls: 'model calls, within the budget of the tenant',
} as const;
export type Cost = keyof typeof COSTS;

/** What any call may fail with, besides what its row names. */
export const COMMON_ERRORS = [
  'INVALID_INPUT',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'PROVIDER_ERROR',
  'TIMEOUT',
  'CANCELLED',
  'CORRUPT',
] as const satisfies readonly ErrorCode[];

export type OperationKind = 'query' | 'mutation';

interface Row<K extends OperationKind, In extends z.ZodType, Out extends z.ZodType> {
  /** By group and key of the table, such as `memory.add`. */
  readonly name: string;
  /** A query changes nothing and may be repeated. */
  readonly kind: K;
  /** What it does, in a sentence or a few. */
  readonly summary: string;
  readonly input: In;
  readonly output: Out;
  readonly example: { readonly input: z.input<In>; readonly output: z.output<Out> };
  /** What a caller must be allowed to do; `admit` enforces it. */
  readonly role: Role;
  /** Whether it takes the id of an unused session, and begins it. */
  readonly beginsSession?: true;
  readonly cost: Cost;
  /** Besides those that every call may fail with. */
  readonly errors: readonly ErrorCode[];
  /** Commands of the CLI that call it; where none does, why. */
  readonly commands: readonly string[] | { readonly none: string };
  /** Takes a parsed input, defaults filled in. @throws VarveError FORBIDDEN */
  run(ports: ApiPorts, principal: Principal, input: z.output<In>): Promise<z.output<Out>>;
}

export interface Operation<
  K extends OperationKind,
  In extends z.ZodType,
  Out extends z.ZodType,
> extends Row<K, In, Out> {
  /**
   * Parses the input and runs: what every face does.
   * @throws VarveError INVALID_INPUT, and what the row names
   */
  call(ports: ApiPorts, principal: Principal, input: z.input<In>): Promise<z.output<Out>>;
}

/** An operation as it is looked at by whoever walks the table. */
export type AnyOperation = Operation<OperationKind, z.ZodType, z.ZodType>;

/** One row of the table. Whatever the face, nothing runs before the caller is admitted. */
export function operation<K extends OperationKind, In extends z.ZodType, Out extends z.ZodType>(
  row: Row<K, In, Out>,
): Operation<K, In, Out> {
  const run: typeof row.run = async (ports, principal, input) => {
    noteOperation(row.name);
    const leave = ports.pace?.enter(principal);
    const call = { principal, operation: row.name, input };
    try {
      await admit(ports, principal, { row, input });
      const answer = await row.run(ports, principal, input);
      if (row.kind === 'mutation') await ports.audit?.note({ ...call, outcome: 'Done', answer });
      return answer;
    } catch (error) {
      const outcome = error instanceof VarveError ? error.code : 'CORRUPT';
      const isKept = row.kind === 'mutation' || outcome === 'FORBIDDEN';
      if (isKept) await ports.audit?.note({ ...call, outcome, answer: null });
      throw error;
    } finally {
      leave?.();
    }
  };
  return {
    ...row,
    run,
    call: async (ports, principal, input) => run(ports, principal, parseInput(row.input, input)),
  };
}

/**
 * Answers an input as it was given, once the operation takes it, so that a caller hears what is
 * wrong before anything is opened.
 * @throws VarveError INVALID_INPUT
 */
export function checkedInput<In extends z.ZodType>(
  { input }: { readonly input: In },
  asked: z.input<In>,
): z.input<In> {
  parseInput(input, asked);
  return asked;
}
