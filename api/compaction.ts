/** Procedures: take the text of a tenant's old turns, or say what would go; and what went. */
import { policyToWriteBy } from '#core/policy/tenant-policy.ts';
import type { ApiPorts } from './ports.ts';
import { authorizeTenant, type Principal } from './principal.ts';
import type {
  CompactionShown,
  CompactionStatus,
  CompactionStatusAnswer,
  CompactMemory,
} from './schemas/conversation.ts';

/** @throws VarveError INVALID_INPUT, PROVIDER_ERROR, FORBIDDEN for a bound principal */
export async function compactMemory(
  { compactions, store }: ApiPorts,
  principal: Principal,
  { tenant, dryRun }: CompactMemory,
): Promise<CompactionShown> {
  authorizeTenant(principal, tenant);
  if (dryRun) return { state: 'Preview', counts: await compactions.preview(tenant) };
  // Nothing is taken from a tenant that is no longer declared: the answer says so.
  await policyToWriteBy(store.policies, tenant);
  const answer = await compactions.run(tenant);
  return { state: answer.kind, counts: answer.kind === 'Done' ? answer.totals : null };
}

/** @throws VarveError INVALID_INPUT, PROVIDER_ERROR, FORBIDDEN for a bound principal */
export async function compactionStatus(
  { compactions }: Pick<ApiPorts, 'compactions'>,
  principal: Principal,
  { tenant }: CompactionStatus,
): Promise<CompactionStatusAnswer> {
  authorizeTenant(principal, tenant);
  const run = await compactions.last(tenant);
  if (run === null) return { state: 'Never', counts: null };
  return { state: run.state, counts: run.state === 'Done' ? run.totals : null };
}
