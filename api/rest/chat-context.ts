/** `GET /v1/memory/context`: the context of a chat, with the field names of ENG-09. Read-only. */
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { Identifiers } from '#core/identifiers.ts';
import { OPERATIONS } from '../operations/table.ts';
import type { ApiPorts } from '../api-ports.ts';
import { authorize, mayReadSession, type Principal } from '../principal.ts';
import { parseInput } from '../parse-input.ts';
import { Query, Tenant } from '../schemas/shared-fields.ts';

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

const WHOLE_NUMBER = 'expected a whole number of at least 1';
const { sessionId, userId, agentId, projectId, teamId, orgId, companyId } = Identifiers.shape;

export const ContextPreviewQuery = z.strictObject({
  chat_id: sessionId
    .unwrap()
    .describe('The session. Its own identifiers are used if they are known.'),
  query: Query.describe('The question to the agent.'),
  max_tokens: z.coerce
    .number(WHOLE_NUMBER)
    .int(WHOLE_NUMBER)
    .min(1, WHOLE_NUMBER)
    .optional()
    .describe('A whole number; capped by the policy of the tenant, whose value is the default.'),
  tenant: Tenant.default(DEFAULT_TENANT),
  user_id: userId,
  agent_id: agentId,
  project_id: projectId,
  team_id: teamId,
  org_id: orgId,
  company_id: companyId,
});

export const ContextPreview = z.object({
  budget: z.object({
    requested: z.int().nullable(),
    applied: z.int(),
    estimated_used: z.int().describe('Never above `applied`.'),
  }),
  sources: z
    .object({
      hot_turns: z.int(),
      past_turns: z.int(),
      summaries: z.int(),
      entities: z.int(),
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
  const asked = askedBy(search);
  const { tenant, query, max_tokens: maxTokens } = asked;
  authorize(principal, { tenant });
  const named: Identifiers = Object.fromEntries(
    Object.entries(IDENTIFIERS).flatMap(([parameter, name]) => {
      const value = asked[parameter as keyof typeof IDENTIFIERS];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
  const session = await ports.store.sessions.get(tenant, asked.chat_id);
  const own = session !== null && mayReadSession(principal, session) ? session.identifiers : {};
  const identifiers = { ...own, ...named };
  const { assemble } = OPERATIONS.context;
  const input = parseInput(assemble.input, { tenant, query, identifiers, maxTokens });
  const { text, budget, receipt } = await assemble.run(ports, principal, input);
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

const NEXT = `call ${CONTEXT_PATH}?chat_id=…&query=…, with a question in words`;

/** @throws VarveError INVALID_INPUT, with the whole call as the next step */
function askedBy(search: URLSearchParams): z.output<typeof ContextPreviewQuery> {
  try {
    return parseInput(ContextPreviewQuery, Object.fromEntries(search));
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    const { code, message, details } = error;
    throw new VarveError(code, `${message}; ${NEXT}.`, { details });
  }
}
