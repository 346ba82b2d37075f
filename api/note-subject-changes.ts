/** What operations on memory files share: changes of the subject's record, by compare-and-set. */
import { markedNewAgain } from '#core/dreams/whether-to-dream.ts';
import { changeRecord } from '#core/change-record.ts';
import type { Proposal } from '#core/records/proposal.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { unwrittenSubject } from '#core/dreams/announce-daily-blocks.ts';
import { subjectKey, type Subject } from '#core/subject.ts';
import { tombstonesAfter } from '#core/memory-files/edited-lines.ts';
import type { ApiPorts } from './api-ports.ts';

/** Maximum tries against concurrent writers, before the caller has to try again. */
const WRITE_TRIES_MAX = 8;

/** A subject of a tenant, in the form in which records name it. */
export interface SubjectPlace {
  readonly tenant: string;
  /** The result of `subjectKey`. */
  readonly subject: string;
}

export function subjectPlace({
  tenant,
  subject,
}: {
  tenant: string;
  subject: Subject;
}): SubjectPlace {
  return { tenant, subject: subjectKey(subject) };
}

/** Notes lines that no dream may bring back, and forgets those that are in MEMORY.md again. */
export async function noteTombstones(
  ports: Pick<ApiPorts, 'store' | 'platform'>,
  place: SubjectPlace,
  edit: Parameters<typeof tombstonesAfter>[1],
): Promise<void> {
  const { newId, digest } = ports.platform;
  await changeSubject(ports, place, (before) => {
    // A caller may write MEMORY.md before the first daily block.
    const record = before ?? unwrittenSubject(place, newId());
    return { ...record, tombstones: [...tombstonesAfter(record.tombstones, edit, digest)] };
  });
}

/** Makes what an outdated proposal was based on count as new again, unless the subject is gone. */
export async function noteOutdated(
  ports: Pick<ApiPorts, 'store'>,
  place: SubjectPlace,
  proposal: Pick<Proposal, 'contentHash'>,
): Promise<void> {
  await changeSubject(ports, place, (record) =>
    record === null ? null : markedNewAgain(record, proposal),
  );
}

/**
 * Writes what `change` returns for the record, which is null if there is none. If it returns null,
 * nothing is written.
 * @throws VarveError CONFLICT if others keep writing the record
 */
async function changeSubject(
  { store }: Pick<ApiPorts, 'store'>,
  { tenant, subject }: SubjectPlace,
  change: (record: SubjectRecord | null) => SubjectRecord | null,
): Promise<void> {
  await changeRecord(
    {
      read: () => store.subjects.get(tenant, subject),
      change,
      write: (changed) => store.subjects.put({ ...changed, version: changed.version + 1 }),
    },
    { triesMax: WRITE_TRIES_MAX, message: 'Others are changing this memory; try again.' },
  );
}
