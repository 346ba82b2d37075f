/**
 * Runs an erasure from its request to its receipt.
 *
 * Flow: record the request → run it as a workflow, or in this process if there are no workflows or
 * no worker runs → the receipt. Guarantees: after a crash at any point, the same request continues
 * where it stopped, and its receipt includes what was deleted before the crash.
 */
import { PASSES_MAX, runErasure } from '#core/erasure/erase-run.ts';
import { isNothing, isPendingOf, redactedTarget } from '#core/erasure/erasure-receipt.ts';
import { VarveError } from '#core/errors.ts';
import type { EraseInput } from '#core/ports/erasure-runs.ts';
import type { ErasureReceipt, ErasureTarget } from '#core/records/erasure.ts';
import { eraseActivities, erasureReceiptOf, type EraseParts } from './erase-activities.ts';

export type { EraseParts } from './erase-activities.ts';

/** Longer than any erasure takes; one that takes longer runs twice, which is harmless. */
const RESUMED_AFTER_MS = 15 * 60_000;
/** Maximum tenants per call. */
const RESUMED_MAX = 20;

interface EraseRequest {
  readonly tenant: string;
  readonly target: ErasureTarget;
  readonly by: string;
  /** The receipt whose erasure is repeated; null for a new erasure. */
  readonly again?: string | null;
}

/**
 * Erases the target of a request. Returns null if there was nothing to erase.
 * @throws VarveError CONFLICT if others keep writing what is being erased, TIMEOUT
 */
export async function erase(
  parts: EraseParts,
  request: EraseRequest,
): Promise<ErasureReceipt | null> {
  const { tenant } = request;
  const begun = await begin(parts, request);
  if (begun === null) return null;
  const { requestId, receipts } = begun;
  const input = { tenant, requestId };
  if (!(await isRunDone(parts, input))) await eraseHere(parts, input);
  return erasureReceiptOf(parts.store, input, receipts);
}

/**
 * Continues erasures whose process or run has evidently ended. Returns how many now have their
 * receipt or a run; the next call retries the failed ones.
 */
export async function resumeErasures(parts: EraseParts, now: number): Promise<number> {
  const { store, platform, refreshTrigger } = parts;
  const before = now - RESUMED_AFTER_MS;
  const ledgers = await store.erasures.unfinished({ before, limit: RESUMED_MAX });
  const waiting = ledgers.flatMap(({ tenant, pending }) =>
    pending
      .filter(({ requestedAt }) => requestedAt <= before)
      .map(({ id: requestId }) => ({ tenant, requestId })),
  );
  let resumed = 0;
  for (const input of waiting) {
    try {
      if (refreshTrigger.erasures === undefined) await eraseHere(parts, input);
      else await refreshTrigger.erasures.start(input);
      resumed += 1;
    } catch (error) {
      const code = error instanceof VarveError ? error.code : 'CORRUPT';
      const { tenant } = input;
      platform.log.warn({ tenant, code }, 'erasure not finished; the next tick resumes it');
    }
  }
  return resumed;
}

/** Returns the recorded request, which continues if unfinished; null if there is nothing to do. */
async function begin(
  { store, platform }: EraseParts,
  { tenant, target, by, again = null }: EraseRequest,
): Promise<{ readonly requestId: string; readonly receipts: number } | null> {
  const { digest } = platform;
  const { pending, receipts } = await store.erasures.ledger(tenant);
  const known = pending.find((each) => isPendingOf(digest, each, target));
  if (known !== undefined) return { requestId: known.id, receipts };
  if (target.kind !== 'Tenant' && isNothing(await store.erasures.find(tenant, target))) return null;
  const id = platform.newId();
  const of = redactedTarget(digest, id, target);
  const begun = { id, target, of, by, again, requestedAt: platform.clock(), erased: [] };
  await store.erasures.note(tenant, begun);
  return { requestId: id, receipts };
}

/** Whether a workflow has done it. An unreachable Temporal must not hold up an erasure. */
async function isRunDone(
  { platform, refreshTrigger: { erasures } }: EraseParts,
  input: EraseInput,
): Promise<boolean> {
  if (erasures === undefined) return false;
  try {
    await erasures.start(input);
    if (await erasures.settled(input)) return true;
    platform.log.warn({ ...input }, 'no worker runs the erasure; this process does it');
  } catch (error) {
    platform.log.warn({ ...input, error }, 'no run of the erasure; this process does it');
  }
  return false;
}

async function eraseHere(parts: EraseParts, input: EraseInput): Promise<void> {
  if (await runErasure(eraseActivities(parts), input)) return;
  const message =
    'Other processes keep writing data that is being erased. Stop them, and erase again.';
  throw new VarveError('CONFLICT', message, { details: { passesMax: PASSES_MAX } });
}
