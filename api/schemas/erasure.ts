/** What operations that erase data for good take, and their receipts. */
import { z } from 'zod';
import { ERASED_KINDS, ErasureReceipt, PendingErasure } from '#core/records/erasure.ts';
import { listOf, Tenant, Text, Time, PRINCIPAL_NAMES, FirstAtZero } from './shared-fields.ts';

const LIMIT_MAX = 100;
const Id = Text.min(1).max(256);

export const EraseMemory = z.strictObject({
  tenant: Tenant,
  target: z
    .discriminatedUnion(
      'kind',
      [
        z
          .strictObject({ kind: z.enum(['Memory', 'Session', 'User']), id: Id })
          .meta({ title: 'ErasedById' }),
        z
          .strictObject({ kind: z.literal('Turn'), sessionId: Id, id: Id })
          .meta({ title: 'ErasedTurn' }),
      ],
      'expected an object with kind, which is Memory, Session, User or Turn, and id',
    )
    .describe(
      'A memory or a session by its id, a person by the id that other calls give ' +
        'as `userId`, a turn by its id and that of its session.',
    ),
  dryRun: z.boolean().default(false).describe('Only reports what would be erased.'),
});

export const EraseTenant = z.strictObject({
  tenant: Tenant,
  confirm: Tenant.describe(
    'Repeat the id of the tenant to confirm that you want to erase everything of it.',
  ),
});

export const Receipt = ErasureReceipt.omit({ tenant: true }).extend({
  sequence: z.int().describe('Number of the receipt, from 1 and without gaps.'),
  id: z.string(),
  by: z.string().describe(`Who requested it: ${PRINCIPAL_NAMES}.`),
  again: z
    .string()
    .nullable()
    .describe(
      'The receipt of the erasure that a restore had undone and that this one ' +
        'repeats; otherwise null.',
    ),
  requestedAt: Time,
  erasedAt: Time,
  erased: listOf(
    z.object({
      kind: z.enum(ERASED_KINDS),
      count: z.int(),
      fingerprints: listOf(z.string()).describe(
        'The first 32 digits of SHA-256 over `id` of the receipt, `kind` and the erased id, with ' +
          'a line feed between them.',
      ),
    }),
  ),
  files: ErasureReceipt.shape.files.describe('What the files of the database may still contain.'),
  previousHash: z.string().describe('`hash` of the previous receipt.'),
  hash: z.string().describe('SHA-256 over the whole receipt with `previousHash`.'),
});

export const ErasedAnswer = z
  .object({
    state: z.enum(['Preview', 'Done', 'Nothing']),
    erased: listOf(z.object({ kind: z.enum(ERASED_KINDS), count: z.int() })),
    receipt: Receipt.nullable().describe('Null if nothing was erased.'),
  })
  .meta({ id: 'Erasure' });
export type ErasedAnswer = z.output<typeof ErasedAnswer>;

export const ListErasures = z.strictObject({
  tenant: Tenant,
  after: FirstAtZero.describe('`nextAfter` of the previous page.'),
  limit: z.int().min(1).max(LIMIT_MAX).default(20),
});

export const ErasuresAnswer = z.object({
  receipts: listOf(Receipt).describe('Oldest first.'),
  brokenAt: z
    .number()
    .nullable()
    .describe('The first receipt of the page that was changed or is missing; null if none is.'),
  pending: listOf(
    PendingErasure.pick({ id: true, of: true, by: true, requestedAt: true }),
  ).describe('Unfinished erasures; repeating the call continues one.'),
  nextAfter: z.int().nullable().describe('Null on the last page.'),
});

export const Reapply = z.strictObject({
  tenant: Tenant,
  receipts: z
    .array(ErasureReceipt.omit({ tenant: true }))
    .min(1)
    .max(LIMIT_MAX)
    .describe('The receipts that `erasure.list` returned before the restore, in their order.'),
  dryRun: z.boolean().default(false).describe('Only reports what would be erased.'),
});

export const Reapplied = z.object({
  outcomes: listOf(
    z.object({
      id: z.string().describe('Id of the receipt.'),
      outcome: z
        .enum(['Known', 'Absent', 'Present', 'Erased'])
        .describe(
          '`Known`: the restored data includes the erasure, or it was repeated before. `Absent`: ' +
            'there is no data to erase. `Present`: there is such data, and `dryRun` left it.',
        ),
    }),
  ),
});
export type Reapplied = z.output<typeof Reapplied>;
