/** The operation that reads the audit log of a tenant: what callers did and what was refused. */
import { z } from 'zod';
import { AuditEntry } from '#core/records/audit-entry.ts';
import { listAudit } from '../audit.ts';
import { At, listOf, Tenant, Text, Time } from './fields.ts';
import { operation } from './operation.ts';

const LIMIT_MAX = 1_000;

const ListAudit = z.strictObject({
  tenant: Tenant,
  order: z.enum(['newest', 'oldest']).default('newest').describe('Which come first.'),
  after: Text.min(1).max(128).optional().describe('`nextAfter` of the page before.'),
  since: At.optional().describe('Only what was done from then on.'),
  limit: z.int().min(1).max(LIMIT_MAX).default(100),
});
export type ListAudit = z.output<typeof ListAudit>;

const ShownEntry = AuditEntry.omit({ tenant: true, expiresAt: true }).extend({
  at: Time,
  principal: z.string().describe('Who called: `local`, or `key:` and the name of a key.'),
  operation: z.string().describe('Such as `memory.add`.'),
  outcome: z.string().describe('`Done`, or the code of the error.'),
  ids: z
    .record(z.string(), listOf(z.string()))
    .describe('What the call and its answer named, by field.'),
  idsLeftOut: z.number().describe('Ids that were too many to be kept.'),
});

const AuditAnswer = z.object({
  entries: listOf(ShownEntry),
  nextAfter: z.string().nullable().describe('Null at the end.'),
});
export type AuditAnswer = z.output<typeof AuditAnswer>;

export const audit = {
  list: operation({
    name: 'audit.list',
    kind: 'query',
    summary: 'What callers of a tenant wrote, and what was refused to them; without any content.',
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
    cost: 'none',
    errors: [],
    commands: ['audit'],
    run: listAudit,
  }),
};
