/** The subjects of a tenant: who has a Markdown memory. */
import type { SubjectRecords } from '#core/ports/subject-records.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { keysBetween } from '#core/subject.ts';

import type { Database, Tables } from './database.ts';

export function subjectRecords(database: Database): SubjectRecords {
  const { tables } = database;
  return {
    get: (tenant, subject) => database.read(() => tables.subjects.get(tenant, subject)),
    byId: (tenant, subjectId) => database.read(() => byId(tables, tenant, subjectId)),
    list: (tenant, { after, limit, kind, hasNew }) =>
      database.read(() => {
        const keys = keysBetween(after, kind);
        return tables.subjects
          .group(tenant)
          .filter((record) => hasNew === undefined || record.hasNew === hasNew)
          .filter(({ subject }) => subject > keys.after)
          .filter(({ subject }) => keys.before === null || subject < keys.before)
          .toSorted((a, b) => (a.subject < b.subject ? -1 : 1))
          .slice(0, limit);
      }),
    put: (record) =>
      database.write(() => {
        const { tenant, subject, version } = record;
        const before = tables.subjects.get(tenant, subject);
        if ((before?.version ?? 0) !== version - 1) return false;
        if (!hasOwnId(tables, record)) return false;
        tables.subjects.put(record);
        return true;
      }),
  };
}

/** Whether no other subject of the tenant has its id. */
export function hasOwnId(tables: Tables, { tenant, subject, subjectId }: SubjectRecord): boolean {
  return (byId(tables, tenant, subjectId)?.subject ?? subject) === subject;
}

function byId(tables: Tables, tenant: string, subjectId: string): SubjectRecord | null {
  const known = tables.subjects.group(tenant);
  return known.find((record) => record.subjectId === subjectId) ?? null;
}
