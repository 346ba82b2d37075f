/**
 * The event that reports each policy that came into force. Its id follows from the record, so
 * whoever finds it missing, since a process died after the record, puts it and never puts it twice.
 */
import type { Digest } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import type { EventRecord } from '#core/records/event.ts';
import type { PolicyRecord } from '#core/records/policy-record.ts';

/** For how long a missing one is still put: as long as any outage; older ones may be cleared. */
const OWED_MS = 7 * 24 * 60 * 60_000;
const TIME_DIGITS = 12;

/** The event of a policy, the same one each time it is asked for. */
export function policyEvent(record: PolicyRecord, digest: Digest): EventRecord {
  const { tenant, generation, hash, owner, appliedAt } = record;
  return {
    tenant,
    id: idAt(appliedAt, digest(JSON.stringify([tenant, generation, owner.uid, hash]))),
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

/** A UUIDv7 (RFC 9562, 5.7) of a time, whose random part is that of a digest. */
function idAt(time: number, digits: string): string {
  const at = time.toString(16).padStart(TIME_DIGITS, '0');
  // Version 7 and the variant take the first digit of their groups.
  const random = `7${digits.slice(0, 3)}-8${digits.slice(3, 6)}-${digits.slice(6, 18)}`;
  return `${at.slice(0, 8)}-${at.slice(8)}-${random}`;
}
