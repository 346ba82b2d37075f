/** Documents of the Markdown tiers: blocks in the order of their numbers, and whole versions. */
import type { Announcement, AppendResult, DocumentRecords } from '#core/ports/document-records.ts';
import type { Document } from '#core/records/document.ts';
import { announced, isAnnounced } from '#core/subject-announcement.ts';

import type { Connection } from './connection.ts';
import { recordTable, type RecordTable } from './record-table.ts';
import { subjectTable, type SubjectTable } from './subjects.ts';

interface Tables {
  readonly documents: RecordTable<Document>;
  readonly subjects: SubjectTable;
}

/** Blocks marked in one transaction: others write in between. */
const MARKED_AT_ONCE_MAX = 500;

const OF_FILE = 'tenant = ? AND subject = ? AND path = ?';

export function documentRecords(connection: Connection): DocumentRecords {
  const tables = { documents: documentTable(connection), subjects: subjectTable(connection) };
  const { documents } = tables;
  return {
    append: (block, announcement) =>
      connection.write(() => appendBlock(tables, block, announcement)),
    put: (document) => connection.write(() => documents.insertNew(document)),
    latest: (place) => connection.readOne(() => latestOf(documents, place)),
    get: ({ tenant, subject, path, version }) =>
      connection.readOne(() => documents.find(tenant, subject, path, version)),
    list: ({ tenant, subject, path }, { after, limit }) =>
      connection.readOne(() =>
        documents.select(`${OF_FILE} AND version > ? ORDER BY version LIMIT ?`, [
          tenant,
          subject,
          path,
          after,
          limit,
        ]),
      ),
    paths: ({ tenant, subject }, { after, limit }) =>
      connection.readOne(() =>
        connection
          .all(
            `SELECT DISTINCT path FROM documents
             WHERE tenant = ? AND subject = ? AND path > ? ORDER BY path LIMIT ?`,
            [tenant, subject, after, limit],
          )
          .map((row) => String(row['path'])),
      ),
    async markDreamed({ tenant, subject }, blocks, dreamedAt) {
      for (let at = 0; at < blocks.length; at += MARKED_AT_ONCE_MAX) {
        await connection.write(() => {
          for (const { path, version } of blocks.slice(at, at + MARKED_AT_ONCE_MAX)) {
            connection.run(
              `UPDATE documents SET dreamed_at = ?
               WHERE ${OF_FILE} AND version = ? AND kind = 'Daily' AND dreamed_at IS NULL`,
              [dreamedAt, tenant, subject, path, version],
            );
          }
        });
      }
    },
  };
}

function documentTable(connection: Connection): RecordTable<Document> {
  return recordTable<Document>(connection, {
    name: 'documents',
    key: ['tenant', 'subject', 'path', 'version'],
    columns: {
      tenant: 'tenant',
      subject: 'subject',
      path: 'path',
      version: 'version',
      id: 'id',
      kind: 'kind',
      key: 'key',
      at: 'at',
      dreamed_at: 'dreamedAt',
    },
  });
}

function appendBlock(
  { documents, subjects }: Tables,
  block: Omit<Document, 'version'>,
  announcement: Announcement,
): AppendResult {
  const { tenant, subject, path, key } = block;
  if (key !== null) {
    const [same] = documents.select(`${OF_FILE} AND key = ?`, [tenant, subject, path, key]);
    if (same !== undefined) return { document: same, isNew: false };
  }
  if (isAnnounced(block)) {
    subjects.put(announced(subjects.find(tenant, subject), block, announcement));
  }
  const document = { ...block, version: (latestOf(documents, block)?.version ?? 0) + 1 };
  documents.insert(document);
  return { document, isNew: true };
}

function latestOf(
  documents: RecordTable<Document>,
  { tenant, subject, path }: Pick<Document, 'tenant' | 'subject' | 'path'>,
): Document | null {
  const last = `${OF_FILE} ORDER BY version DESC LIMIT 1`;
  return documents.select(last, [tenant, subject, path])[0] ?? null;
}
