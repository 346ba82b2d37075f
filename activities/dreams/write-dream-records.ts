/** Writes the records of dreams by compare-and-set: subjects and proposals; and the ended event. */
import { changeRecord } from '#core/change-record.ts';
import { derivedId } from '#core/events/event-id.ts';
import type { Proposal } from '#core/records/proposal.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import type { DreamPorts } from './dream-ports.ts';

/** Maximum concurrent writers: each append of a block is one, and appends are short. */
const WRITE_TRIES_MAX = 8;

/**
 * Writes what `change` returns for the subject's record; null leaves the record as it is. Does
 * nothing if the subject no longer exists.
 * @throws VarveError CONFLICT, retryable, while others keep writing
 */
export async function changeSubject(
  { store }: Pick<DreamPorts, 'store'>,
  { tenant, subjectId }: { readonly tenant: string; readonly subjectId: string },
  change: (record: SubjectRecord) => SubjectRecord | null,
): Promise<void> {
  await changeRecord(
    {
      read: () => store.subjects.byId(tenant, subjectId),
      change: (record) => (record === null ? null : change(record)),
      write: (changed) => store.subjects.put({ ...changed, version: changed.version + 1 }),
    },
    {
      triesMax: WRITE_TRIES_MAX,
      message: 'The record of the subject keeps changing; try again.',
      details: { tenant, subjectId },
    },
  );
}

/** Appends the event of the dream that ended last. Repeatable: the event is appended once. */
export async function putEndedEvent(
  { store, platform }: Pick<DreamPorts, 'store' | 'platform'>,
  { tenant, subjectId }: { readonly tenant: string; readonly subjectId: string },
): Promise<void> {
  const last = (await store.subjects.byId(tenant, subjectId))?.last;
  if (!last) return;
  const { at, dreamId, outcome } = last;
  const id = derivedId(platform.digest, at, [tenant, dreamId, outcome]);
  const attributes = { dreamId, outcome };
  await store.events.append({ tenant, id, at, type: 'memory_dream_ended', attributes });
}

/** Waiting proposals of one subject; each later one replaces those before it. */
const WAITING_MAX = 100;

/** Moves a proposal to another state, unless another process changed its state meanwhile. */
export async function moveProposal(
  { store }: Pick<DreamPorts, 'store'>,
  { tenant, id, state: from }: Pick<Proposal, 'tenant' | 'id' | 'state'>,
  state: Proposal['state'],
): Promise<void> {
  await changeRecord(
    {
      read: () => store.proposals.get(tenant, id),
      change: (current) => (current?.state === from ? { ...current, state } : null),
      write: (changed) => store.proposals.put({ ...changed, version: changed.version + 1 }),
    },
    {
      triesMax: WRITE_TRIES_MAX,
      message: 'The proposal keeps changing; try again.',
      details: { tenant, proposalId: id },
    },
  );
}

/** Marks a subject's other waiting proposals Outdated, because a later one exists. */
export async function outdateWaiting(
  ports: Pick<DreamPorts, 'store'>,
  { tenant, subject, id }: Pick<Proposal, 'tenant' | 'subject' | 'id'>,
): Promise<void> {
  const query = { subject, state: 'Waiting', limit: WAITING_MAX } as const;
  for (const waiting of await ports.store.proposals.list(tenant, query)) {
    if (waiting.id !== id) await moveProposal(ports, waiting, 'Outdated');
  }
}
