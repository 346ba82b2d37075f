/**
 * Activity of the tick: starts the flushes that are due, of sessions that fell silent, and of those
 * whose run was lost or never began.
 */
import type { FlushRuns } from '#core/ports/flush-runs.ts';
import { policyToRefreshBy } from '#core/policy/tenant-policy.ts';
import type { SessionRecord } from '#core/records/session.ts';
import type { FlushPorts } from './flush-ports.ts';
import { changeWaiting } from './flush-session.ts';

/** Some 20 ms for each start, and the activity has two minutes; the next tick takes the rest. */
const STARTED_PER_TICK_MAX = 500;
/** Of a tenant that was let go of nothing is made; whoever takes it up again finds its turns. */
const RELEASED_WAIT_MS = 24 * 3_600_000;

type Ports = Pick<FlushPorts, 'store' | 'platform'>;

/** Of one tenant, or of all; answers how many were started. */
export async function startDueFlushes(
  ports: Ports,
  runs: FlushRuns,
  tenantOnly?: string,
): Promise<{ readonly started: number }> {
  const { store, platform } = ports;
  const due = {
    now: platform.clock(),
    limit: STARTED_PER_TICK_MAX,
    ...(tenantOnly === undefined ? {} : { tenant: tenantOnly }),
  };
  let started = 0;
  for (const session of await store.sessions.dueFlushes(due)) {
    const { tenant } = session;
    try {
      // One that cannot be started does not hold up the others.
      if (await startOne(ports, runs, session)) started += 1;
    } catch (error) {
      platform.log.warn({ tenant, error }, 'flush not started; the next tick retries');
    }
  }
  return { started };
}

async function startOne(
  ports: Ports,
  runs: FlushRuns,
  { tenant, flush }: SessionRecord,
): Promise<boolean> {
  if (flush === null) return false;
  const input = { tenant, flushId: flush.id };
  if ((await policyToRefreshBy(ports.store.policies, tenant)) !== null) {
    return (await runs.start(input)) === 'Started';
  }
  const dueAt = ports.platform.clock() + RELEASED_WAIT_MS;
  await changeWaiting(ports, input, (current) => ({
    ...current,
    flush: { ...current.flush, dueAt },
    version: current.version + 1,
  }));
  return false;
}
