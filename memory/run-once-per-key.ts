/**
 * Returns the first answer again for a repeated idempotency key (design 6.6).
 *
 * Flow: claim the key before anything is written, together with the id of what the call makes →
 * run the call → keep its answer (ids and versions). If a call crashes in between, the next call
 * with its key finishes it under the same id and time, and so finds its own work.
 */
import { canonicalJson } from '#core/hash.ts';
import { VarveError } from '#core/errors.ts';
import type { ClaimedKey } from '#core/ports/memory-provider.ts';
import type { Call } from './measured-call.ts';
import type { ProviderParts } from './provider-parts.ts';
import type { ProviderPorts } from './provider-ports.ts';
import { isTransient } from './store-and-embedder-retries.ts';

/** One run of a call: its start time and the id of what it makes. */
export interface Run {
  readonly id: string;
  readonly now: number;
  /** True if an earlier run may have done some or all of the work. */
  readonly isRepeated: boolean;
  /** True if no other run has its id, which is the case for a call without a key. */
  readonly isOnly: boolean;
}

interface Keyed<T> {
  /** Null for a call without a key. */
  readonly key: string | null;
  /** What must be equal under the same key; JSON. */
  readonly body: unknown;
  readonly work: (run: Run) => Promise<T>;
  readonly toAnswer: (result: T) => unknown;
  /** Returns false if work is left, which the next call with the key then does. */
  readonly isDone?: (result: T) => boolean;
  /** Reads what a kept answer names. */
  readonly fromAnswer: (answer: unknown) => Promise<T>;
}

/**
 * Runs work under an idempotency key.
 * @throws VarveError CONFLICT if the key was used with another body, and what the work throws
 */
export async function runOncePerKey<T>(
  { ports, keySweep }: Pick<ProviderParts, 'ports' | 'keySweep'>,
  call: Call,
  keyed: Keyed<T>,
): Promise<T> {
  const { platform } = ports;
  if (keyed.key === null) {
    const run = { id: platform.newId(), now: platform.clock(), isRepeated: false, isOnly: true };
    return keyed.work(run);
  }
  const { key, claim, now } = await claimKey({ ports, keySweep }, call, {
    key: keyed.key,
    body: keyed.body,
  });
  if (claim.kind === 'Answered') return keyed.fromAnswer(claim.answer);
  const run: Run =
    claim.kind === 'New'
      ? { id: claim.operationId, now, isRepeated: false, isOnly: false }
      : { id: claim.operationId, now: claim.startedAt, isRepeated: true, isOnly: false };
  return finish(ports, call, { keyed, key, run });
}

/**
 * Claims an idempotency key for a body, and returns the key as it is stored.
 * @throws VarveError CONFLICT if the key was used with another body
 */
export async function claimKey(
  { ports: { platform, store }, keySweep }: Pick<ProviderParts, 'ports' | 'keySweep'>,
  call: Call,
  { key: given, body }: { readonly key: string; readonly body: unknown },
): Promise<ClaimedKey> {
  const { tenant } = call;
  const [operationId, now] = [platform.newId(), platform.clock()];
  // A key belongs to its sender: the same text from another principal is another key.
  const key = platform.digest(JSON.stringify([call.by, given]));
  const bodyHash = platform.digest(canonicalJson([call.operation, body]));
  const claim = await call.retried(() =>
    store.idempotency.claim({ tenant, key, bodyHash, operationId, now }),
  );
  keySweep.noteKey(tenant);
  if (claim.kind === 'OtherBody') {
    throw new VarveError(
      'CONFLICT',
      'This idempotency key was used with another call; use a new key for a new call.',
      { isSettled: true },
    );
  }
  return { key, claim, now };
}

async function finish<T>(
  ports: ProviderPorts,
  call: Call,
  { keyed, key, run }: { keyed: Keyed<T>; key: string; run: Run },
): Promise<T> {
  const { idempotency } = ports.store;
  const { tenant } = call;
  let result: T;
  try {
    result = await keyed.work(run);
  } catch (error) {
    // A refusal changed nothing, so release the key. Any other failure may have changed something:
    // the key keeps its id for the next try.
    if (!run.isRepeated && isRefusal(error)) {
      await call.retried(() => idempotency.release(tenant, key, run.id));
    }
    throw error;
  }
  if (keyed.isDone?.(result) !== false) {
    await call.retried(() => idempotency.answer(tenant, key, keyed.toAnswer(result)));
  }
  return result;
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof VarveError)) return false;
  const { code } = error;
  return code !== 'CANCELLED' && code !== 'CORRUPT' && !isTransient(error);
}
