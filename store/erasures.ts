/** Erasures of parts of a tenant, and the ledger of what was erased. */
import { firstHash, isNothing, sealed } from '#core/erasure/receipt.ts';
import { VarveError } from '#core/errors.ts';
import type { Digest } from '#core/hash.ts';
import type { ErasureRecords } from '#core/ports/erasure-records.ts';
import { PENDING_ERASURES_MAX, type ErasureLedger } from '#core/records/erasure.ts';

import { candidatesOf } from './erasure/candidates.ts';
import { findErased } from './erasure/find.ts';
import { removeFound, type RemoveParts } from './erasure/remove.ts';
import { ERASURE_HEADS, ERASURE_RECEIPTS, ERASURES } from './kinds.ts';

const HEAD = ['head'];

export function erasureRecords(parts: RemoveParts, digest: Digest): ErasureRecords {
  const { driver, transactor } = parts;
  const opened = (record: ErasureLedger | null, tenant: string): ErasureLedger =>
    record ?? { tenant, receipts: 0, hash: firstHash(digest), pending: [] };
  return {
    find: async (tenant, target) => (await findErased(driver, tenant, target)).ids,
    async remove(tenant, target, { rules, foundFirst }) {
      const found = await findErased(driver, tenant, target);
      if (isNothing(found.ids)) return { found: {}, scopes: [] };
      await foundFirst(found.ids);
      return { found: found.ids, scopes: await removeFound(parts, tenant, { found, rules }) };
    },
    candidates: (tenant, kind) => candidatesOf(driver, tenant, kind),
    ledger: async (tenant) => opened(await driver.get(ERASURES, [tenant]), tenant),
    unfinished: ({ before, limit }) =>
      driver.scan(ERASURES, {
        where: [['openSince', '<=', before]],
        order: ['openSince', 'tenant'],
        limit,
      }),
    note: (tenant, pending) =>
      transactor.run(ERASURES, [tenant], ({ record, set }) => {
        const ledger = opened(record, tenant);
        const others = ledger.pending.filter(({ id }) => id !== pending.id);
        if (others.length >= PENDING_ERASURES_MAX) throw tooMany();
        set({ ...ledger, pending: [...others, pending] });
      }),
    finish: (tenant, id, ending) =>
      transactor.run(ERASURES, [tenant], ({ record, set, put }) => {
        const ledger = opened(record, tenant);
        const done = ledger.pending.find((each) => each.id === id);
        if (done === undefined) return null;
        const receipt = sealed(ledger, done, { digest, ...ending });
        const pending = ledger.pending.filter((each) => each.id !== id);
        put(ERASURE_RECEIPTS, receipt);
        set({ tenant, receipts: receipt.sequence, hash: receipt.hash, pending });
        return receipt;
      }),
    receipts: (tenant, { after, limit }) =>
      driver.scan(ERASURE_RECEIPTS, {
        where: [
          ['tenant', '=', tenant],
          ['sequence', '>', after],
        ],
        limit,
      }),
    head: () => driver.get(ERASURE_HEADS, HEAD),
    moveHead: (move) =>
      transactor.run(ERASURE_HEADS, HEAD, ({ record, set }) => {
        const head = move(record);
        set(head);
        return head;
      }),
  };
}

function tooMany(): VarveError {
  return new VarveError(
    'CONFLICT',
    `${String(PENDING_ERASURES_MAX)} erasures of this tenant are not done. Run one of them again ` +
      'until it has its receipt.',
    { details: { pendingMax: PENDING_ERASURES_MAX } },
  );
}
