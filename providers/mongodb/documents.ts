/**
 * Documents of the Markdown tiers: blocks in the order of their numbers, and whole versions.
 *
 * Flow of an append: the subject is announced; the block takes the number after the last one, or,
 * where another writer was faster, the next one again; the subject is announced once more where a
 * dream was done with it in between.
 * Guarantees: a number is taken by the insert of its block alone, so that there are no gaps; a
 * block of a key is inserted once. A death leaves at most an announcement without a block.
 */
import { VarveError } from '#core/errors.ts';
import type { Announcement, AppendResult, DocumentRecords } from '#core/ports/document-records.ts';
import type { Document } from '#core/records/document.ts';
import { isAnnounced } from '#core/subject-announcement.ts';

import type { InTurn } from './in-turn.ts';
import { decodeRecord, encodeRecord, keyOf, type Fields } from './record-document.ts';
import { announceSubject, reannounceSubject, type SubjectDocuments } from './subjects.ts';
import { byId, type Table } from './table.ts';

export interface DocumentDocument {
  readonly _id: Pick<Document, 'tenant' | 'subject' | 'path' | 'version'>;
  readonly record: Fields;
  /** What no other document of its file has: the key, or else the number. */
  readonly slot: string;
}

export interface DocumentTables {
  readonly documents: Table<DocumentDocument>;
  readonly subjects: SubjectDocuments;
  readonly inTurn: InTurn;
}

type Place = Pick<Document, 'tenant' | 'subject' | 'path'>;
type Block = Omit<Document, 'version'>;

/** Tries against writers of other processes; those of one process wait for each other. */
const APPEND_TRIES_MAX = 32;
/** Blocks marked by one command. */
const MARKED_AT_ONCE_MAX = 500;

const SHAPE = { name: 'documents', key: ['tenant', 'subject', 'path', 'version'] } as const;
const BY_NUMBER = { '_id.version': 1 } as const;

export function documentRecords(tables: DocumentTables): DocumentRecords {
  const { documents } = tables;
  return {
    append: (block, announcement) => appendBlock(tables, block, announcement),
    put: (document) => documents.insert(encode(document)),
    async latest(place) {
      const found = await documents.first(ofFile(place), { '_id.version': -1 });
      return found === null ? null : decode(found);
    },
    async get({ tenant, subject, path, version }) {
      const id = keyOf<Document>(SHAPE, { tenant, subject, path, version });
      const found = await documents.first(byId(id));
      return found === null ? null : decode(found);
    },
    async list(place, { after, limit }) {
      const later = { ...ofFile(place), '_id.version': { $gt: after } };
      return (await documents.select(later, { sort: BY_NUMBER, limit })).map(decode);
    },
    async paths({ tenant, subject }, { after, limit }) {
      // Every file has a first version.
      const first = { '_id.path': { $gt: after }, '_id.version': 1 };
      const ofSubject = { '_id.tenant': tenant, '_id.subject': subject, ...first };
      const selection = { sort: { '_id.path': 1 }, limit, fields: ['_id'] } as const;
      return (await documents.select(ofSubject, selection)).map(({ _id }) => _id.path);
    },
    async markDreamed(subject, blocks, dreamedAt) {
      for (let at = 0; at < blocks.length; at += MARKED_AT_ONCE_MAX) {
        const some = blocks.slice(at, at + MARKED_AT_ONCE_MAX);
        await documents.writeMany(some.map((block) => mark({ ...subject, ...block }, dreamedAt)));
      }
    },
  };
}

async function appendBlock(
  tables: DocumentTables,
  block: Block,
  announcement: Announcement,
): Promise<AppendResult> {
  const { tenant, subject, path } = block;
  const file = JSON.stringify(['documents', tenant, subject, path]);
  return tables.inTurn(file, async () => {
    const same = await withKeyOf(tables, block);
    if (same !== null) return same;
    if (!isAnnounced(block)) return insertBlock(tables, block);
    await announceSubject(tables.subjects, block, announcement);
    const result = await insertBlock(tables, block);
    await reannounceSubject(tables.subjects, block);
    return result;
  });
}

async function insertBlock(tables: DocumentTables, block: Block): Promise<AppendResult> {
  const { documents } = tables;
  for (let tries = 0; tries < APPEND_TRIES_MAX; tries += 1) {
    const last = await documents.first(ofFile(block), { '_id.version': -1 });
    const document = { ...block, version: (last?._id.version ?? 0) + 1 };
    if (await documents.insert(encode(document))) return { document, isNew: true };
    const same = await withKeyOf(tables, block);
    if (same !== null) return same;
  }
  throw new VarveError('CONFLICT', 'Others kept appending to the file; try again.');
}

async function withKeyOf(
  { documents }: DocumentTables,
  block: Block,
): Promise<AppendResult | null> {
  if (block.key === null) return null;
  const found = await documents.first({ ...ofFile(block), slot: keySlot(block.key) });
  return found === null ? null : { document: decode(found), isNew: false };
}

function mark({ tenant, subject, path, version }: DocumentDocument['_id'], dreamedAt: number) {
  const id = keyOf<Document>(SHAPE, { tenant, subject, path, version });
  const undreamed = { 'record.kind': 'Daily', 'record.dreamedAt': null };
  return {
    condition: { ...byId(id), ...undreamed },
    change: { $set: { 'record.dreamedAt': dreamedAt } },
  };
}

function ofFile({ tenant, subject, path }: Place): Record<string, unknown> {
  return { '_id.tenant': tenant, '_id.subject': subject, '_id.path': path };
}

function encode(document: Document): DocumentDocument {
  const { record } = encodeRecord<Document>(SHAPE, document);
  const { key, version } = document;
  const _id = keyOf<Document>(SHAPE, document) as DocumentDocument['_id'];
  return { _id, record, slot: key === null ? `number/${version}` : keySlot(key) };
}

function keySlot(key: string): string {
  return `key/${key}`;
}

function decode(document: DocumentDocument): Document {
  return decodeRecord<Document>(SHAPE, document);
}
