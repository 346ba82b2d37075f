/** Activities: start due flushes, settle which turns each flush takes, and end it. */
import type { FlushInput, FlushReading } from '#core/flush/flush-contract.ts';
import { flushBegun, flushEnded } from '#core/flush/pending-flush.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import type { FlushRuns } from '#core/ports/flush-runs.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { SessionRecord } from '#core/records/session.ts';
import { portionsOf, readerOf } from '../extraction/model-extraction.ts';
import {
  type FlushPorts,
  changeWaitingSession,
  TURNS_PER_FLUSH_MAX,
  readWaitingSession,
} from './session-to-flush.ts';

/**
 * Settles once which turns a flush takes, so that every repetition takes the same turns, whatever
 * is appended meanwhile.
 */
export async function gatherFlush(
  ports: Pick<FlushPorts, 'store' | 'platform' | 'models'>,
  input: FlushInput,
): Promise<FlushReading> {
  const { store, platform } = ports;
  const policy = await policyToRefreshBy(store.policies, input.tenant);
  const session = policy === null ? null : await readWaitingSession(ports, input);
  if (policy === null || session === null) return { kind: 'Gone' };
  const model = readerOf(policy, ports.models);
  // A session without an owner waits: a later append may name its owner, and announces it again.
  const through =
    session.opener === '' ? session.flushedTo : await lastOfPortion(ports, session, model);
  const changed = await changeWaitingSession(ports, input, (current) => {
    const version = current.version + 1;
    const settled = current.flush.through ?? through;
    if (settled <= current.flushedTo) return { ...current, flush: null, version };
    const flush = flushBegun(current.flush, settled, platform.clock());
    return { ...current, flush, version };
  });
  const flush = changed?.flush ?? null;
  if (changed === null || flush === null) return { kind: 'Gone' };
  const turns = (flush.through ?? 0) - changed.flushedTo;
  return { kind: 'Ready', turns, ...(model === null ? {} : { model: model.name }) };
}

async function lastOfPortion(
  { store }: Pick<FlushPorts, 'store'>,
  { tenant, sessionId, flushedTo }: SessionRecord,
  model: SummaryModel | null,
): Promise<number> {
  const page = { after: flushedTo, limit: TURNS_PER_FLUSH_MAX };
  const turns = await store.turns.page({ tenant, sessionId }, page);
  const [portion] = portionsOf(turns, model);
  return portion?.at(-1)?.sequence ?? flushedTo;
}

/** Ends a flush. Returns the id of the next one; null if no turn was appended since. */
export async function endFlush(
  ports: Pick<FlushPorts, 'store' | 'platform'>,
  input: FlushInput,
): Promise<{ readonly next: string | null }> {
  const { store, platform } = ports;
  const session = await readWaitingSession(ports, input);
  if (session === null) return { next: null };
  const { tenant, sessionId } = session;
  const lastSequence = (await store.turns.latest({ tenant, sessionId }, 1)).at(-1)?.sequence ?? 0;
  const parts = { lastSequence, nextId: platform.newId(), now: platform.clock() };
  await store.answers.close(tenant, input.flushId);
  const ended = await changeWaitingSession(ports, input, (current) => flushEnded(current, parts));
  return { next: ended?.flush?.id ?? null };
}

/** A start takes about 20 ms, and the activity has two minutes; the next tick takes the rest. */
const STARTED_PER_TICK_MAX = 500;
/** A released tenant is not flushed; its next owner finds its turns. */
const RELEASED_WAIT_MS = 24 * 3_600_000;

type Ports = Pick<FlushPorts, 'store' | 'platform'>;

/**
 * Activity of the tick: starts due flushes, of sessions that went quiet and of sessions whose run
 * was lost or never began.
 *
 * Covers one tenant or all; returns how many were started.
 */
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
      // A flush that cannot be started does not block the others.
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
  await changeWaitingSession(ports, input, (current) => ({
    ...current,
    flush: { ...current.flush, dueAt },
    version: current.version + 1,
  }));
  return false;
}
