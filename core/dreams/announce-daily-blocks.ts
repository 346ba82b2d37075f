/** Announces daily blocks: a subject is marked as having something new before the block exists. */
import { VarveError } from '../errors.ts';
import type { BlockAnnouncement } from '../ports/document-records.ts';
import type { Document } from '../records/document.ts';
import type { SubjectRecord } from '../records/subject-record.ts';

/** Whether blocks of this kind are announced, because dreams read them. */
export function isAnnounced({ kind }: Pick<Document, 'kind'>): boolean {
  return kind === 'Daily';
}

/** Returns the subject's record after the announcement of a block; a new one if there was none. */
export function announceBlock(
  before: SubjectRecord | null,
  block: Pick<Document, 'tenant' | 'subject' | 'at'>,
  announcement: BlockAnnouncement,
): SubjectRecord {
  const { tenant, subject } = block;
  const at = announcedAtOf(block, announcement);
  const known = before ?? unwrittenSubject({ tenant, subject }, announcement.subjectId);
  const announcedAt = Math.max(known.announcedAt, at);
  return { ...known, hasNew: true, announcedAt, version: known.version + 1 };
}

/** Returns a record for a subject without one, as version 0; its first change becomes version 1. */
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

/** Returns the time of an announcement; by default that of the block. */
export function announcedAtOf(
  { at }: Pick<Document, 'at'>,
  { announcedAt = at }: BlockAnnouncement,
): number {
  return announcedAt;
}

/** Returns the error for an announcement with an id that belongs to another subject. */
export function idTaken(): VarveError {
  return new VarveError('CONFLICT', 'Another subject has this id. Use a new one.');
}
