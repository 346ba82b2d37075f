/**
 * One flush of one session: fix its turns, store what lasts, write the daily block, mark it as
 * done; then continue with turns that came since. The same code runs inside the workflow, where
 * each call is a recorded activity, and inline in the library.
 */
import type { FlushActivities, FlushInput, FlushTotals } from './flush-contract.ts';

/** The most portions of one run; the next tick starts what is left. */
const PORTIONS_MAX = 50;

export const NOTHING_FLUSHED: FlushTotals = {
  turns: 0,
  lines: 0,
  added: 0,
  superseded: 0,
  known: 0,
};

/** @throws what an activity throws: the entry stays, and is due again later */
export async function runFlush(
  activities: Omit<FlushActivities, 'startDueFlushes'>,
  { tenant, flushId: first }: FlushInput,
  onChange?: (totals: FlushTotals) => void,
): Promise<FlushTotals> {
  let totals = NOTHING_FLUSHED;
  let flushId: string | null = first;
  for (let portions = 0; flushId !== null && portions < PORTIONS_MAX; portions += 1) {
    const input: FlushInput = { tenant, flushId };
    const reading = await activities.gatherFlush(input);
    if (reading.kind === 'Gone') break;
    if (reading.model !== undefined) await asked(activities, { ...input, model: reading.model });
    const { added, superseded, known } = await activities.keepFlush(input);
    const { lines } = await activities.writeFlush(input);
    const { next } = await activities.endFlush(input);
    totals = {
      turns: totals.turns + reading.turns,
      lines: totals.lines + lines,
      added: totals.added + added,
      superseded: totals.superseded + superseded,
      known: totals.known + known,
    };
    onChange?.(totals);
    flushId = next;
  }
  return totals;
}

/** Without an answer the rules extract: an unavailable model must not delay a flush. */
async function asked(
  { askFlush }: Pick<FlushActivities, 'askFlush'>,
  input: Parameters<FlushActivities['askFlush']>[0],
): Promise<void> {
  try {
    await askFlush(input);
  } catch {
    // The worker has logged it; a canceled run ends with its next step.
  }
}
