/**
 * Activity: one step of a compaction, some sessions of a tenant in the order of their oldest turn.
 * At the end of the walk the answers of models go that are as old as the turns and that no run
 * finished: they may quote them.
 */
import type { SessionPlace } from '#core/ports/turn-records.ts';
import type { CompactionTotals } from '#core/ports/compactions.ts';
import {
  addCompaction,
  NO_COMPACTION,
  SESSIONS_PER_STEP,
  type CompactStepInput,
  type CompactStepReport,
} from '#core/retention/retention-contract.ts';
import { retentionMsOf } from '#core/retention/retention.ts';
import type { OldSession } from '#core/ports/turn-records.ts';
import { policyToRefreshBy } from '#core/policy/tenant-policy.ts';
import type { ActivityCall } from '../refresh-ports.ts';
import { tryCompactSession, type RetentionPorts, type SessionOutcome } from './compact-session.ts';

/** Answers forgotten by one step; the rest goes with the next run. */
const ANSWERS_PER_STEP_MAX = 1_000;

/** Nothing is done for a tenant that its owner let go of. */
export async function compactStep(
  ports: RetentionPorts,
  { tenant, place, dryRun = false }: CompactStepInput,
  call: ActivityCall,
): Promise<CompactStepReport> {
  const { store, platform } = ports;
  const policy = await policyToRefreshBy(store.policies, tenant);
  const until = policy === null ? 0 : platform.clock() - retentionMsOf(policy);
  const sessions =
    policy === null
      ? []
      : await store.turns.oldSessions(tenant, { until, place, limit: SESSIONS_PER_STEP });
  let done = NO_COMPACTION;
  const left: OldSession[] = [];
  for (const session of sessions) {
    // What was not looked at must not be passed over: the step is asked for again.
    call.signal.throwIfAborted();
    if (policy === null) break;
    const outcome = await tryCompactSession(ports, { policy, session, dryRun });
    if (outcome.staying !== null || dryRun) left.push(session);
    if (!dryRun) count(ports, outcome);
    done = addCompaction(done, totalsOf(outcome));
    call.report?.({ sessions: done.sessions, turns: done.turns });
  }
  const next = sessions.length < SESSIONS_PER_STEP ? null : nextPlace(place, sessions, left);
  if (next === null && policy !== null && !dryRun) {
    const answers = await store.answers.forget(tenant, { until, limit: ANSWERS_PER_STEP_MAX });
    done = addCompaction(done, { answers });
  }
  return { place: next, done, eventId: platform.newId() };
}

/** After the last session: those of the same moment that stay are passed over by their number. */
function nextPlace(
  place: SessionPlace | null,
  sessions: readonly OldSession[],
  left: readonly OldSession[],
): SessionPlace {
  const from = sessions.at(-1)?.oldestAt ?? 0;
  const skipped = place?.from === from ? place.skip : 0;
  return { from, skip: skipped + left.filter(({ oldestAt }) => oldestAt === from).length };
}

function totalsOf(outcome: SessionOutcome): Partial<CompactionTotals> {
  const { turns, quotes, bytes: bytesFreed, unsummarized, staying } = outcome;
  return {
    sessions: turns > 0 ? 1 : 0,
    turns,
    quotes,
    bytesFreed,
    unsummarized,
    waiting: staying === null ? 0 : 1,
  };
}

function count({ metrics }: RetentionPorts, outcome: SessionOutcome): void {
  const { turns, unsummarized, bytes, staying } = outcome;
  const counted = [
    ['Summarized', turns - unsummarized],
    ['Unsummarized', unsummarized],
  ] as const;
  for (const [kind, by] of counted) {
    if (by > 0) metrics.count('memory_compaction_turns_total', { outcome: kind }, by);
  }
  if (bytes > 0) metrics.count('memory_compaction_bytes_freed_total', {}, bytes);
  if (staying !== null)
    metrics.count('memory_compaction_sessions_waiting_total', { reason: staying });
}
