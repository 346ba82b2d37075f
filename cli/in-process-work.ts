/** Work that the library or a command does in its own process: refreshes, flushes, dreams. */
import { createActivities } from '#activities/create-activities.ts';
import { applyApproved } from '#activities/dreams/apply-proposal.ts';
import { askFlush } from '#activities/flush/ask-flush.ts';
import { endFlush, gatherFlush, startDueFlushes } from '#activities/flush/start-due-flushes.ts';
import type { FlushPorts } from '#activities/flush/session-to-flush.ts';
import { countsOf, keepFlush, writeFlush } from '#activities/flush/write-flush.ts';
import { settleLostReservations } from '#activities/settle-lost-reservations.ts';
import { portsOfTenant, withModelsOf, type RefreshPorts } from '#activities/refresh-ports.ts';
import { addTotals } from '#core/add-totals.ts';
import { budgetExhausted, budgetMessage } from '#core/budget/budget-exhausted.ts';
import { applyDreamWorkflowId, dreamWorkflowId } from '#core/dreams/dream-contract.ts';
import { runDream } from '#core/dreams/dream-run.ts';
import { VarveError } from '#core/errors.ts';
import { isErrorCode, type ErrorCode } from '#core/error-codes.ts';
import type { ExtractionResult } from '#core/records/extracted-statement.ts';
import { runFlush } from '#core/flush/flush-run.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { FlushDone, FlushInput } from '#core/ports/flush-runs.ts';
import { NO_REFRESH_TRIGGER, type RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { Exhaustion } from '#core/records/account.ts';
import type { Document } from '#core/records/document.ts';
import {
  NO_TOTALS,
  type ClaimKind,
  type RefreshFailure,
  type RefreshReport,
} from '#core/refresh/refresh-contract.ts';
import { refreshRound } from '#core/refresh/refresh-round.ts';
import { linesText } from '#core/memory-files/daily-and-diary-text.ts';

/** Rounds of one inline refresh; each claims up to eight batches. */
const INLINE_ROUNDS_MAX = 1_000;

/**
 * Refreshes a tenant without a batch window, since the caller does not want to wait.
 * @throws VarveError BUDGET_EXHAUSTED after all affordable work is done, if the budget refused
 * something and the tenant's policy says `Reject`
 */
export async function refreshInProcess(
  parts: RefreshPorts,
  tenant: string,
  kind: ClaimKind,
): Promise<RefreshReport> {
  const { signal } = new AbortController();
  // Without workflows there is no tick that would do this.
  await settleLostReservations(withModelsOf(parts));
  const ports = await portsOfTenant(parts, tenant);
  await flushDueHere({ ...ports, refreshTrigger: NO_REFRESH_TRIGGER }, tenant);
  const activities = createActivities(parts, NO_REFRESH_TRIGGER, () => ({ signal }));
  const claim = parts.platform.newId();
  let totals = NO_TOTALS;
  const rejected: Exhaustion[] = [];
  const failures = new Map<ErrorCode, RefreshFailure>();
  /** Message of the failure whose code is asked for just before it is reported. */
  let message = '';
  for (let round = 0; round < INLINE_ROUNDS_MAX; round += 1) {
    const done = await refreshRound(activities, {
      tenant,
      claimId: `${claim}/${String(round)}`,
      kind,
      codeOf: (failure) => {
        message = failure instanceof Error ? failure.message : String(failure);
        return failure instanceof VarveError ? failure.code : 'CORRUPT';
      },
      onFailure: (code) => {
        const { batches = 0, message: first = message || wordsOf(code) } = failures.get(code) ?? {};
        failures.set(code, { code, batches: batches + 1, message: first });
        message = '';
        parts.platform.log.warn({ tenant, code }, 'batch released');
      },
      onExhausted: (report) => {
        if (report.rejected) rejected.push(report.details);
      },
    });
    totals = addTotals(totals, done);
    if (done.batches + done.unchanged + done.emptied === 0) break;
    if (done.generated + done.advanced + done.unchanged + done.emptied === 0) break;
  }
  const last = rejected.at(-1);
  if (last !== undefined) {
    const { generated } = totals;
    throw budgetExhausted('every summary that is due', { ...last, generated });
  }
  for (const waiting of await waitingFailures(parts, tenant)) {
    if (!failures.has(waiting.code)) failures.set(waiting.code, waiting);
  }
  return { ...totals, failures: [...failures.values()] };
}

/** Scopes that are searched for reasons why they have no summary; a scope on hold waits an hour. */
const WAITING_SEEN = { scopesMax: 200, aheadMs: 61 * 60_000 };

/** Returns why scopes are not retried now: a refresh failed, or its answer was refused. */
async function waitingFailures(
  { store, platform }: RefreshPorts,
  tenant: string,
): Promise<readonly RefreshFailure[]> {
  const now = platform.clock();
  const { scopesMax: limit, aheadMs } = WAITING_SEEN;
  const soon = await store.scopes.due(tenant, { until: now + aheadMs, now, limit });
  const waiting = soon.flatMap(({ hold, deadLetter, dueAt }) => {
    if (deadLetter !== null) return [{ code: deadLetter.code, until: dueAt ?? now }];
    return hold !== null && hold.until > now ? [{ code: hold.code, until: hold.until }] : [];
  });
  return [...Map.groupBy(waiting, ({ code }) => code)].flatMap(([code, scopes]) => {
    // A scope that changed during a call waits too, but did not fail.
    if (!isErrorCode(code) || code === 'CONFLICT') return [];
    const until = new Date(Math.max(...scopes.map((each) => each.until))).toISOString();
    const wait = scopes.length === 1 ? '1 scope waits' : `${String(scopes.length)} scopes wait`;
    return [{ code, batches: 0, message: `${wait} until ${until}, to be tried again then.` }];
  });
}

/** Returns the message for a failure that is known only by its code. */
function wordsOf(code: ErrorCode): string {
  return code === 'BUDGET_EXHAUSTED'
    ? budgetMessage('it')
    : 'Some calls of the batch failed; the other answers are kept. Refresh again.';
}

/** Runs a flush. Returns its result with its text. @throws VarveError as the steps do */
export async function flushInProcess(ports: FlushPorts, input: FlushInput): Promise<FlushDone> {
  const { signal } = new AbortController();
  const results: ExtractionResult[] = [];
  const blocks: Document[] = [];
  const { turns } = await runFlush(
    {
      gatherFlush: (each) => gatherFlush(ports, each),
      askFlush: async (each) => {
        try {
          return await askFlush(ports, each, { signal });
        } catch (error) {
          ports.platform.log.warn(
            { tenant: each.tenant, error },
            'no model read the turns; rules read them',
          );
          throw error;
        }
      },
      keepFlush: async (each) => {
        const kept = await keepFlush(ports, each);
        results.push(...kept);
        return countsOf(kept);
      },
      writeFlush: async (each) => {
        const written = await writeFlush(ports, each, { signal });
        blocks.push(...written);
        return { lines: written.flatMap(({ lines }) => lines).length };
      },
      endFlush: (each) => endFlush(ports, each),
    },
    input,
  );
  const lines = blocks.flatMap((block) => block.lines);
  return { turns, results, daily: lines.length === 0 ? null : linesText(lines, '###') };
}

/** Runs the due flushes of a tenant, e.g. of sessions that fell silent, since no tick does. */
async function flushDueHere(ports: FlushPorts, tenant: string): Promise<void> {
  const start = async (input: FlushInput): Promise<'Started'> => {
    await flushInProcess(ports, input);
    return 'Started';
  };
  await startDueFlushes(ports, { start }, tenant);
}

/**
 * Runs dreams in this process: the caller waits until the dream has ended, and the subject's record
 * says how. Nothing runs by schedule, so approved proposals are applied before a dream.
 */
export function dreamsInProcess(
  parts: RefreshPorts,
): RefreshTrigger & { readonly dreams: DreamRuns } {
  const open = new Set<string>();
  const { signal } = new AbortController();
  const alone = async (id: string, run: () => Promise<unknown>): Promise<'Started' | 'Running'> => {
    if (open.has(id)) return 'Running';
    open.add(id);
    try {
      await run();
      return 'Started';
    } finally {
      open.delete(id);
    }
  };
  /** Logs failures here, as a Temporal worker would. */
  const codeOf = (failure: unknown): ErrorCode => {
    parts.platform.log.warn({ error: failure }, 'dream failed; the next one retries');
    return failure instanceof VarveError ? failure.code : 'CORRUPT';
  };
  const dreams: DreamRuns = {
    start: async (input) => {
      await applyApproved(parts, dreams);
      return alone(dreamWorkflowId(input), () => runDream(activities, input, { codeOf }));
    },
    apply: (input) => alone(applyDreamWorkflowId(input), () => activities.applyProposal(input)),
  };
  const refreshTrigger = { notify: () => Promise.resolve(), dreams };
  const activities = createActivities(parts, refreshTrigger, () => ({ signal }));
  return refreshTrigger;
}
