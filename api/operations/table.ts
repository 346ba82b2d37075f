/**
 * The table of operations: the single list of everything that callers can ask of Varve. The tRPC
 * router, the library (`openVarve`), the client of a running API and docs/api.md are generated
 * from it; the CLI commands that read and write data use its schemas.
 *
 * To add an operation:
 * 1. Add its input and output schemas, with descriptions, to the file of its subject in
 *    api/schemas/.
 * 2. Add its row to the file of its subject in this folder: kind, summary, schemas, one example,
 *    role, cost, error codes, the commands that call it or the reason why none does, and `run`,
 *    which gets the parsed input. What is long or has other callers is a function in api/.
 * 3. Run `npm run docs:api`, which writes docs/api.md and the named types in api/calls/.
 *
 * The operation is then in the router, the library and the client, and a test runs its example.
 */
import type { z } from 'zod';
import { audit } from './audit.ts';
import { budget } from './budget.ts';
import { conversation, memoryCompaction } from './conversation.ts';
import { daily } from './daily.ts';
import { document } from './documents.ts';
import { dream } from './dream.ts';
import { event } from './event.ts';
import { erasure, memoryErasure, tenant } from './erasure.ts';
import { installation } from './installation.ts';
import { key } from './keys.ts';
import { memory } from './memory.ts';
import type { AnyOperation, Operation, OperationKind } from './operation.ts';
import { memoryPromotion, review } from './review.ts';
import { memorySearch } from './search.ts';
import { context } from './context.ts';
import { summary } from './summary.ts';
import { tenantState } from './tenant.ts';
import { trace } from './why.ts';

/** Operations by name; `memory.add` is the operation `add` of the group `memory`. */
export const OPERATIONS = {
  memory: {
    ...memory,
    ...memorySearch,
    ...memoryCompaction,
    ...memoryErasure,
    ...memoryPromotion,
  },
  conversation,
  summary,
  context,
  budget,
  daily,
  document,
  dream,
  review,
  key,
  audit,
  event,
  tenant: { ...tenant, ...tenantState },
  erasure,
  trace,
  ...installation,
};
export type Operations = typeof OPERATIONS;

/** Operations that no network interface offers, with the reason. */
export const NOT_OVER_HTTP = {
  refresh: 'A running varve refreshes on its own, and its workers may be elsewhere.',
} as const;
export type ServedOperations = Omit<Operations, keyof typeof NOT_OVER_HTTP>;

/** Returns the table without the operations that no network interface offers. */
export function servedOperations(): ServedOperations {
  const { refresh: _, ...served } = OPERATIONS;
  return served;
}

/** A library method for each operation of a table. */
export type Calls<Table> = {
  readonly [Name in keyof Table]: Table[Name] extends Operation<
    OperationKind,
    infer In extends z.ZodType,
    infer Out extends z.ZodType
  >
    ? (...input: Arguments<z.input<In>>) => Promise<z.output<Out>>
    : Calls<Table[Name]>;
};
type Arguments<Input> = undefined extends Input ? [input?: Input] : [input: Input];

/** Lists every operation with its name, such as `memory.add`, in the order of the table. */
export function namedOperations(
  table: object = OPERATIONS,
  group = '',
): readonly (readonly [name: string, operation: AnyOperation])[] {
  return Object.entries(table).flatMap(([key, entry]: [string, object]) =>
    isOperation(entry)
      ? [[`${group}${key}`, entry] as const]
      : namedOperations(entry, `${group}${key}.`),
  );
}

/** Returns the same tree with the result of `make` for each operation. */
export function mapOperations(
  table: object,
  make: (operation: AnyOperation, name: string) => unknown,
  group = '',
): Record<string, unknown> {
  const made = Object.entries(table).map(([key, entry]: [string, object]) => {
    const name = `${group}${key}`;
    const value = isOperation(entry) ? make(entry, name) : mapOperations(entry, make, `${name}.`);
    return [key, value] as const;
  });
  return Object.fromEntries(made);
}

function isOperation(entry: object): entry is AnyOperation {
  return 'kind' in entry && 'call' in entry;
}
