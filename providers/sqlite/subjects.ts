/** The subjects of a tenant: who has a Markdown memory. */
import type { SQLInputValue } from 'node:sqlite';

import type { SubjectRecords } from '#core/ports/subject-records.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { keysBetween } from '#core/subject.ts';

import type { Connection } from './connection.ts';
import { recordTable, type RecordTable } from './record-table.ts';

export type SubjectTable = RecordTable<SubjectRecord>;

export function subjectRecords(connection: Connection): SubjectRecords {
  const subjects = subjectTable(connection);
  return {
    get: (tenant, subject) => connection.readOne(() => subjects.find(tenant, subject)),
    byId: (tenant, subjectId) =>
      connection.readOne(() => {
        const ofId = 'tenant = ? AND subject_id = ?';
        return subjects.select(ofId, [tenant, subjectId])[0] ?? null;
      }),
    list: (tenant, page) => connection.readOne(() => subjects.select(...pageOf(tenant, page))),
    put: (record) =>
      connection.write(() => {
        const before = subjects.find(record.tenant, record.subject);
        if ((before?.version ?? 0) !== record.version - 1) return false;
        if (before === null) return subjects.insertNew(record);
        subjects.put(record);
        return true;
      }),
  };
}

export function subjectTable(connection: Connection): SubjectTable {
  return recordTable<SubjectRecord>(connection, {
    name: 'subjects',
    key: ['tenant', 'subject'],
    columns: {
      tenant: 'tenant',
      subject: 'subject',
      subject_id: 'subjectId',
      version: 'version',
    },
    derived: { has_new: ({ hasNew }) => Number(hasNew) },
    steady: ['subject_id', 'has_new'],
  });
}

type Page = Parameters<SubjectRecords['list']>[1];

/** The condition of a page, its order and its limit. */
function pageOf(tenant: string, { after, limit, kind, hasNew }: Page): [string, SQLInputValue[]] {
  const keys = keysBetween(after, kind);
  const terms: readonly (readonly [sql: string, value: string | number | null])[] = [
    ['tenant = ?', tenant],
    ['has_new = ?', hasNew === undefined ? null : Number(hasNew)],
    ['subject > ?', keys.after],
    ['subject < ?', keys.before],
  ];
  const asked = terms.flatMap(([sql, value]) => (value === null ? [] : [{ sql, value }]));
  const condition = asked.map(({ sql }) => sql).join(' AND ');
  return [`${condition} ORDER BY subject LIMIT ?`, [...asked.map(({ value }) => value), limit]];
}
