/** The input and the answer of the operation on a tenant's audit log. */
import { z } from 'zod';
import { AuditEntry } from '#core/records/audit-entry.ts';
import { At, listOf, PRINCIPAL_NAMES, Tenant, Text, Time, pageStart } from './shared-fields.ts';

const LIMIT_MAX = 1_000;

export const ListAudit = z.strictObject({
  tenant: Tenant,
  order: z.enum(['newest', 'oldest']).default('newest').describe('Which entries come first.'),
  after: pageStart(Text.min(1).max(128)).describe('`nextAfter` of the previous page.'),
  since: At.optional().describe('Only entries from this time on.'),
  limit: z.int().min(1).max(LIMIT_MAX).default(100),
});

const ShownEntry = AuditEntry.omit({ tenant: true, expiresAt: true }).extend({
  at: Time,
  principal: z.string().describe(`Who called: ${PRINCIPAL_NAMES}.`),
  operation: z.string().describe('Name of the operation, such as `memory.add`.'),
  outcome: z.string().describe('`Done`, or the code of the error.'),
  ids: z
    .record(z.string(), listOf(z.string()))
    .describe('Ids that the call and its answer named, by field.'),
  idsLeftOut: z.int().describe('How many more ids there were than the entry can hold.'),
});

export const AuditAnswer = z.object({
  entries: listOf(ShownEntry),
  nextAfter: z.string().nullable().describe('Null on the last page.'),
});
