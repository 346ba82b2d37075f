/** Settles reservations of calls whose process ended; the next attempt does it, or a tick. */
import { costOf } from '#core/budget/price.ts';
import type { LedgerEntry } from '#core/records/account.ts';
import { BATCH_LEASE_MS } from '#core/refresh/batch-lease.ts';
import type { Models, RefreshPorts } from './refresh-ports.ts';

/** Attempts read for one batch; the retry policy ends long before. */
const ATTEMPTS_LISTED_MAX = 50;
/** Longer than any activity and any lease, so the process that made the reservation has ended. */
const LOST_AFTER_MS = 2 * BATCH_LEASE_MS;
/** Reservations settled by one tick; the next tick takes the rest. */
const SETTLED_PER_TICK_MAX = 200;

interface SettlePorts extends Pick<RefreshPorts, 'store' | 'platform'> {
  /** Needed for their prices; only calls of summary models have stored answers. */
  readonly models?: Pick<Models, 'byName'>;
}

/** Ports for many tenants, each with its own models. */
interface PortsOfAll extends SettlePorts {
  readonly modelsOf?: (tenant: string) => Promise<Pick<Models, 'byName'>>;
}

/** Settles the lost reservations of a batch; returns how many attempts the batch ever had. */
export async function settleLostAttempts(
  ports: SettlePorts,
  { tenant, batchId }: { tenant: string; batchId: string },
): Promise<number> {
  const { accounts } = ports.store;
  const entries = await accounts.entries(tenant, { batchId, limit: ATTEMPTS_LISTED_MAX });
  for (const entry of entries) {
    if (entry.state === 'Reserved') await settleLost(ports, entry);
  }
  return entries.length;
}

/**
 * Settles what no run will: reservations of batches that were never released, and of calls whose
 * process crashed. One that cannot be settled does not block the others; the next tick retries it.
 * Returns how many were settled.
 */
export async function settleLostReservations(ports: PortsOfAll): Promise<number> {
  const { store, platform, modelsOf } = ports;
  const before = platform.clock() - LOST_AFTER_MS;
  let settled = 0;
  for (const entry of await store.accounts.unsettled({ before, limit: SETTLED_PER_TICK_MAX })) {
    const { tenant, attemptId } = entry;
    try {
      const models = modelsOf === undefined ? {} : { models: await modelsOf(tenant) };
      await settleLost({ ...ports, ...models }, entry);
      settled += 1;
    } catch (error) {
      platform.log.warn({ tenant, attemptId, error }, 'reservation not settled; will retry');
    }
  }
  if (settled > 0) platform.log.info({ settled }, 'lost reservations settled');
  return settled;
}

/**
 * Settles at the actual usage if the answer was stored; otherwise at the full reserve, since the
 * call may have been charged.
 */
async function settleLost(
  { store, platform, models }: SettlePorts,
  entry: LedgerEntry,
): Promise<void> {
  const { tenant, batchId, attemptId } = entry;
  const answers = await store.answers.ofBatch(tenant, batchId);
  const answer = answers.find((each) => each.attemptId === attemptId);
  const price = models?.byName(entry.model)?.price ?? null;
  const used = answer === undefined || price === null ? null : costOf(answer.usage, price);
  const outcome = used === null ? 'UnknownOutcome' : 'Usage';
  await store.accounts.settle({ tenant, attemptId }, used, { outcome, now: platform.clock() });
}
