/** Documents of the Markdown tiers: blocks in the order of their numbers, and whole versions. */
import type { Announcement, AppendResult, DocumentRecords } from '#core/ports/document-records.ts';
import type { Document } from '#core/records/document.ts';
import { announced, idTaken, isAnnounced } from '#core/subject-announcement.ts';

import type { Database, Tables } from './database.ts';
import { hasOwnId } from './subjects.ts';

type Place = Pick<Document, 'tenant' | 'subject' | 'path'>;

export function documentRecords(database: Database): DocumentRecords {
  const { tables } = database;
  const { documents } = tables;
  return {
    append: (block, announcement) => database.write(() => appendBlock(tables, block, announcement)),
    put: (document) =>
      database.write(() => {
        const { tenant, subject, path, version } = document;
        if (documents.get(tenant, subject, path, version) !== null) return false;
        documents.put(document);
        return true;
      }),
    latest: (place) => database.read(() => documentsOf(tables, place).at(-1) ?? null),
    get: ({ tenant, subject, path, version }) =>
      database.read(() => documents.get(tenant, subject, path, version)),
    list: (place, { after, limit }) =>
      database.read(() =>
        documentsOf(tables, place)
          .filter(({ version }) => version > after)
          .slice(0, limit),
      ),
    paths: ({ tenant, subject }, { after, limit }) =>
      database.read(() => {
        const paths = documents.group(tenant, subject).map(({ path }) => path);
        const later = [...new Set(paths)].filter((path) => path > after);
        return later.toSorted().slice(0, limit);
      }),
    markDreamed: ({ tenant, subject }, blocks, dreamedAt) =>
      database.write(() => {
        for (const { path, version } of blocks) {
          const block = documents.get(tenant, subject, path, version);
          if (block?.kind !== 'Daily' || block.dreamedAt !== null) continue;
          documents.put({ ...block, dreamedAt });
        }
      }),
  };
}

function appendBlock(
  tables: Tables,
  block: Omit<Document, 'version'>,
  announcement: Announcement,
): AppendResult {
  const before = documentsOf(tables, block);
  const same = before.find(({ key }) => key !== null && key === block.key);
  if (same !== undefined) return { document: same, isNew: false };
  if (isAnnounced(block)) {
    const { tenant, subject } = block;
    const known = announced(tables.subjects.get(tenant, subject), block, announcement);
    if (!hasOwnId(tables, known)) throw idTaken();
    tables.subjects.put(known);
  }
  const document = { ...block, version: (before.at(-1)?.version ?? 0) + 1 };
  tables.documents.put(document);
  return { document, isNew: true };
}

function documentsOf(tables: Tables, { tenant, subject, path }: Place): readonly Document[] {
  return tables.documents
    .group(tenant, subject)
    .filter((document) => document.path === path)
    .toSorted((a, b) => a.version - b.version);
}
