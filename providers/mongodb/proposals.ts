/** What dreams proposed for MEMORY.md. */
import type { ProposalRecords } from '#core/ports/dream-records.ts';
import { owedAtOf, type Proposal } from '#core/records/proposal.ts';

import { decodeRecord, encodeRecord, keyOf, type Fields } from './record-document.ts';
import { NEVER } from './scope-document.ts';
import { byId, type Table } from './table.ts';

export interface ProposalDocument {
  readonly _id: Pick<Proposal, 'tenant' | 'id'>;
  readonly record: Fields & { readonly version: number };
  readonly owedAt: number;
}

const SHAPE = { name: 'proposals', key: ['tenant', 'id'] } as const;

export function proposalRecords(proposals: Table<ProposalDocument>): ProposalRecords {
  return {
    async get(tenant, id) {
      const found = await proposals.first(byId(keyOf(SHAPE, { tenant, id })));
      return found === null ? null : decode(found);
    },
    async list(tenant, { limit, before, subject, state }) {
      const asked = {
        '_id.tenant': tenant,
        ...(subject === undefined ? {} : { 'record.subject': subject }),
        ...(state === undefined ? {} : { 'record.state': state }),
        ...(before === undefined ? {} : { '_id.id': { $lt: before } }),
      };
      return (await proposals.select(asked, { sort: { '_id.id': -1 }, limit })).map(decode);
    },
    async approved({ before, limit }) {
      const sort = { owedAt: 1, '_id.tenant': 1, '_id.id': 1 } as const;
      return (await proposals.select({ owedAt: { $lt: before } }, { sort, limit })).map(decode);
    },
    async put(proposal) {
      const document = encode(proposal);
      if (proposal.version === 1) return proposals.insert(document);
      const before = { ...byId(document._id), 'record.version': proposal.version - 1 };
      return proposals.replace(before, document);
    },
  };
}

function encode(proposal: Proposal): ProposalDocument {
  const { record } = encodeRecord<Proposal>(SHAPE, proposal);
  const _id = keyOf<Proposal>(SHAPE, proposal) as ProposalDocument['_id'];
  const owedAt = owedAtOf(proposal) ?? NEVER;
  return { _id, record: { ...record, version: proposal.version }, owedAt };
}

function decode(document: ProposalDocument): Proposal {
  return decodeRecord<Proposal>(SHAPE, document);
}
