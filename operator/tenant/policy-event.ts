/**
 * The event that reports each policy that came into force. Its id follows from the record, so
 * whoever finds it missing, since a process died after the record, puts it and never puts it twice.
 */
import { derivedId } from '#core/events/derived-id.ts';
import type { Digest } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import type { EventRecord } from '#core/records/event.ts';
import type { PolicyRecord } from '#core/records/policy-record.ts';

/** For how long a missing one is still put: as long as any outage; older ones may be cleared. */
const OWED_MS = 7 * 24 * 60 * 60_000;

/** The event of a policy, the same one each time it is asked for. */
export function policyEvent(record: PolicyRecord, digest: Digest): EventRecord {
  const { tenant, generation, hash, owner, appliedAt } = record;
  return {
    tenant,
    id: derivedId(digest, appliedAt, [tenant, generation, owner.uid, hash]),
    at: appliedAt,
    type: 'memory_policy_applied',
    attributes: { generation, hash, owner: owner.uid },
  };
}

/**
 * Puts the event where it is not there, and only reads where it is. To be asked once by
 * each process for each policy: a follower that went past its time sees it only in a new listing.
 */
export async function ensurePolicyEvent(
  record: PolicyRecord,
  { events }: Pick<Store, 'events'>,
  { digest, now }: { readonly digest: Digest; readonly now: number },
): Promise<void> {
  if (now - record.appliedAt > OWED_MS) return;
  const event = policyEvent(record, digest);
  const justBefore = event.id.slice(0, -1);
  const [found] = await events.list(record.tenant, { afterId: justBefore, limit: 1 });
  if (found?.id !== event.id) await events.append(event);
}
