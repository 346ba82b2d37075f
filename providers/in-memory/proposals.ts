/** What dreams proposed for MEMORY.md. */
import type { ProposalRecords } from '#core/ports/dream-records.ts';
import { owedAtOf, type Proposal } from '#core/records/proposal.ts';

import type { Database } from './database.ts';

export function proposalRecords(database: Database): ProposalRecords {
  const { proposals } = database.tables;
  return {
    get: (tenant, id) => database.read(() => proposals.get(tenant, id)),
    list: (tenant, { limit, before, subject, state }) =>
      database.read(() =>
        proposals
          .group(tenant)
          .filter(({ id }) => before === undefined || id < before)
          .filter((proposal) => subject === undefined || proposal.subject === subject)
          .filter((proposal) => state === undefined || proposal.state === state)
          .toSorted((a, b) => (a.id < b.id ? 1 : -1))
          .slice(0, limit),
      ),
    approved: ({ before, limit }) =>
      database.read(() =>
        proposals
          .all()
          .map((proposal) => ({ proposal, owedAt: owedAtOf(proposal) ?? Infinity }))
          .filter(({ owedAt }) => owedAt < before)
          .toSorted((a, b) => a.owedAt - b.owedAt || byKey(a.proposal, b.proposal))
          .slice(0, limit)
          .map(({ proposal }) => proposal),
      ),
    put: (proposal) =>
      database.write(() => {
        const { tenant, id, version } = proposal;
        if ((proposals.get(tenant, id)?.version ?? 0) !== version - 1) return false;
        proposals.put(proposal);
        return true;
      }),
  };
}

function byKey(a: Proposal, b: Proposal): number {
  const keyOf = ({ tenant, id }: Proposal) => [tenant, id].join('\0');
  return keyOf(a) < keyOf(b) ? -1 : 1;
}
