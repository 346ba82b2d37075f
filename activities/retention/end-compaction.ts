/** Activity: the event of a compaction that did something, with counts. Repeatable. */
import { hasCompacted, type CompactEndInput } from '#core/retention/retention-contract.ts';
import { policyToRefreshBy } from '#core/policy/tenant-policy.ts';
import type { RetentionPorts } from './compact-session.ts';

export async function endCompaction(
  { store, platform }: Pick<RetentionPorts, 'store' | 'platform'>,
  { tenant, eventId, totals }: CompactEndInput,
): Promise<void> {
  if (!hasCompacted(totals)) return;
  platform.log.info({ tenant, ...totals }, 'old turns compacted');
  // Of a tenant that was let go of meanwhile nothing new is written.
  if ((await policyToRefreshBy(store.policies, tenant)) === null) return;
  await store.events.append({
    tenant,
    id: eventId,
    at: platform.clock(),
    type: 'memory_compaction_completed',
    attributes: { ...totals },
  });
}
