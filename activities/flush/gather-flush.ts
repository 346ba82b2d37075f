/**
 * Activity: settles which turns a flush takes, once and for all, so that every repetition of it
 * takes the same, whatever is appended meanwhile.
 */
import { flushBegun } from '#core/flush/pending-flush.ts';
import type { FlushInput, FlushReading } from '#core/flush/flush-contract.ts';
import { policyToRefreshBy } from '#core/policy/tenant-policy.ts';
import type { FlushPorts } from './flush-ports.ts';
import { changeWaiting, TURNS_PER_FLUSH_MAX, waitingSession } from './flush-session.ts';

/** Tokens of one portion, one turn at least: as many as one call of any model reads. */
const TOKENS_PER_FLUSH_MAX = 12_000;

export async function gatherFlush(
  ports: Pick<FlushPorts, 'store' | 'platform'>,
  input: FlushInput,
): Promise<FlushReading> {
  const { store, platform } = ports;
  const policy = await policyToRefreshBy(store.policies, input.tenant);
  const session = policy === null ? null : await waitingSession(ports, input);
  if (session === null) return { kind: 'Gone' };
  // A session of nobody waits: a later append may say whose it is, and announces it again.
  const through = session.opener === '' ? session.flushedTo : await lastOfPortion(ports, session);
  const changed = await changeWaiting(ports, input, (current) => {
    const version = current.version + 1;
    const settled = current.flush.through ?? through;
    if (settled <= current.flushedTo) return { ...current, flush: null, version };
    const flush = flushBegun(current.flush, settled, platform.clock());
    return { ...current, flush, version };
  });
  const flush = changed?.flush ?? null;
  if (changed === null || flush === null) return { kind: 'Gone' };
  return { kind: 'Ready', turns: (flush.through ?? 0) - changed.flushedTo };
}

async function lastOfPortion(
  { store }: Pick<FlushPorts, 'store'>,
  { tenant, sessionId, flushedTo }: { tenant: string; sessionId: string; flushedTo: number },
): Promise<number> {
  const page = { after: flushedTo, limit: TURNS_PER_FLUSH_MAX };
  let tokens = 0;
  let last = flushedTo;
  for (const turn of await store.turns.page({ tenant, sessionId }, page)) {
    tokens += turn.tokenCount;
    if (tokens > TOKENS_PER_FLUSH_MAX && last > flushedTo) break;
    last = turn.sequence;
  }
  return last;
}
