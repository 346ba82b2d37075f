/** Defines an operation of the API: a row of the table in table.ts, and how to call it. */
import type { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import type { Role } from '#core/role.ts';
import { countRefusal } from '#memory/measured-call.ts';
import { checkAccess, fillBoundIdentifiers } from '../check-access.ts';
import { parseInput } from '../parse-input.ts';
import type { ApiPorts } from '../api-ports.ts';
import type { Principal } from '../principal.ts';
import type { CallKind } from '../fair-scheduler.ts';
import { noteOperation } from '../request-log.ts';

/** The cost of a call beyond reads and writes of the store. */
export const COSTS = {
  none: 'nothing',
  embedding: 'at most one embedding; none if the text is known already',
  embeddings: 'at most one embedding for each item, many of them in one request',
  modelCalls: 'model calls, within the budget of the tenant',
} as const;
type Cost = keyof typeof COSTS;

/** Errors that any call may return in addition to those of its row. */
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

export type OperationKind = CallKind;

interface Row<K extends OperationKind, In extends z.ZodType, Out extends z.ZodType> {
  /** Group and key in the table, such as `memory.add`. */
  readonly name: string;
  /** A query changes nothing and can be repeated. */
  readonly kind: K;
  /** What the operation does, in one or a few sentences. */
  readonly summary: string;
  readonly input: In;
  readonly output: Out;
  readonly example: { readonly input: z.input<In>; readonly output: z.output<Out> };
  /** The role that a caller needs; `checkAccess` enforces it. */
  readonly role: Role;
  /** Set if the operation accepts the id of an unused session and starts that session. */
  readonly beginsSession?: true;
  /** None if absent. */
  readonly cost?: Cost;
  /** Errors in addition to those that every call may return; none if absent. */
  readonly errors?: readonly ErrorCode[];
  /** CLI commands that call the operation, or the reason why none does. */
  readonly commands: readonly string[] | { readonly none: string };
  /** Runs on a parsed input, defaults filled in. @throws VarveError FORBIDDEN */
  run(ports: ApiPorts, principal: Principal, input: z.output<In>): Promise<z.output<Out>>;
}

export interface Operation<
  K extends OperationKind,
  In extends z.ZodType,
  Out extends z.ZodType,
> extends Row<K, In, Out> {
  readonly cost: Cost;
  readonly errors: readonly ErrorCode[];
  /**
   * Parses the input and runs the operation; every interface calls it this way.
   * @throws VarveError INVALID_INPUT, and the errors of the row
   */
  call(ports: ApiPorts, principal: Principal, input: z.input<In>): Promise<z.output<Out>>;
}

/** An operation of any type, for code that walks the table. */
export type AnyOperation = Operation<OperationKind, z.ZodType, z.ZodType>;

/**
 * Creates a row of the table. Over every interface, a call gets the identifiers that its caller is
 * bound to, and is admitted before anything runs.
 */
export function operation<K extends OperationKind, In extends z.ZodType, Out extends z.ZodType>(
  row: Row<K, In, Out>,
): Operation<K, In, Out> {
  const run: typeof row.run = async (ports, principal, asked) => {
    noteOperation(row.name);
    const input = fillBoundIdentifiers(principal, asked);
    const leave = ports.callLimiter?.enter(principal);
    const call = { principal, operation: row.name, input };
    const isWrite = row.kind === 'mutation' && !isDryRun(input);
    const end = await ports.callLimiter?.turn(principal, row.kind);
    try {
      await checkAccess(ports, principal, { row, input });
      const answer = await row.run(ports, principal, input);
      if (isWrite) await ports.audit?.note({ ...call, outcome: 'Done', answer });
      return answer;
    } catch (error) {
      countRefusal(ports, row.name, error);
      const outcome = error instanceof VarveError ? error.code : 'CORRUPT';
      const isKept = isWrite || outcome === 'FORBIDDEN';
      if (isKept) await ports.audit?.note({ ...call, outcome, answer: null });
      throw error;
    } finally {
      end?.();
      leave?.();
    }
  };
  return {
    ...row,
    cost: row.cost ?? 'none',
    errors: row.errors ?? [],
    run,
    call: async (ports, principal, input) => {
      try {
        return await run(ports, principal, parseInput(row.input, input));
      } catch (error) {
        countRefusal(ports, row.name, error);
        throw error;
      }
    },
  };
}

/** Whether a call only previews what it would write. */
function isDryRun(input: unknown): boolean {
  return (input as { dryRun?: unknown } | null | undefined)?.dryRun === true;
}

/**
 * Validates an input and returns it unchanged, so that a caller sees mistakes before anything is
 * opened.
 * @throws VarveError INVALID_INPUT
 */
export function checkedInput<In extends z.ZodType>(
  { input }: { readonly input: In },
  asked: z.input<In>,
): z.input<In> {
  parseInput(input, asked);
  return asked;
}
