/** Procedure: takes the text of a tenant's old turns now, or says what would go. */
import type { CompactionTotals } from '#core/retention/retention-contract.ts';
import { policyToWriteBy } from '#core/tenant-policy.ts';
import { CompactMemory } from './inputs.ts';
import { parseInput } from './parse.ts';
import type { ApiPorts } from './ports.ts';
import { authorizeTenant, type Principal } from './principal.ts';

export interface CompactionShown {
  /** `Preview`: nothing was written. `Started` and `UnderWay`: a durable run works on it. */
  readonly state: 'Preview' | 'Started' | 'UnderWay' | 'Done';
  /** What went, or what would go; null where a run is at it: its event tells. */
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
