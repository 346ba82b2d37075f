/** The subjects of a tenant: who has a Markdown memory. */
import type { Announcement } from '#core/ports/document-records.ts';
import type { SubjectRecords } from '#core/ports/subject-records.ts';
import type { Document } from '#core/records/document.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { keysBetween } from '#core/subject.ts';
import { announced, announcedAtOf, idTaken } from '#core/subject-announcement.ts';

import { decodeRecord, encodeRecord, keyOf, type Fields } from './record-document.ts';
import { byId, type Table } from './table.ts';

export interface SubjectDocument {
  readonly _id: Pick<SubjectRecord, 'tenant' | 'subject'>;
  readonly record: Fields & { readonly version: number };
}

export type SubjectDocuments = Table<SubjectDocument>;

type Block = Pick<Document, 'tenant' | 'subject' | 'at'>;

/** A subject is made by one of its writers, and is there for the next try of the others. */
const ANNOUNCE_TRIES_MAX = 2;

const SHAPE = { name: 'subjects', key: ['tenant', 'subject'] } as const;

export function subjectRecords(subjects: SubjectDocuments): SubjectRecords {
  return {
    async get(tenant, subject) {
      const found = await subjects.first(byId(keyOf(SHAPE, { tenant, subject })));
      return found === null ? null : decode(found);
    },
    async byId(tenant, subjectId) {
      const found = await subjects.first({ '_id.tenant': tenant, 'record.subjectId': subjectId });
      return found === null ? null : decode(found);
    },
    async list(tenant, { after, limit, kind, hasNew }) {
      const keys = keysBetween(after, kind);
      const until = keys.before === null ? {} : { $lt: keys.before };
      const asked = {
        '_id.tenant': tenant,
        '_id.subject': { $gt: keys.after, ...until },
        ...(hasNew === undefined ? {} : { 'record.hasNew': hasNew }),
      };
      return (await subjects.select(asked, { sort: { '_id.subject': 1 }, limit })).map(decode);
    },
    async put(record) {
      const document = encode(record);
      if (record.version === 1) return subjects.insert(document);
      const before = { ...byId(document._id), 'record.version': record.version - 1 };
      return subjects.replace(before, document);
    },
  };
}

/** Says of the block's subject that it has something new, before the block is there. */
export async function announceSubject(
  subjects: SubjectDocuments,
  block: Block,
  announcement: Announcement,
): Promise<void> {
  const announcedAt = announcedAtOf(block, announcement);
  const change = { ...asNew(), $max: { 'record.announcedAt': announcedAt } };
  for (let tries = 0; tries < ANNOUNCE_TRIES_MAX; tries += 1) {
    if (await subjects.update(byId(idOf(block)), change)) return;
    if (await subjects.insert(encode(announced(null, block, announcement)))) return;
  }
  throw idTaken();
}

/** Says it again once the block is there, where a dream was done before that. */
export async function reannounceSubject(subjects: SubjectDocuments, block: Block): Promise<void> {
  await subjects.update({ ...byId(idOf(block)), 'record.hasNew': false }, asNew());
}

function asNew() {
  return { $set: { 'record.hasNew': true }, $inc: { 'record.version': 1 } };
}

function idOf({ tenant, subject }: Block): SubjectDocument['_id'] {
  return keyOf<SubjectRecord>(SHAPE, { tenant, subject }) as SubjectDocument['_id'];
}

function encode(subject: SubjectRecord): SubjectDocument {
  const { record } = encodeRecord<SubjectRecord>(SHAPE, subject);
  const _id = keyOf<SubjectRecord>(SHAPE, subject) as SubjectDocument['_id'];
  return { _id, record: { ...record, version: subject.version } };
}

function decode(document: SubjectDocument): SubjectRecord {
  return decodeRecord<SubjectRecord>(SHAPE, document);
}
