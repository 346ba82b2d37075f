/** The operation that reads the audit log of a tenant: what callers did and what was refused. */
import { AuditAnswer, ListAudit } from '../schemas/audit.ts';
import { operation } from './operation.ts';

export const audit = {
  list: operation({
    name: 'audit.list',
    kind: 'query',
    summary:
      'Lists what callers of a tenant wrote, and which calls were refused, without any content.',
    input: ListAudit,
    output: AuditAnswer,
    example: {
      input: { tenant: 'acme', limit: 1 },
      output: {
        entries: [
          {
            id: '019aa5c2-7c1e-7b52-9f0e-6a1f0b1583cb',
            at: 1_795_273_200_000,
            principal: 'key:support-bot',
            operation: 'memory.delete',
            outcome: 'Done',
            ids: { tenant: ['acme'], id: ['019aa5c2-7c1e-7b52-9f0e-0000000000aa'] },
            idsLeftOut: 0,
          },
        ],
        nextAfter: '019aa5c2-7c1e-7b52-9f0e-6a1f0b1583cb',
      },
    },
    role: 'admin',
    commands: ['audit'],
    async run({ store }, principal, { tenant, order, after, since, limit }) {
      const page = { order, after: after ?? null, since: since ?? 0, limit };
      const entries = await store.audit.list(tenant, page);
      const last = entries.length < limit ? undefined : entries.at(-1);
      return {
        entries: entries.map(({ id, at, principal: who, operation, outcome, ids, idsLeftOut }) => {
          return { id, at, principal: who, operation, outcome, ids, idsLeftOut };
        }),
        nextAfter: last?.id ?? null,
      };
    },
  }),
};
