/** Procedures that erase for good, and the receipts of what is gone. */
import { brokenAt, firstHash } from '#core/erasure/receipt.ts';
import { VarveError } from '#core/errors.ts';
import { ERASED_KINDS, type ErasureReceipt, type ErasureTarget } from '#core/records/erasure.ts';
import { eraseAgain } from '#memory/erase-after-restore.ts';
import { erase } from '#memory/erase.ts';
import type { ApiPorts } from './api-ports.ts';
import { authorizeTenant, type Principal } from './authorize.ts';
import type {
  ErasedAnswer,
  EraseMemory,
  ErasuresAnswer,
  EraseTenant,
  ListErasures,
  Reapplied,
  Reapply,
} from './schemas/erasure.ts';

/** @throws VarveError CONFLICT, TIMEOUT; the same call then goes on */
export async function erasePart(
  ports: ApiPorts,
  principal: Principal,
  { tenant, target, dryRun }: EraseMemory,
): Promise<ErasedAnswer> {
  authorizeTenant(principal, tenant);
  if (!dryRun) return run(ports, principal, { tenant, target });
  const found = await ports.store.erasures.find(tenant, target);
  const erased = ERASED_KINDS.flatMap((kind) => {
    const count = new Set(found[kind]).size;
    return count === 0 ? [] : [{ kind, count }];
  });
  return { state: 'Preview', erased, receipt: null };
}

/** @throws VarveError INVALID_INPUT where the tenant is not named twice */
export async function eraseTenant(
  ports: ApiPorts,
  principal: Principal,
  { tenant, confirm }: EraseTenant,
): Promise<ErasedAnswer> {
  authorizeTenant(principal, tenant);
  if (confirm !== tenant) {
    const message = 'confirm: expected the tenant id again, since its whole data is erased.';
    throw new VarveError('INVALID_INPUT', message);
  }
  return run(ports, principal, { tenant, target: { kind: 'Tenant' } });
}

async function run(
  ports: ApiPorts,
  { name: by }: Principal,
  { tenant, target }: { readonly tenant: string; readonly target: ErasureTarget },
): Promise<ErasedAnswer> {
  const receipt = await erase(ports, { tenant, target, by });
  if (receipt === null) return { state: 'Nothing', erased: [], receipt: null };
  const erased = receipt.erased.map(({ kind, count }) => ({ kind, count }));
  return { state: 'Done', erased, receipt: shown(receipt) };
}

/**
 * What receipts say that was erased goes again, where a restore has brought it back.
 * @throws VarveError INVALID_INPUT for a receipt that was changed
 */
export async function reapplyErasures(
  ports: ApiPorts,
  principal: Principal,
  { tenant, receipts, dryRun }: Reapply,
): Promise<Reapplied> {
  authorizeTenant(principal, tenant);
  const { name: by } = principal;
  const whole = receipts.map((receipt) => ({ ...receipt, tenant }));
  const asked = { tenant, receipts: whole, by, dryRun };
  return { outcomes: [...(await eraseAgain(ports, asked))] };
}

/** A page of receipts, checked against the one before and, at the end, against their number. */
export async function listErasures(
  { store, platform: { digest } }: ApiPorts,
  principal: Principal,
  { tenant, after, limit }: ListErasures,
): Promise<ErasuresAnswer> {
  authorizeTenant(principal, tenant);
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
}

/** The tenant is the caller's question. */
function shown(receipt: ErasureReceipt): NonNullable<ErasedAnswer['receipt']> {
  const { sequence, id, of, by, again, requestedAt, erasedAt, erased, files } = receipt;
  const { previousHash, hash } = receipt;
  const named = { sequence, id, of, by, again };
  return { ...named, requestedAt, erasedAt, erased, files, previousHash, hash };
}
