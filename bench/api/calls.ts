/** The calls that are measured; no two have the same input. */
import { getBudget } from '#api/operations/budget.ts';
import { appendTurns } from '#api/conversations.ts';
import { contextFor } from '#api/context.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import type { Principal } from '#api/principal.ts';
import { searchMemories } from '#api/search.ts';
import { sentence } from '../tenants/calls.ts';

export const TENANT = 'bench';
export const IDENTIFIERS = { userId: 'ann', projectId: 'checkout' } as const;
/** The order matters: what the last one appends is not there for the searches before it. */
export const CALL_NAMES = [
  'budget.get',
  'memory.search',
  'context.assemble',
  'conversation.append',
] as const;
export type CallName = (typeof CALL_NAMES)[number];

const SESSIONS = 20;
const WHOSE = { tenant: TENANT, identifiers: IDENTIFIERS };

export interface Call {
  readonly kind: 'query' | 'mutation';
  input(at: number): Readonly<Record<string, unknown>>;
  /** Makes the call without HTTP, authentication, validation, access checks and rate limits. */
  direct(ports: ApiPorts, principal: Principal, at: number): Promise<unknown>;
}

const append = (at: number) => ({
  ...WHOSE,
  sessionId: `session-${String(at % SESSIONS)}`,
  turns: [{ id: `turn-${String(at)}`, role: 'user' as const, content: sentence(at) }],
});
const search = (at: number) => ({ ...WHOSE, query: sentence(at), limit: 5 });
const assemble = (at: number) => ({ ...WHOSE, query: sentence(at), maxTokens: 600 });

/** Parsed once, so that calls made directly do not include validation. */
const PARSED = {
  append: OPERATIONS.conversation.append.input.parse(append(0)),
  search: OPERATIONS.memory.search.input.parse(search(0)),
  assemble: OPERATIONS.context.assemble.input.parse(assemble(0)),
  budget: OPERATIONS.budget.get.input.parse({ tenant: TENANT }),
};

export const CALLS: Readonly<Record<CallName, Call>> = {
  'conversation.append': {
    kind: 'mutation',
    input: append,
    direct: async (ports, principal, at) => {
      const { turns, ...given } = append(at);
      const [parsed] = PARSED.append.turns;
      const said = turns.map((turn) => ({ ...parsed, toolCalls: [], ...turn }));
      const input = { ...PARSED.append, ...given, turns: said };
      // The API also reads from the store who may write to the session.
      await ports.store.sessions.get(TENANT, input.sessionId);
      const answer = await appendTurns(ports, principal, input);
      // The API also writes the audit entry to the store.
      const call = { principal, operation: 'conversation.append', outcome: 'Done' };
      await ports.audit?.note({ ...call, input, answer });
      return answer;
    },
  },
  'memory.search': {
    kind: 'query',
    input: search,
    direct: (ports, principal, at) =>
      searchMemories(ports, principal, { ...PARSED.search, ...search(at) }),
  },
  'context.assemble': {
    kind: 'query',
    input: assemble,
    direct: (ports, principal, at) =>
      contextFor(ports, principal, { ...PARSED.assemble, ...assemble(at) }),
  },
  'budget.get': {
    kind: 'query',
    input: () => ({ tenant: TENANT }),
    direct: (ports, principal) => getBudget(ports, principal, PARSED.budget),
  },
};

/** Returns a memory of the tenant that the calls query. */
export function memoryOf(at: number) {
  return {
    ...WHOSE,
    layer: at % 2 === 0 ? ('user' as const) : ('project' as const),
    content: sentence(at),
  };
}
