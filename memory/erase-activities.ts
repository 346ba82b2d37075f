/**
 * The activities of an erasure over the store; core/erasure/erase-run.ts has their order. The
 * pending record names the target, so callers name only the request.
 */
import { pagesOf } from '#core/chunks-and-pages.ts';
import type {
  EraseActivities,
  ErasePassReport,
  ReceiptInput,
  RewriteReport,
} from '#core/erasure/erase-run.ts';
import { isNothing, withErased, withRecords } from '#core/erasure/erasure-receipt.ts';
import type { Layer } from '#core/layer.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import type { PartTarget } from '#core/ports/erasure-records.ts';
import type { EraseInput } from '#core/ports/erasure-runs.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { Store } from '#core/ports/store.ts';
import type { ErasedIds, ErasureReceipt, PendingErasure } from '#core/records/erasure.ts';
import { requestRefreshIfDue } from './request-refresh.ts';
import { duePolicyOf } from '#core/refresh/when-to-refresh.ts';

/** Maximum records that one deletion of a tenant's erasure takes. */
const RECORDS_MAX = 1_000;
/** Maximum deletions per pass, enough for a tenant of a hundred million records. */
const DELETIONS_MAX = 100_000;
/** Receipts of the store to read per page. */
const PAGE = 100;

export interface EraseParts {
  readonly store: Store;
  readonly platform: Platform;
  readonly refreshTrigger: Pick<RefreshTrigger, 'notify' | 'erasures'>;
}

/** Returns the activities. The signal of `signalOf` stops the run if it is canceled. */
export function eraseActivities(
  parts: EraseParts,
  signalOf: () => AbortSignal | null = () => null,
): EraseActivities {
  return {
    erasePass: async (input) => {
      const pending = await pendingOf(parts, input);
      if (pending === null) return { state: 'Gone' };
      const { target, by } = pending;
      if (target === null) return { state: 'Nothing' };
      if (target.kind === 'Tenant') return eraseTenant(parts, input, signalOf());
      return erasePart(parts, input, { target, by });
    },
    rewriteErasedFiles: (input) => rewriteFiles(parts, input),
    commitReceipt: (input) => commitReceipt(parts, input),
  };
}

async function pendingOf(
  { store }: EraseParts,
  { tenant, requestId }: EraseInput,
): Promise<PendingErasure | null> {
  const { pending } = await store.erasures.ledger(tenant);
  return pending.find(({ id }) => id === requestId) ?? null;
}

async function erasePart(
  parts: EraseParts,
  { tenant, requestId }: EraseInput,
  { target, by }: { readonly target: PartTarget; readonly by: string },
): Promise<ErasePassReport> {
  const { store, platform } = parts;
  const { digest } = platform;
  const policy = await policyInForce(store.policies, tenant);
  const now = platform.clock();
  const rules = (layer: Layer) => ({ policy: duePolicyOf(policy, layer), now, by });
  // Someone who comes back under that name after the receipt is another person, and stays.
  const foundFirst = (found: ErasedIds): Promise<boolean> =>
    store.erasures.advance(tenant, requestId, (before) => {
      const erased = withErased(before.erased, found, { digest, receiptId: requestId });
      return { ...before, erased };
    });
  const { found, scopes } = await store.erasures.remove(tenant, target, { rules, foundFirst });
  for (const scope of scopes) await requestRefreshIfDue(parts, scope);
  return { state: isNothing(found) ? 'Nothing' : 'Found' };
}

async function eraseTenant(
  parts: EraseParts,
  input: EraseInput,
  signal: AbortSignal | null,
): Promise<ErasePassReport> {
  const { store, platform } = parts;
  const { tenant, requestId } = input;
  for (let deletions = 0; deletions < DELETIONS_MAX; deletions += 1) {
    signal?.throwIfAborted();
    if ((await pendingOf(parts, input)) === null) return { state: 'Gone' };
    const now = platform.clock();
    const options = { limit: RECORDS_MAX, now, keepsPolicy: true, keepsReceipts: true };
    const { deleted, isDone } = await store.eraseTenant(tenant, options);
    await store.erasures.advance(tenant, requestId, (before) => ({
      ...before,
      erased: withRecords(before.erased, deleted),
    }));
    if (isDone) return { state: 'Nothing' };
  }
  return { state: 'Found' };
}

async function rewriteFiles(
  { store, platform }: EraseParts,
  { tenant, requestId }: EraseInput,
): Promise<RewriteReport> {
  const isPending = await store.erasures.advance(tenant, requestId, (before) => ({
    ...before,
    target: null,
  }));
  const files = isPending ? await store.rewriteFiles() : null;
  return { files, eventId: platform.newId() };
}

async function commitReceipt(
  { store, platform }: EraseParts,
  { tenant, requestId, files, eventId }: ReceiptInput,
): Promise<void> {
  const at = platform.clock();
  const made = await store.erasures.finish(tenant, requestId, { erasedAt: at, files });
  // A receipt made before a crash may lack its event.
  const receipt = made ?? (await erasureReceiptOf(store, { tenant, requestId }, 0));
  if (receipt === null) return;
  platform.log.info({ tenant, receipt: receipt.id }, 'erased for good');
  // Nothing but receipts may remain of an erased tenant.
  if (receipt.of.kind === 'Tenant') return;
  const attributes = { receiptId: receipt.id, sequence: receipt.sequence };
  const event = { tenant, id: eventId, at: receipt.erasedAt, attributes };
  await store.events.append({ ...event, type: 'memory_erasure_completed' });
}

/** Returns the receipt of a request, searching after a sequence number; null if there is none. */
export async function erasureReceiptOf(
  { erasures }: Pick<Store, 'erasures'>,
  { tenant, requestId }: EraseInput,
  after: number,
): Promise<ErasureReceipt | null> {
  for await (const page of receiptPages(erasures, tenant, after)) {
    const found = page.find(({ id }) => id === requestId);
    if (found !== undefined) return found;
  }
  return null;
}

/** Yields the receipts after a sequence number, page by page. */
export function receiptPages(
  erasures: Pick<Store['erasures'], 'receipts'>,
  tenant: string,
  after = 0,
): AsyncGenerator<readonly ErasureReceipt[]> {
  return pagesOf<ErasureReceipt>(PAGE, (last) =>
    erasures.receipts(tenant, { after: last?.sequence ?? after, limit: PAGE }),
  );
}
