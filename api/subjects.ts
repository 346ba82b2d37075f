/** What procedures on the Markdown tiers share: the subject's record, by compare-and-set. */
import { VarveError } from '#core/errors.ts';
import type { Proposal } from '#core/records/proposal.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { subjectKey, type Subject } from '#core/subject.ts';
import { tombstonesAfter } from '#core/tiers/edited-lines.ts';
import type { ApiPorts } from './ports.ts';

/** Writers that may come in between before a caller is told to try again. */
const WRITE_TRIES_MAX = 8;

/** A subject of a tenant, as records name it. */
export interface Place {
  readonly tenant: string;
  /** `subjectKey`. */
  readonly subject: string;
}

export function placeOf({ tenant, subject }: { tenant: string; subject: Subject }): Place {
  return { tenant, subject: subjectKey(subject) };
}

/** Notes what no dream may bring back, and forgets what stands in MEMORY.md again. */
export async function noteTombstones(
  ports: Pick<ApiPorts, 'store' | 'platform'>,
  place: Place,
  edit: Parameters<typeof tombstonesAfter>[1],
): Promise<void> {
  await changeSubject(ports, place, (record) => {
    const tombstones = [...tombstonesAfter(record.tombstones, edit, ports.platform.digest)];
    return { ...record, tombstones };
  });
}

/** What an outdated proposal was made of is new again, as in activities/dreams. */
export async function noteOutdated(
  ports: Pick<ApiPorts, 'store' | 'platform'>,
  place: Place,
  { contentHash }: Pick<Proposal, 'contentHash'>,
): Promise<void> {
  await changeSubject(ports, place, (record) => {
    const isSame = record.processedHash === contentHash;
    return { ...record, hasNew: true, processedHash: isSame ? null : record.processedHash };
  });
}

/**
 * Writes what `change` makes of the record; of a new one where there is none.
 * @throws VarveError CONFLICT where others write the record all the time
 */
async function changeSubject(
  { store, platform }: Pick<ApiPorts, 'store' | 'platform'>,
  { tenant, subject }: Place,
  change: (record: SubjectRecord) => SubjectRecord,
): Promise<void> {
  for (let tries = 0; tries < WRITE_TRIES_MAX; tries += 1) {
    const before = await store.subjects.get(tenant, subject);
    const changed = change(before ?? newSubject({ tenant, subject }, platform.newId()));
    const version = before === null ? 1 : before.version + 1;
    if (await store.subjects.put({ ...changed, version })) return;
  }
  throw new VarveError('CONFLICT', 'Others change this memory at the same time; try again.');
}

function newSubject(place: Place, subjectId: string): SubjectRecord {
  return {
    ...place,
    subjectId,
    hasNew: false,
    announcedAt: 0,
    processedHash: null,
    tombstones: [],
    refused: null,
    last: null,
    version: 1,
  };
}
