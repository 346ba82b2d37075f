/** Operations that erase data for good, and the receipts of what was erased. */
import { z } from 'zod';
import {
  ERASED_KINDS,
  ErasureReceipt,
  ErasureTarget,
  PendingErasure,
} from '#core/records/erasure.ts';
import { erasePart, eraseTenant, listErasures, reapplyErasures } from '../erasure.ts';
import { listOf, Tenant, Text, Time } from './fields.ts';
import { operation } from './operation.ts';

const LIMIT_MAX = 100;
const [ofMemory, ofSession, ofUser] = ErasureTarget.options;

const EraseMemory = z.strictObject({
  tenant: Tenant,
  target: z
    .discriminatedUnion(
      'kind',
      [
        ofMemory.extend({ id: Text.min(1).max(256) }),
        ofSession.extend({ id: Text.min(1).max(256) }),
        ofUser.extend({ id: Text.min(1).max(256) }),
      ],
      'expected an object with kind, which is Memory, Session or User, and id',
    )
    .describe('A memory or a session by its id, a person by the id that `userId` has elsewhere.'),
  dryRun: z.boolean().default(false).describe('Only reports what would go.'),
});
export type EraseMemory = z.output<typeof EraseMemory>;

const EraseTenant = z.strictObject({
  tenant: Tenant,
  confirm: Tenant.describe('The tenant once more: everything of it goes.'),
});
export type EraseTenant = z.output<typeof EraseTenant>;

const Receipt = ErasureReceipt.omit({ tenant: true }).extend({
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

const ErasedAnswer = z.object({
  state: z.enum(['Preview', 'Done', 'Nothing']),
  erased: listOf(z.object({ kind: z.enum(ERASED_KINDS), count: z.number() })),
  receipt: Receipt.nullable().describe('Null where nothing was erased.'),
});
export type ErasedAnswer = z.output<typeof ErasedAnswer>;

const ListErasures = z.strictObject({
  tenant: Tenant,
  after: z.int().min(0).default(0).describe('`nextAfter` of the page before.'),
  limit: z.int().min(1).max(LIMIT_MAX).default(20),
});
export type ListErasures = z.output<typeof ListErasures>;

const ErasuresAnswer = z.object({
  receipts: listOf(Receipt).describe('The oldest first.'),
  brokenAt: z
    .number()
    .nullable()
    .describe('The first receipt of the page that was changed or is missing; null if none was.'),
  pending: listOf(
    PendingErasure.pick({ id: true, of: true, by: true, requestedAt: true }),
  ).describe('Erasures that are not done: the same call again goes on with one.'),
  nextAfter: z.number().nullable().describe('Null at the end.'),
});
export type ErasuresAnswer = z.output<typeof ErasuresAnswer>;

const Reapply = z.strictObject({
  tenant: Tenant,
  receipts: z
    .array(ErasureReceipt.omit({ tenant: true }))
    .min(1)
    .max(LIMIT_MAX)
    .describe('As `erasure.list` gave them before the backup was restored, in their order.'),
  dryRun: z.boolean().default(false).describe('Only reports what would go.'),
});
export type Reapply = z.output<typeof Reapply>;

const Reapplied = z.object({
  outcomes: listOf(
    z.object({
      id: z.string().describe('Of the receipt.'),
      outcome: z
        .enum(['Known', 'Absent', 'Present', 'Erased'])
        .describe(
          '`Known`: its erasure is in what was restored, or was done again before. `Absent`: ' +
            'nothing of it is there. `Present`: it is, and `dryRun` wrote nothing.',
        ),
    }),
  ),
});
export type Reapplied = z.output<typeof Reapplied>;

const RECEIPT: z.output<typeof Receipt> = {
  sequence: 1,
  id: '019aa5c2-7c1e-7b52-9f0e-6a1f0b1583cb',
  of: { kind: 'User', fingerprint: 'd0c11fb996970c2a3c67f77deb4486e6' },
  by: 'key:privacy-desk',
  again: null,
  requestedAt: 1_795_273_200_000,
  erasedAt: 1_795_273_201_000,
  erased: [
    { kind: 'User', count: 1, fingerprints: ['d0c11fb996970c2a3c67f77deb4486e6'] },
    { kind: 'Call', count: 0, fingerprints: [] },
  ],
  files: { engine: 'sqlite', rewritten: true, remains: [] },
  previousHash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  hash: 'dc72a21559c02bb4e6bb1e15fc3fa42d8d8aed32a5de9ad52a0015360d832bd9',
};
const COUNTS = RECEIPT.erased.map(({ kind, count }) => ({ kind, count }));

/** Also part of the group `memory`. */
export const memoryErasure = {
  erase: operation({
    name: 'memory.erase',
    kind: 'mutation',
    summary:
      'Erases a memory, a session or a person for good: originals, all that was made of them, ' +
      'their history, and what names them; then has the database rewrite its files. What ' +
      'others share is regenerated without it. A call that was cut short goes on when it is ' +
      'made again.',
    input: EraseMemory,
    output: ErasedAnswer,
    example: {
      input: { tenant: 'acme', target: { kind: 'User', id: 'dana' } },
      output: { state: 'Done', erased: COUNTS, receipt: RECEIPT },
    },
    role: 'admin',
    cost: 'none',
    errors: ['CONFLICT'],
    commands: ['erase'],
    run: erasePart,
  }),
};

export const tenant = {
  erase: operation({
    name: 'tenant.erase',
    kind: 'mutation',
    summary:
      'Erases everything of a tenant for good, its keys and its audit too. Its policy stays, ' +
      'which its owner removes, and so do the receipts of erasures.',
    input: EraseTenant,
    output: ErasedAnswer,
    example: {
      input: { tenant: 'acme', confirm: 'acme' },
      output: { state: 'Done', erased: COUNTS, receipt: RECEIPT },
    },
    role: 'admin',
    cost: 'none',
    errors: ['CONFLICT'],
    commands: ['erase'],
    run: eraseTenant,
  }),
};

export const erasure = {
  list: operation({
    name: 'erasure.list',
    kind: 'query',
    summary: 'Receipts of what was erased, and whether their chain of hashes is whole.',
    input: ListErasures,
    output: ErasuresAnswer,
    example: {
      input: { tenant: 'acme' },
      output: { receipts: [RECEIPT], brokenAt: null, pending: [], nextAfter: null },
    },
    role: 'admin',
    cost: 'none',
    errors: [],
    commands: ['erasures'],
    run: listErasures,
  }),
  reapply: operation({
    name: 'erasure.reapply',
    kind: 'mutation',
    summary:
      'Erases again what a restored backup has brought back, by receipts that were kept outside ' +
      'of it. They hold no names: every name of the tenant is tried against them. Call it before ' +
      'any caller writes; a second call does nothing.',
    input: Reapply,
    output: Reapplied,
    example: {
      input: { tenant: 'acme', receipts: [RECEIPT] },
      output: { outcomes: [{ id: RECEIPT.id, outcome: 'Erased' }] },
    },
    role: 'admin',
    cost: 'none',
    errors: ['CONFLICT'],
    commands: ['erase'],
    run: reapplyErasures,
  }),
};
