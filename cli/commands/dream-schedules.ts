/** `varve dream schedules`: when DeepDreams come next, and what became of the last time. */
import type { ScheduleAnswer } from '#api/operations/dream.ts';
import { checkedInput } from '#api/operations/operation.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { DreamOutcome } from '#core/records/dream-outcome.ts';
import type { Config } from '../config.ts';
import { renderTable } from '../demo/table.ts';
import { count } from '../demo/text.ts';
import { openLibraryOf } from '../admin/open-library.ts';
import { print } from '../memory-files/options.ts';
import type { TenantOptions } from './dream.ts';

/** Behind how many dreams ended so. */
const WORDS: Readonly<Record<DreamOutcome, string>> = {
  Dreamed: 'written',
  Unchanged: 'with nothing to change',
  NothingNew: 'with nothing new',
  SameContent: 'read before',
  DeadLettered: 'given up',
  Waiting: 'waiting for a person',
  LowGrounding: 'not supported',
  Outdated: 'outdated',
  BudgetExhausted: 'without budget',
  Failed: 'failed',
};
const MINUTE_DIGITS = 16;
/** What they say is not to be shortened. */
const WHOLE_COLUMNS = [3, 4, 5];

export async function schedulesCommand(
  config: Config,
  { tenant, json }: TenantOptions,
): Promise<void> {
  const asked = checkedInput(OPERATIONS.dream.schedules, { tenant });
  await using ordering = await openLibraryOf(config);
  const answer = await ordering.varve.dream.schedules(asked);
  print(answer, json === true ? null : schedulesText(answer.schedules));
}

/** A row for each; times in UTC, of which cron knows no seconds. */
export function schedulesText(schedules: readonly ScheduleAnswer[]): string {
  if (schedules.length === 0) {
    return 'No DeepDream is declared; varve dream run has one subject dream now.';
  }
  const head = ['DeepDream', 'cron', 'time zone', 'next', 'last', 'dreams of the last time'];
  return renderTable(head, schedules.map(scheduleRow), WHOLE_COLUMNS);
}

function scheduleRow({ name, cron, timeZone, nextAt, last }: ScheduleAnswer): readonly string[] {
  const next = nextAt === null ? 'never' : minuteOf(nextAt);
  if (last === null) return [name, cron, timeZone, next, 'never', ''];
  const outcomes = Object.entries(last.outcomes).map(
    ([outcome, n]) => `${String(n)} ${WORDS[outcome as DreamOutcome]}`,
  );
  const open = last.endedAt === null ? [`${count(last.started, 'dream')} started`] : [];
  const what = [...open, ...outcomes].join(', ');
  return [name, cron, timeZone, next, minuteOf(last.at), what === '' ? 'none was due' : what];
}

function minuteOf(at: number): string {
  return `${new Date(at).toISOString().slice(0, MINUTE_DIGITS)}Z`;
}
