/**
 * Step of the tick: has applied what was approved and is not applied yet. Whoever approved it may
 * have died before the run was started, or Temporal was away, or the run was terminated.
 *
 * Guarantees: the proposal in the store is what is owed, and a run only its executor; each one that
 * is looked at goes to the back of the queue first, so that one which cannot be applied, or whose
 * tenant was let go of, holds up no other.
 */
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { Proposal } from '#core/records/proposal.ts';
import { policyToRefreshBy } from '#core/policy/tenant-policy.ts';
import type { DreamPorts } from './dream-ports.ts';

/** Whoever approves starts the run at once, and it ends within seconds: older ones were lost. */
const APPLY_AFTER_MS = 60_000;
/** A start without an answer takes five seconds, and the tick has two minutes. */
const PROPOSALS_PER_TICK_MAX = 20;

type Ports = Pick<DreamPorts, 'store' | 'platform'>;

/** One that cannot be started is logged by its id, and left to a later tick. */
export async function applyApproved(ports: Ports, runs: Pick<DreamRuns, 'apply'>): Promise<void> {
  const { store, platform } = ports;
  const before = platform.clock() - APPLY_AFTER_MS;
  const owed = await store.proposals.approved({ before, limit: PROPOSALS_PER_TICK_MAX });
  for (const proposal of owed) {
    const { tenant, id: proposalId } = proposal;
    try {
      if (await isToApply(ports, proposal)) await runs.apply({ tenant, proposalId });
    } catch (error) {
      const found = { tenant, proposalId, error };
      platform.log.warn(found, 'approved proposal not applied; a later tick retries');
    }
  }
}

/** False as well where another tick asks for it, or it was applied meanwhile. */
async function isToApply({ store, platform }: Ports, proposal: Proposal): Promise<boolean> {
  const asked = { ...proposal, askedAt: platform.clock(), version: proposal.version + 1 };
  if (!(await store.proposals.put(asked))) return false;
  return (await policyToRefreshBy(store.policies, proposal.tenant)) !== null;
}
