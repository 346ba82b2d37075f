/**
 * A key gives its first answer again (design 6.6).
 *
 * Flow: the key is claimed before anything is written, and the id of what the call makes is kept
 * with it → the call runs → its answer (ids and versions) is kept. A call that died in between is
 * finished by the next one with its key: under the same id and time, so that it finds its own work.
 */
import { VarveError } from '#core/errors.ts';
import type { Call } from './operation.ts';
import type { EngineParts } from './parts.ts';
import type { EnginePorts } from './ports.ts';
import { isTransient } from './retry.ts';

/** One run of a call: when it began, and the id of what it makes. */
export interface Run {
  readonly id: string;
  readonly now: number;
  /** True where an earlier run may have done some or all of it. */
  readonly isRepeated: boolean;
  /** True where no other run has its id: that of a call without a key. */
  readonly isOnly: boolean;
}

export interface Keyed<T> {
  /** Null for a call without a key. */
  readonly key: string | null;
  /** What has to be the same for the same key; JSON. */
  readonly body: unknown;
  readonly work: (run: Run) => Promise<T>;
  readonly toAnswer: (result: T) => unknown;
  /** False where a part of it is still to be done: the next call with the key then does it. */
  readonly isDone?: (result: T) => boolean;
  /** Reads again what an answer names. */
  readonly fromAnswer: (answer: unknown) => Promise<T>;
}

/** @throws VarveError CONFLICT where the key had another body, and what the work throws */
export async function withKey<T>(
  { ports, keySweep }: Pick<EngineParts, 'ports' | 'keySweep'>,
  call: Call,
  keyed: Keyed<T>,
): Promise<T> {
  const { platform, store } = ports;
  const { tenant } = call;
  const fresh: Run = {
    id: platform.newId(),
    now: platform.clock(),
    isRepeated: false,
    isOnly: keyed.key === null,
  };
  if (keyed.key === null) return keyed.work(fresh);
  // A key belongs to who sends it: another principal's is another one.
  const key = platform.digest(JSON.stringify([call.by, keyed.key]));
  const bodyHash = platform.digest(canonicalJson([call.operation, keyed.body]));
  const claim = await call.retried(() =>
    store.idempotency.claim({ tenant, key, bodyHash, operationId: fresh.id, now: fresh.now }),
  );
  keySweep.noteKey(tenant);
  if (claim.kind === 'OtherBody') {
    throw new VarveError(
      'CONFLICT',
      'This idempotency key was used with another call; take a new key for a new call.',
    );
  }
  if (claim.kind === 'Answered') return keyed.fromAnswer(claim.answer);
  const run: Run =
    claim.kind === 'New'
      ? { ...fresh, id: claim.operationId }
      : { id: claim.operationId, now: claim.startedAt, isRepeated: true, isOnly: false };
  return finish(ports, call, { keyed, key, run });
}

async function finish<T>(
  ports: EnginePorts,
  call: Call,
  { keyed, key, run }: { keyed: Keyed<T>; key: string; run: Run },
): Promise<T> {
  const { idempotency } = ports.store;
  const { tenant } = call;
  let result: T;
  try {
    result = await keyed.work(run);
  } catch (error) {
    // A refusal has changed nothing; whatever else may have, and keeps its id for the next try.
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

/** JSON with the fields of every object in one order, so that equal bodies have equal texts. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, field: unknown) => {
    if (typeof field !== 'object' || field === null || Array.isArray(field)) return field;
    const names = Object.keys(field).toSorted();
    return Object.fromEntries(
      names.map((name) => [name, (field as Record<string, unknown>)[name]]),
    );
  });
}
