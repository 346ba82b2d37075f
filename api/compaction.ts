/** Procedures: take the text of a tenant's old turns, or say what would go; and what went. */
import type { CompactionTotals } from '#core/retention/retention-contract.ts';
import { policyToWriteBy } from '#core/tenant-policy.ts';
import { CompactMemory, CompactionStatus } from './inputs.ts';
import { parseInput } from './parse.ts';
import type { ApiPorts } from './ports.ts';
import { authorizeTenant, type Principal } from './principal.ts';

export interface CompactionShown {
  /** `Preview`: nothing was written. `Started` and `UnderWay`: a durable run works on it. */
  readonly state: 'Preview' | 'Started' | 'UnderWay' | 'Done';
  /** What went, or what would go; null where a run is at it: `memory.compactionStatus` tells. */
  readonly counts: CompactionTotals | null;
}

/** @throws VarveError INVALID_INPUT, PROVIDER_ERROR, FORBIDDEN for a bound principal */
export async function compactMemory(
  { compactions, store }: ApiPorts,
  principal: Principal,
  input: unknown,
): Promise<CompactionShown> {
  const { tenant, dryRun } = parseInput(CompactMemory, input);
  authorizeTenant(principal, tenant);
  if (dryRun) return { state: 'Preview', counts: await compactions.preview(tenant) };
  // Of a tenant that nobody declares any more nothing is taken: it says so.
  await policyToWriteBy(store.policies, tenant);
  const answer = await compactions.run(tenant);
  return { state: answer.kind, counts: answer.kind === 'Done' ? answer.totals : null };
}

export interface CompactionStatusAnswer {
  /** `Never` where no durable run is known: none was begun, or it is long over. */
  readonly state: 'Never' | 'UnderWay' | 'Done' | 'Failed';
  /** What the last run took, once it is done; else null. */
  readonly counts: CompactionTotals | null;
}

/** @throws VarveError INVALID_INPUT, PROVIDER_ERROR, FORBIDDEN for a bound principal */
export async function compactionStatus(
  { compactions }: Pick<ApiPorts, 'compactions'>,
  principal: Principal,
  input: unknown,
): Promise<CompactionStatusAnswer> {
  const { tenant } = parseInput(CompactionStatus, input);
  authorizeTenant(principal, tenant);
  const run = await compactions.last(tenant);
  if (run === null) return { state: 'Never', counts: null };
  return { state: run.state, counts: run.state === 'Done' ? run.totals : null };
}
