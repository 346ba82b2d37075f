/**
 * Runs an erasure from its request to its receipt.
 *
 * Flow: record the request → delete what is found until nothing is found → forget the target's
 * name → have the database rewrite its files → replace the request with the receipt. Guarantees:
 * after a crash at any point the same request continues where it stopped, and its receipt includes
 * what was deleted before the crash.
 */
import { isNothing, isPendingOf, ofTarget, withErased } from '#core/erasure/receipt.ts';
import { VarveError } from '#core/errors.ts';
import type { Layer } from '#core/layer.ts';
import type { PartTarget } from '#core/ports/erasure-records.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type {
  ErasedIds,
  ErasureReceipt,
  ErasureTarget,
  PendingErasure,
} from '#core/records/erasure.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { duePolicyOf, policyInForce } from '#core/policy/tenant-policy.ts';

/** Maximum passes over a tenant that others keep writing to. */
const PASSES_MAX = 16;
/**
 * Longer than any running erasure takes. If one does take longer, it runs twice, which is
 * harmless.
 */
const RESUMED_AFTER_MS = 15 * 60_000;
/** Maximum tenants per call. */
const RESUMED_MAX = 20;
/** Maximum records that one step of a tenant's erasure deletes. */
const STEP_MAX = 1_000;
/** Maximum steps per call, enough for a tenant of a hundred million records. */
const STEPS_MAX = 100_000;

export interface EraseParts {
  readonly store: Store;
  readonly platform: Platform;
}

export interface EraseRequest {
  readonly tenant: string;
  readonly target: ErasureTarget;
  readonly by: string;
  /** The receipt by which an erasure is repeated. */
  readonly again?: string | null;
}

export interface Erasure {
  /** Null if there was nothing to erase. */
  readonly receipt: ErasureReceipt | null;
  /** Scopes that lost sources. */
  readonly scopes: readonly ScopeRecord[];
}

/**
 * Erases the target of a request.
 * @throws VarveError CONFLICT if others keep writing what is being erased, TIMEOUT
 */
export async function erase(parts: EraseParts, request: EraseRequest): Promise<Erasure> {
  const { tenant, target } = request;
  const begun = await begin(parts, request);
  if (begun === null) return { receipt: null, scopes: [] };
  const { pending, scopes } =
    target.kind === 'Tenant'
      ? { pending: await eraseTenant(parts, tenant, begun), scopes: [] }
      : await erasePart(parts, { tenant, target, pending: begun });
  return { receipt: await end(parts, tenant, pending), scopes };
}

/**
 * Continues erasures whose process has evidently ended. Returns how many now have their receipt;
 * the next call retries the failed ones.
 */
export async function resumeErasures(parts: EraseParts, now: number): Promise<number> {
  const { store, platform } = parts;
  const before = now - RESUMED_AFTER_MS;
  const ledgers = await store.erasures.unfinished({ before, limit: RESUMED_MAX });
  const waiting = ledgers.flatMap(({ tenant, pending }) =>
    pending
      .filter(({ requestedAt }) => requestedAt <= before)
      .map((each) => ({ tenant, pending: each })),
  );
  let ended = 0;
  for (const { tenant, pending } of waiting) {
    const { target, by } = pending;
    try {
      const receipt =
        target === null
          ? await end(parts, tenant, pending)
          : (await erase(parts, { tenant, target, by })).receipt;
      if (receipt !== null) ended += 1;
    } catch (error) {
      const code = error instanceof VarveError ? error.code : 'CORRUPT';
      platform.log.warn({ tenant, code }, 'erasure not finished; the next tick resumes it');
    }
  }
  return ended;
}

/** Returns the recorded request, which continues if unfinished; null if there is nothing to do. */
async function begin(
  { store, platform }: EraseParts,
  { tenant, target, by, again = null }: EraseRequest,
): Promise<PendingErasure | null> {
  const { digest } = platform;
  const { pending } = await store.erasures.ledger(tenant);
  const known = pending.find((each) => isPendingOf(digest, each, target));
  if (known !== undefined) return known;
  if (target.kind !== 'Tenant' && isNothing(await store.erasures.find(tenant, target))) return null;
  const id = platform.newId();
  const of = ofTarget(digest, id, target);
  const begun = { id, target, of, by, again, requestedAt: platform.clock(), erased: [] };
  await store.erasures.note(tenant, begun);
  return begun;
}

async function erasePart(
  { store, platform }: EraseParts,
  of: {
    readonly tenant: string;
    readonly target: PartTarget;
    readonly pending: PendingErasure;
  },
): Promise<{ readonly pending: PendingErasure; readonly scopes: readonly ScopeRecord[] }> {
  const { tenant, target } = of;
  const policy = await policyInForce(store.policies, tenant);
  const scopes: ScopeRecord[] = [];
  let { pending } = of;
  const foundFirst = async (found: ErasedIds): Promise<void> => {
    const { digest } = platform;
    pending = {
      ...pending,
      erased: withErased(pending.erased, found, { digest, receiptId: pending.id }),
    };
    await store.erasures.note(tenant, pending);
  };
  for (let pass = 0; pass < PASSES_MAX; pass += 1) {
    const now = platform.clock();
    const rules = (layer: Layer) => ({
      policy: duePolicyOf(policy, layer),
      now,
      by: of.pending.by,
    });
    const done = await store.erasures.remove(tenant, target, { rules, foundFirst });
    if (isNothing(done.found)) return { pending, scopes };
    scopes.push(...done.scopes);
  }
  throw kept();
}

function kept(): VarveError {
  const message = 'Other processes keep writing what is to be erased. Stop them, and erase again.';
  return new VarveError('CONFLICT', message, { details: { passesMax: PASSES_MAX } });
}

async function eraseTenant(
  { store, platform }: EraseParts,
  tenant: string,
  begun: PendingErasure,
): Promise<PendingErasure> {
  const [before] = begun.erased;
  let count = before?.count ?? 0;
  const counted = () => ({
    ...begun,
    erased: [{ kind: 'Record' as const, count, fingerprints: [] }],
  });
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const now = platform.clock();
    const options = { limit: STEP_MAX, now, keepsPolicy: true, keepsReceipts: true };
    const step = await store.eraseTenant(tenant, options);
    count += step.deleted;
    await store.erasures.note(tenant, counted());
    if (step.isDone) return counted();
  }
  throw kept();
}

async function end(
  { store, platform }: EraseParts,
  tenant: string,
  pending: PendingErasure,
): Promise<ErasureReceipt | null> {
  await store.erasures.note(tenant, { ...pending, target: null });
  const files = await store.rewriteFiles();
  const at = platform.clock();
  const receipt = await store.erasures.finish(tenant, pending.id, { erasedAt: at, files });
  // Nothing but receipts may remain of an erased tenant.
  if (receipt === null || pending.of.kind === 'Tenant') return receipt;
  const attributes = { receiptId: receipt.id, sequence: receipt.sequence };
  const event = { tenant, id: platform.newId(), at, attributes };
  await store.events.append({ ...event, type: 'memory_erasure_completed' });
  return receipt;
}
