/** A change of a subject's record, by compare-and-set. */
import { VarveError } from '#core/errors.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import type { DreamPorts } from './dream-ports.ts';

/** Writers that may come in between: whoever appends a block is one, and appends are short. */
const WRITE_TRIES_MAX = 8;

/**
 * Writes what `change` makes of the record; null leaves it as it is. Nothing for a subject that is
 * no more.
 * @throws VarveError CONFLICT, retryable, where others write all the time
 */
export async function changeSubject(
  { store }: Pick<DreamPorts, 'store'>,
  { tenant, subjectId }: { readonly tenant: string; readonly subjectId: string },
  change: (record: SubjectRecord) => Omit<SubjectRecord, 'version'> | null,
): Promise<void> {
  for (let tries = 0; tries < WRITE_TRIES_MAX; tries += 1) {
    const record = await store.subjects.byId(tenant, subjectId);
    const changed = record === null ? null : change(record);
    if (record === null || changed === null) return;
    if (await store.subjects.put({ ...changed, version: record.version + 1 })) return;
  }
  throw new VarveError('CONFLICT', 'The record of a subject changes all the time; try again.', {
    details: { tenant, subjectId },
  });
}
