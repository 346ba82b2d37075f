/** When a provider is asked whether it is there, and what of the answer is new. Pure. */
import { VarveError, type ErrorCode } from '#core/errors.ts';
import type { ModelProviderRecord, ProviderCheck } from '#core/records/model-provider.ts';

/** What works is asked again after so long. */
const CHECK_EVERY_MS = 5 * 60_000;
/** What does not, sooner: somebody may be mending it. */
const CHECK_AGAIN_MS = 60_000;
/** What was found to be away just now, before anybody is told. */
const CONFIRM_MS = 12_000;
/** Of all, more or less: workers that began together do not ask together for ever. */
const JITTER = 0.2;

/** With these it answers and knows the key; that it lists no models stops no call. */
const ANSWERED: ReadonlySet<ErrorCode> = new Set(['RATE_LIMITED', 'PROVIDER_REJECTED']);

export type Found = Pick<ProviderCheck, 'state' | 'code'>;

/** What one worker remembers of a provider. */
export interface LastCheck {
  /** Of the provider that was asked. */
  readonly hash: string;
  readonly at: number;
  readonly dueAt: number;
  readonly state: Found['state'];
}

/** What failed since it was asked is asked anew: the conditions then tell of it soon. */
export function isDue(
  { hash }: ModelProviderRecord,
  last: LastCheck | undefined,
  { now, failedAt }: { now: number; failedAt: number | null },
): boolean {
  if (last?.hash !== hash) return true;
  return now >= last.dueAt || (failedAt !== null && failedAt > last.at);
}

/** `chance` is at least 0 and below 1. */
export function lastCheck(
  { hash }: ModelProviderRecord,
  { state }: Found,
  { now, chance, isTold }: { now: number; chance: number; isTold: boolean },
): LastCheck {
  const again = isTold ? CHECK_AGAIN_MS : CONFIRM_MS;
  const pause = state === 'Available' ? CHECK_EVERY_MS : again;
  return { hash, at: now, dueAt: now + pause * (1 + JITTER * (2 * chance - 1)), state };
}

/**
 * Whether a finding is told: that a provider is away once two checks of one worker in a row say so.
 * One that fails may be the network's.
 */
export function isConfirmed(
  { hash }: ModelProviderRecord,
  { state }: Found,
  last: LastCheck | undefined,
): boolean {
  return state === 'Available' || (last?.hash === hash && last.state === state);
}

/** Whether the store does not say so yet: what says nothing new is not written. */
export function isNews({ check }: ModelProviderRecord, { state, code }: Found): boolean {
  return check?.state !== state || check.code !== code;
}

export const AVAILABLE: Found = { state: 'Available', code: null };

export function foundOf(failure: unknown): Found {
  const code: ErrorCode = failure instanceof VarveError ? failure.code : 'PROVIDER_ERROR';
  return ANSWERED.has(code) ? AVAILABLE : { state: 'Unavailable', code };
}
