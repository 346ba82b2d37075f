/** The status of a DeepDream: pure. */
import type { DreamOutcome } from '#core/records/dream-outcome.ts';
import { LastError, type Condition, type DeepDreamStatus } from '#crds/status.ts';
import { conditionsOf, fieldOf, timeText } from '../tenant/conditions.ts';
import { dreamConditions, roundError, type DreamView } from './dream-conditions.ts';
import type { ShownRound } from './tenant-facts.ts';
import type { StatusMoment } from './tenant-status.ts';

/** The times are those of its record, also while something is wrong with the resource. */
export function dreamStatus(
  view: DreamView,
  { generation, now, before }: StatusMoment,
): DeepDreamStatus & { readonly conditions: readonly Condition[] } {
  const conditions = conditionsOf({ ...dreamConditions(view) }, before, { generation, now });
  const { nextAt = null, last = null } = view.schedule ?? {};
  return {
    observedGeneration: generation,
    conditions,
    ...(nextAt === null ? {} : { nextDreamTime: timeText(nextAt) }),
    ...(last === null
      ? {}
      : { ...lastTime(last, view), lastOutcome: roundText(last), ...lastError(last, view) }),
  };
}

/** While a round is at work, that of the one before stays. */
function lastTime(
  { endedAt }: ShownRound,
  { dream }: DreamView,
): Pick<DeepDreamStatus, 'lastDreamTime'> {
  if (endedAt !== null) return { lastDreamTime: timeText(endedAt) };
  const before = fieldOf(dream.object['status'], 'lastDreamTime');
  return typeof before === 'string' ? { lastDreamTime: before } : {};
}

/** A round at work says nothing yet of whether that works again which did not. */
function lastError(round: ShownRound, { dream }: DreamView): Pick<DeepDreamStatus, 'lastError'> {
  const error = roundError(round);
  if (error !== null) return { lastError: error };
  if (round.endedAt !== null) return {};
  const before = LastError.safeParse(fieldOf(dream.object['status'], 'lastError'));
  return before.success ? { lastError: before.data } : {};
}

/** As long as the schema of the status has it. */
const OUTCOME_LENGTH_MAX = 128;
const NOTHING_NEW = 'nothing new';

/** Those that somebody has to see to first, so that they stand where a text is cut. */
const WORDS: Readonly<Record<DreamOutcome, string>> = {
  Failed: 'failed',
  BudgetExhausted: 'over budget',
  DeadLettered: 'given up',
  Waiting: 'waiting',
  LowGrounding: 'not grounded',
  Outdated: 'outdated',
  Dreamed: 'dreamed',
  Unchanged: 'unchanged',
  NothingNew: NOTHING_NEW,
  SameContent: NOTHING_NEW,
};

/** `1 waiting, 12 dreamed`; how many are still at work is its last part. */
export function roundText({ started, outcomes, endedAt }: ShownRound): string {
  const counts = new Map<string, number>();
  let ended = 0;
  for (const [outcome, words] of Object.entries(WORDS)) {
    const count = outcomes[outcome as DreamOutcome] ?? 0;
    counts.set(words, (counts.get(words) ?? 0) + count);
    ended += count;
  }
  counts.set('at work', endedAt === null ? Math.max(started - ended, 0) : 0);
  const told = [...counts].filter(([, count]) => count > 0);
  if (told.length === 0) return endedAt === null ? 'begun' : NOTHING_NEW;
  const text = told.map(([words, count]) => `${count} ${words}`).join(', ');
  return text.length <= OUTCOME_LENGTH_MAX ? text : `${text.slice(0, OUTCOME_LENGTH_MAX - 1)}…`;
}
