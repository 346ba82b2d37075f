/** What operations that erase data for good take, and their receipts. */
import { z } from 'zod';
import {
  ERASED_KINDS,
  ErasureReceipt,
  ErasureTarget,
  PendingErasure,
} from '#core/records/erasure.ts';
import { listOf, Tenant, Text, Time } from './shared-fields.ts';

const LIMIT_MAX = 100;
const [ofMemory, ofSession, ofUser, ofTurn] = ErasureTarget.options;

export const EraseMemory = z.strictObject({
  tenant: Tenant,
  target: z
    .discriminatedUnion(
      'kind',
      [
        ofMemory.extend({ id: Text.min(1).max(256) }),
        ofSession.extend({ id: Text.min(1).max(256) }),
        ofUser.extend({ id: Text.min(1).max(256) }),
        ofTurn.extend({ sessionId: Text.min(1).max(256), id: Text.min(1).max(256) }),
      ],
      'expected an object with kind, which is Memory, Session, User or Turn, and id',
    )
    .describe(
      'A memory or a session by its id, a person by the id that `userId` has elsewhere, a turn ' +
        'by its id and that of its session.',
    ),
  dryRun: z.boolean().default(false).describe('Only reports what would go.'),
});
export type EraseMemory = z.output<typeof EraseMemory>;

export const EraseTenant = z.strictObject({
  tenant: Tenant,
  confirm: Tenant.describe('The tenant once more: everything of it goes.'),
});
export type EraseTenant = z.output<typeof EraseTenant>;

export const Receipt = ErasureReceipt.omit({ tenant: true }).extend({
  sequence: z.number().describe('From 1, without gaps.'),
  id: z.string(),
  by: z.string().describe('Who asked for it: `local`, or `key:` and the name of a key.'),
  again: z
    .string()
    .nullable()
    .describe('The receipt of an erasure that a restore had undone; null for a first one.'),
  requestedAt: Time,
  erasedAt: Time,
  erased: listOf(
    z.object({
      kind: z.enum(ERASED_KINDS),
      count: z.number(),
      fingerprints: listOf(z.string()).describe(
        'The first 32 digits of SHA-256 over `id` of the receipt, `kind` and the erased id, with ' +
          'a line feed between them.',
      ),
    }),
  ),
  files: ErasureReceipt.shape.files.describe('What the files of the database may still hold.'),
  previousHash: z.string().describe('`hash` of the receipt before.'),
  hash: z.string().describe('SHA-256 over the whole receipt with `previousHash`.'),
});

export const ErasedAnswer = z.object({
  state: z.enum(['Preview', 'Done', 'Nothing']),
  erased: listOf(z.object({ kind: z.enum(ERASED_KINDS), count: z.number() })),
  receipt: Receipt.nullable().describe('Null if nothing was erased.'),
});
export type ErasedAnswer = z.output<typeof ErasedAnswer>;

export const ListErasures = z.strictObject({
  tenant: Tenant,
  after: z.int().min(0).default(0).describe('`nextAfter` of the page before.'),
  limit: z.int().min(1).max(LIMIT_MAX).default(20),
});
export type ListErasures = z.output<typeof ListErasures>;

export const ErasuresAnswer = z.object({
  receipts: listOf(Receipt).describe('The oldest first.'),
  brokenAt: z
    .number()
    .nullable()
    .describe('The first receipt of the page that was changed or is missing; null if none was.'),
  pending: listOf(
    PendingErasure.pick({ id: true, of: true, by: true, requestedAt: true }),
  ).describe('Unfinished erasures; the same call again continues one.'),
  nextAfter: z.number().nullable().describe('Null at the end.'),
});
export type ErasuresAnswer = z.output<typeof ErasuresAnswer>;

export const Reapply = z.strictObject({
  tenant: Tenant,
  receipts: z
    .array(ErasureReceipt.omit({ tenant: true }))
    .min(1)
    .max(LIMIT_MAX)
    .describe('As `erasure.list` gave them before the backup was restored, in their order.'),
  dryRun: z.boolean().default(false).describe('Only reports what would go.'),
});
export type Reapply = z.output<typeof Reapply>;

export const Reapplied = z.object({
  outcomes: listOf(
    z.object({
      id: z.string().describe('Of the receipt.'),
      outcome: z
        .enum(['Known', 'Absent', 'Present', 'Erased'])
        .describe(
          '`Known`: the restored data includes the erasure, or it was repeated before. `Absent`: ' +
            'there is no data to erase. `Present`: there is, and `dryRun` wrote nothing.',
        ),
    }),
  ),
});
export type Reapplied = z.output<typeof Reapplied>;
