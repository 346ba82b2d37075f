/**
 * `GET /v1/memory/context`: the context of a chat within its limit, with the names of the memory
 * engine's specification (ENG-09). Read-only.
 */
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import type { Identifiers } from '#core/identifiers.ts';
import { OPERATIONS } from '../operations/table.ts';
import type { ApiPorts } from '../api-ports.ts';
import { authorize, mayReadSession, type Principal } from '../authorize.ts';

export const CONTEXT_PATH = '/v1/memory/context';

const DEFAULT_TENANT = 'default';
/** By parameter name: the identifier that it sets. */
const IDENTIFIERS = {
  chat_id: 'sessionId',
  user_id: 'userId',
  agent_id: 'agentId',
  project_id: 'projectId',
  team_id: 'teamId',
  org_id: 'orgId',
  company_id: 'companyId',
} as const satisfies Record<string, keyof Identifiers>;

const id = z.string().min(1).optional();

export const ContextPreviewQuery = z.strictObject({
  chat_id: z.string().min(1).describe('The session. Its own identifiers are taken where known.'),
  query: z.string().min(1).describe('What the agent is asked.'),
  max_tokens: z.coerce
    .number('expected a whole number of at least 1')
    .int('expected a whole number of at least 1')
    .min(1, 'expected a whole number of at least 1')
    .optional()
    .describe('A whole number; capped by the policy of the tenant, whose value is the default.'),
  tenant: z.string().min(1).default(DEFAULT_TENANT),
  user_id: id,
  agent_id: id,
  project_id: id,
  team_id: id,
  org_id: id,
  company_id: id,
});

export const ContextPreview = z.object({
  budget: z.object({
    requested: z.number().nullable(),
    applied: z.number(),
    estimated_used: z.number().describe('Never above `applied`.'),
  }),
  sources: z
    .object({
      hot_turns: z.number(),
      past_turns: z.number(),
      summaries: z.number(),
      entities: z.number(),
    })
    .describe('Parts of the context by layer.'),
  context: z.string(),
});
type ContextPreview = z.output<typeof ContextPreview>;

/** Kinds of parts, by the count that includes them. */
const COUNTED = {
  hot_turns: ['hotTurn'],
  past_turns: ['pastTurn'],
  summaries: ['sessionSummary', 'layerSummary'],
  entities: ['relatedEntity'],
} as const;

/**
 * Assembles the context for the parameters of a query string.
 * @throws VarveError INVALID_INPUT for a missing or unknown parameter, or an invalid value
 */
export async function contextPreview(
  ports: ApiPorts,
  principal: Principal,
  search: URLSearchParams,
): Promise<ContextPreview> {
  const asked = ContextPreviewQuery.safeParse(Object.fromEntries(search));
  if (!asked.success) throw new VarveError('INVALID_INPUT', problemOf(asked.error));
  const { tenant, query, max_tokens: maxTokens } = asked.data;
  authorize(principal, { tenant });
  const named: Identifiers = Object.fromEntries(
    Object.entries(IDENTIFIERS).flatMap(([parameter, name]) => {
      const value = asked.data[parameter as keyof typeof IDENTIFIERS];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  const session = await ports.store.sessions.get(tenant, asked.data.chat_id);
  const own = session !== null && mayReadSession(principal, session) ? session.identifiers : {};
  const input = OPERATIONS.context.assemble.input.safeParse({
    tenant,
    query,
    identifiers: { ...own, ...named },
    maxTokens,
  });
  if (!input.success) throw new VarveError('INVALID_INPUT', problemOf(input.error));
  const { text, budget, receipt } = await OPERATIONS.context.assemble.run(
    ports,
    principal,
    input.data,
  );
  const included = receipt.filter((line) => line.included).map(({ kind }) => kind);
  const count = (kinds: readonly string[]) =>
    included.filter((kind) => kinds.includes(kind)).length;
  return {
    budget: {
      requested: budget.requested,
      applied: budget.applied,
      estimated_used: budget.estimatedUsed,
    },
    sources: {
      hot_turns: count(COUNTED.hot_turns),
      past_turns: count(COUNTED.past_turns),
      summaries: count(COUNTED.summaries),
      entities: count(COUNTED.entities),
    },
    context: text,
  };
}

function problemOf({ issues: [issue] }: z.ZodError): string {
  const where = issue?.path.join('.') ?? '';
  const what = issue?.message ?? 'expected other parameters';
  return `${where === '' ? 'query' : where}: ${what}. It takes chat_id and query at least.`;
}
