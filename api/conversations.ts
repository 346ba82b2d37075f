/** Procedures on conversations: the turns of a session. */
import { contentHash } from '#core/hash.ts';
import { policyToWriteBy } from '#core/tenant-policy.ts';
import { AppendTurns } from './inputs.ts';
import { parseInput } from './parse.ts';
import type { ApiPorts } from './ports.ts';
import { authorize, type Principal } from './principal.ts';
import { wakeIfDue, writeRules } from './writes.ts';

/** Appends turns in their order; a turn whose id the session already has is left as it is. */
export async function appendTurns(
  ports: ApiPorts,
  principal: Principal,
  input: unknown,
): Promise<{ readonly appended: number }> {
  const { tenant, sessionId, turns } = parseInput(AppendTurns, input);
  authorize(principal, { tenant, identifiers: { sessionId } });
  const { store, platform, tokens } = ports;
  const policy = await policyToWriteBy(store.policies, tenant);
  const now = platform.clock();
  const records = turns.map((turn) => ({
    tenant,
    sessionId,
    id: turn.id ?? platform.newId(),
    role: turn.role,
    speaker: turn.speaker ?? null,
    content: turn.content,
    contentHash: contentHash(platform.digest, turn.content),
    at: turn.at ?? now,
    tokenCount: tokens.count(turn.content),
    trust: 'stated' as const,
    toolCalls: [],
    flushId: null,
    compactedAt: null,
    quotes: [],
  }));
  const { appended, scope } = await store.turns.append(records, writeRules(policy, 'session', now));
  if (appended > 0) await wakeIfDue(ports, scope);
  return { appended };
}
