/** What dreams proposed for MEMORY.md. */
import type { SQLInputValue } from 'node:sqlite';

import type { ProposalRecords } from '#core/ports/dream-records.ts';
import { owedAtOf, type Proposal } from '#core/records/proposal.ts';

import type { Connection } from './connection.ts';
import { recordTable } from './record-table.ts';

export function proposalRecords(connection: Connection): ProposalRecords {
  const proposals = recordTable<Proposal>(connection, {
    name: 'proposals',
    key: ['tenant', 'id'],
    columns: {
      tenant: 'tenant',
      id: 'id',
      subject: 'subject',
      state: 'state',
      version: 'version',
    },
    derived: { owed_at: owedAtOf },
    steady: ['subject', 'state', 'owed_at'],
  });
  return {
    get: (tenant, id) => connection.readOne(() => proposals.find(tenant, id)),
    list: (tenant, page) => connection.readOne(() => proposals.select(...pageOf(tenant, page))),
    approved: ({ before, limit }) =>
      connection.readOne(() =>
        proposals.select('owed_at < ? ORDER BY owed_at, tenant, id LIMIT ?', [before, limit]),
      ),
    put: (proposal) =>
      connection.write(() => {
        const { tenant, id, version } = proposal;
        if ((proposals.find(tenant, id)?.version ?? 0) !== version - 1) return false;
        proposals.put(proposal);
        return true;
      }),
  };
}

type Page = Parameters<ProposalRecords['list']>[1];

/** The condition of a page, its order and its limit. */
function pageOf(tenant: string, page: Page): [condition: string, parameters: SQLInputValue[]] {
  const terms: readonly (readonly [sql: string, value: string | undefined])[] = [
    ['tenant = ?', tenant],
    ['subject = ?', page.subject],
    ['state = ?', page.state],
    ['id < ?', page.before],
  ];
  const asked = terms.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  const condition = asked.map(({ sql }) => sql).join(' AND ');
  return [
    `${condition} ORDER BY id DESC LIMIT ?`,
    [...asked.map(({ value }) => value), page.limit],
  ];
}
