/** Operations that erase data for good, and the receipts of what was erased. */
import * as schemas from '../schemas/erasure.ts';
import type { z } from 'zod';
import { operation } from './operation.ts';
import { brokenAt, firstHash } from '#core/erasure/erasure-receipt.ts';
import { VarveError } from '#core/errors.ts';
import { ERASED_KINDS, type ErasureReceipt, type ErasureTarget } from '#core/records/erasure.ts';
import { eraseAgain } from '#memory/erase-after-restore.ts';
import { erase } from '#memory/erase.ts';
import type { ApiPorts } from '../api-ports.ts';
import type { Principal } from '../principal.ts';

const RECEIPT: z.output<typeof schemas.Receipt> = {
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
      'Erases a memory, a turn, a session or a person for good: the originals, ' +
      'everything made from them, their history, and every record that names ' +
      'them. The database then rewrites its files, and summaries that others ' +
      'share are regenerated. To continue an interrupted call, repeat it.',
    input: schemas.EraseMemory,
    output: schemas.ErasedAnswer,
    example: {
      input: { tenant: 'acme', target: { kind: 'User', id: 'dana' } },
      output: { state: 'Done', erased: COUNTS, receipt: RECEIPT },
    },
    role: 'admin',
    errors: ['CONFLICT'],
    commands: ['erase'],
    async run(ports, principal, { tenant, target, dryRun }) {
      if (!dryRun) return run(ports, principal, { tenant, target });
      const found = await ports.store.erasures.find(tenant, target);
      const erased = ERASED_KINDS.flatMap((kind) => {
        const count = new Set(found[kind]).size;
        return count === 0 ? [] : [{ kind, count }];
      });
      return { state: 'Preview' as const, erased, receipt: null };
    },
  }),
};

export const tenant = {
  erase: operation({
    name: 'tenant.erase',
    kind: 'mutation',
    summary:
      'Erases everything of a tenant for good, including its keys and its audit. ' +
      'Its policy stays until its owner removes it, and so do the receipts of ' +
      'erasures.',
    input: schemas.EraseTenant,
    output: schemas.ErasedAnswer,
    example: {
      input: { tenant: 'acme', confirm: 'acme' },
      output: { state: 'Done', erased: COUNTS, receipt: RECEIPT },
    },
    role: 'admin',
    errors: ['CONFLICT'],
    commands: ['erase'],
    async run(ports, principal, { tenant, confirm }) {
      if (confirm !== tenant) {
        const message = 'confirm: expected the tenant id again, since its whole data is erased.';
        throw new VarveError('INVALID_INPUT', message);
      }
      return run(ports, principal, { tenant, target: { kind: 'Tenant' } });
    },
  }),
};

export const erasure = {
  list: operation({
    name: 'erasure.list',
    kind: 'query',
    summary: 'Lists the receipts of erasures, and says whether their chain of hashes is intact.',
    input: schemas.ListErasures,
    output: schemas.ErasuresAnswer,
    example: {
      input: { tenant: 'acme' },
      output: { receipts: [RECEIPT], brokenAt: null, pending: [], nextAfter: null },
    },
    role: 'admin',
    commands: ['erasures'],
    /** Checks each receipt against the one before and, on the last page, against their number. */
    async run({ store, platform: { digest } }, _, { tenant, after, limit }) {
      const ledger = await store.erasures.ledger(tenant);
      const [before] =
        after === 0 ? [] : await store.erasures.receipts(tenant, { after: after - 1, limit: 1 });
      const receipts = await store.erasures.receipts(tenant, { after, limit });
      const first = { sequence: after, hash: before?.hash ?? firstHash(digest) };
      const last = receipts.at(-1) ?? first;
      const isWhole = receipts.length === limit || last.hash === ledger.hash;
      const broken = brokenAt(digest, receipts, first);
      return {
        receipts: receipts.map(shown),
        brokenAt: broken ?? (isWhole ? null : last.sequence + 1),
        pending: ledger.pending.map(({ id, of, by, requestedAt }) => ({ id, of, by, requestedAt })),
        nextAfter: receipts.length < limit ? null : last.sequence,
      };
    },
  }),
  reapply: operation({
    name: 'erasure.reapply',
    kind: 'mutation',
    summary:
      'Erases again what a restored backup brought back, using receipts that were stored outside ' +
      'the database. Receipts contain no names: Varve compares every name of the tenant with ' +
      'them. Call it before any caller writes; a second call does nothing.',
    input: schemas.Reapply,
    output: schemas.Reapplied,
    example: {
      input: { tenant: 'acme', receipts: [RECEIPT] },
      output: { outcomes: [{ id: RECEIPT.id, outcome: 'Erased' }] },
    },
    role: 'admin',
    errors: ['CONFLICT'],
    commands: ['erase'],
    async run(ports, principal, { tenant, receipts, dryRun }) {
      const { name: by } = principal;
      const whole = receipts.map((receipt) => ({ ...receipt, tenant }));
      const asked = { tenant, receipts: whole, by, dryRun };
      return { outcomes: [...(await eraseAgain(ports, asked))] };
    },
  }),
};

async function run(
  ports: ApiPorts,
  { name: by }: Principal,
  { tenant, target }: { readonly tenant: string; readonly target: ErasureTarget },
): Promise<schemas.ErasedAnswer> {
  const receipt = await erase(ports, { tenant, target, by });
  if (receipt === null) return { state: 'Nothing', erased: [], receipt: null };
  const erased = receipt.erased.map(({ kind, count }) => ({ kind, count }));
  return { state: 'Done', erased, receipt: shown(receipt) };
}

/** Leaves out the tenant, which the caller named. */
function shown(receipt: ErasureReceipt): NonNullable<schemas.ErasedAnswer['receipt']> {
  const { sequence, id, of, by, again, requestedAt, erasedAt, erased, files } = receipt;
  const { previousHash, hash } = receipt;
  const named = { sequence, id, of, by, again };
  return { ...named, requestedAt, erasedAt, erased, files, previousHash, hash };
}
