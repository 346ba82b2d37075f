/** Attempts of a batch that were begun and whose outcome nobody reported. */
import type { RefreshPorts } from './refresh-ports.ts';

/** Attempts on record for one batch; the retry policy ends long before. */
const ATTEMPTS_LISTED_MAX = 50;

/** Settles them at their full reserve, since they may have been charged; answers how many ran. */
export async function settleLostAttempts(
  { store, platform }: Pick<RefreshPorts, 'store' | 'platform'>,
  { tenant, batchId }: { tenant: string; batchId: string },
): Promise<number> {
  const entries = await store.accounts.entries(tenant, { batchId, limit: ATTEMPTS_LISTED_MAX });
  for (const { attemptId, state } of entries) {
    if (state !== 'Reserved') continue;
    const settlement = { outcome: 'UnknownOutcome', now: platform.clock() } as const;
    await store.accounts.settle({ tenant, attemptId }, null, settlement);
  }
  return entries.length;
}
