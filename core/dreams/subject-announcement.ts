/** The announcement of a daily block: its subject has something new before the block is there. */
import { VarveError } from '../errors.ts';
import type { Announcement } from '../ports/document-records.ts';
import type { Document } from '../records/document.ts';
import type { SubjectRecord } from '../records/subject-record.ts';

/** Whether a dream reads blocks of this kind, so that they are announced. */
export function isAnnounced({ kind }: Pick<Document, 'kind'>): boolean {
  return kind === 'Daily';
}

/** The record of the block's subject once it is announced; a new one where there was none. */
export function announced(
  before: SubjectRecord | null,
  block: Pick<Document, 'tenant' | 'subject' | 'at'>,
  announcement: Announcement,
): SubjectRecord {
  const { tenant, subject } = block;
  const at = announcedAtOf(block, announcement);
  const known = before ?? unwrittenSubject({ tenant, subject }, announcement.subjectId);
  const announcedAt = Math.max(known.announcedAt, at);
  return { ...known, hasNew: true, announcedAt, version: known.version + 1 };
}

/** The record of a subject that has none, before its first change is written as version 1. */
export function unwrittenSubject(
  { tenant, subject }: Pick<SubjectRecord, 'tenant' | 'subject'>,
  subjectId: string,
): SubjectRecord {
  return {
    tenant,
    subject,
    subjectId,
    hasNew: false,
    announcedAt: 0,
    processedHash: null,
    tombstones: [],
    refused: null,
    last: null,
    version: 0,
  };
}

/** When a block is announced. */
export function announcedAtOf(
  { at }: Pick<Document, 'at'>,
  { announcedAt = at }: Announcement,
): number {
  return announcedAt;
}

/** The failure of an announcement by an id that is another subject's. */
export function idTaken(): VarveError {
  return new VarveError('CONFLICT', 'Another subject has the given id; give it a new one.');
}
