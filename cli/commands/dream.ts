/** `varve dream`: has a subject dream, shows what dreams proposed, and decides on it. */
import type { DreamsAnswer, ScheduleAnswer } from '#api/dreams.ts';
import { VarveError } from '#core/errors.ts';
import type { DreamOutcome } from '#core/records/dream-outcome.ts';
import { Proposal } from '#core/records/proposal.ts';
import type { Config } from '../config.ts';
import { renderTable } from '../demo/table.ts';
import { count } from '../demo/text.ts';
import { openForOrders } from '../orders/open.ts';
import { createProgress } from '../progress.ts';
import { shutdownSignal } from '../shutdown.ts';
import { dreamRow, dreamText, outcomeText } from '../tiers/dream-text.ts';
import { olderHint, print, subjectOf, wholeOf, type SubjectOptions } from '../tiers/options.ts';
import { untilApplied, watchDream } from '../tiers/watch-dream.ts';

export interface TenantOptions {
  readonly tenant: string;
  readonly json?: boolean;
}

export interface RunOptions extends SubjectOptions {
  readonly lookbackDays?: string;
  readonly detach?: boolean;
}

export interface ListOptions extends TenantOptions {
  readonly subject?: string;
  readonly state?: string;
  readonly waiting?: boolean;
  readonly before?: string;
  readonly limit?: string;
}

export interface DecisionOptions extends TenantOptions {
  readonly reason?: string;
}

const NEVER = 'Nothing was ever written for this subject, so there is nothing to dream of.';
/** What becomes of an approval. */
const APPLIED: Readonly<Record<Proposal['state'], string>> = {
  Waiting: 'It waits for a person.',
  Approved: 'Approved; MEMORY.md is written as soon as a worker is there. See varve dream show.',
  Applied: 'Approved, and MEMORY.md is written.',
  Rejected: 'It was rejected.',
  Outdated: 'Approved, but MEMORY.md was written by another meanwhile. Run a dream again.',
};
const GOES_ON = 'It goes on without this command. varve dream status shows what came of it.';

/** @throws VarveError BUDGET_EXHAUSTED, PROVIDER_ERROR where it ended so; TIMEOUT, INVALID_INPUT */
export async function runDreamCommand(config: Config, options: RunOptions): Promise<void> {
  const { tenant, lookbackDays, detach, json = false } = options;
  const subject = subjectOf(options.subject);
  const days =
    lookbackDays === undefined ? {} : { lookbackDays: wholeOf('--lookback-days', lookbackDays) };
  const signal = shutdownSignal();
  await using ordering = await openForOrders(config);
  const { dream } = ordering.varve;
  const before = await dream.status({ tenant, subject });
  const report = createProgress({ stream: process.stderr, quiet: json });
  report.line('a dream reads MEMORY.md and the last daily files');
  const started = await dream.run({ tenant, subject, ...days });
  if (started.state === 'NothingNew') {
    print(started, json ? null : NEVER);
    return;
  }
  if (detach === true) {
    print(started, json ? null : GOES_ON);
    return;
  }
  if (started.state === 'Running') report.line('one is under way already; waiting for that one');
  const last = await watchDream({ dream, tenant, subject, before, started, signal });
  if (last === null) {
    print(started, json ? null : GOES_ON);
    return;
  }
  const { dreamId: id, outcome } = last;
  const proposed = await dream.get({ tenant, id });
  const failure = failureOf(outcome);
  if (json || failure === null) {
    print({ ...last, dream: proposed }, json ? null : outcomeText(outcome, proposed));
  }
  if (failure !== null) throw failure;
}

/** How the last dream of a subject ended, and whether there is anything for a next one. */
export async function dreamStatusCommand(config: Config, options: SubjectOptions): Promise<void> {
  const { tenant, json } = options;
  const subject = subjectOf(options.subject);
  await using ordering = await openForOrders(config);
  const { dream } = ordering.varve;
  const status = await dream.status({ tenant, subject });
  const { last, hasNew } = status;
  const proposed = last === null ? null : await dream.get({ tenant, id: last.dreamId });
  const said =
    last === null
      ? 'No dream has ended yet.'
      : `${new Date(last.at).toISOString()}  ${outcomeText(last.outcome, proposed)}`;
  const next = hasNew
    ? 'There is something new for the next dream.'
    : 'There is nothing new for a dream to read.';
  print(status, json === true ? null : `${said}\n${next}`);
}

export async function listDreamsCommand(config: Config, options: ListOptions): Promise<void> {
  const { tenant, json, subject, before, limit } = options;
  const state = stateOf(options);
  const of = subject === undefined ? {} : { subject: subjectOf(subject) };
  const page = {
    ...(limit === undefined ? {} : { limit: wholeOf('--limit', limit) }),
    ...(before === undefined ? {} : { before }),
  };
  await using ordering = await openForOrders(config);
  const answer = await ordering.varve.dream.list({ tenant, ...of, ...page, ...state });
  print(answer, json === true ? null : dreamsText(answer, noneOf(options)));
}

/** @throws VarveError NOT_FOUND */
export async function showDreamCommand(
  config: Config,
  id: string,
  { tenant, json }: TenantOptions,
): Promise<void> {
  await using ordering = await openForOrders(config);
  const dream = await ordering.varve.dream.get({ tenant, id });
  if (dream === null) {
    throw new VarveError('NOT_FOUND', 'There is no such dream, or it proposed nothing.');
  }
  print(dream, json === true ? null : dreamText(dream));
}

/** @throws VarveError NOT_FOUND, CONFLICT, PROVIDER_ERROR */
export async function approveCommand(
  config: Config,
  id: string,
  { tenant, json, reason }: DecisionOptions,
): Promise<void> {
  await using ordering = await openForOrders(config);
  const why = reason === undefined ? {} : { reason };
  const approved = await ordering.varve.dream.approve({ tenant, id, ...why });
  const dream = await untilApplied(ordering.varve.dream, { tenant, dream: approved });
  print(dream, json === true ? null : APPLIED[dream.state]);
}

/** @throws VarveError NOT_FOUND, CONFLICT */
export async function rejectCommand(
  config: Config,
  id: string,
  { tenant, json, reason = '' }: DecisionOptions,
): Promise<void> {
  await using ordering = await openForOrders(config);
  const dream = await ordering.varve.dream.reject({ tenant, id, reason });
  print(dream, json === true ? null : 'Rejected; MEMORY.md stays as it is.');
}

export async function schedulesCommand(
  config: Config,
  { tenant, json }: TenantOptions,
): Promise<void> {
  await using ordering = await openForOrders(config);
  const answer = await ordering.varve.dream.schedules({ tenant });
  const { schedules } = answer;
  const none = 'No DeepDream is declared; varve dream run has one subject dream now.';
  const head = ['DeepDream', 'cron', 'time zone', 'next', 'last', 'outcomes'];
  const table = schedules.length === 0 ? none : renderTable(head, schedules.map(scheduleRow));
  print(answer, json === true ? null : table);
}

function dreamsText({ dreams, nextBefore }: DreamsAnswer, none: string): string {
  if (dreams.length === 0) return none;
  const head = ['dream', 'subject', 'state', 'made', 'lines'];
  return [renderTable(head, dreams.map(dreamRow)), ...olderHint(nextBefore)].join('\n');
}

function noneOf({ before, state, waiting }: ListOptions): string {
  const which = state === undefined && waiting !== true ? 'proposed anything' : 'is in that state';
  return `No dream ${before === undefined ? '' : 'before that one '}${which}.`;
}

function stateOf({ waiting, state }: ListOptions): { state?: Proposal['state'] } {
  if (waiting === true && state !== undefined) {
    throw new VarveError('INVALID_INPUT', '--waiting and --state name a state; give one of them.');
  }
  if (waiting === true) return { state: 'Waiting' };
  if (state === undefined) return {};
  const states = Proposal.shape.state;
  const parsed = states.safeParse(state);
  if (parsed.success) return { state: parsed.data };
  throw new VarveError('INVALID_INPUT', `--state takes one of ${states.options.join(', ')}.`);
}

/** What is no way for a dream to end. */
function failureOf(outcome: DreamOutcome): VarveError | null {
  if (outcome === 'BudgetExhausted') {
    return new VarveError('BUDGET_EXHAUSTED', outcomeText(outcome, null));
  }
  return outcome === 'Failed' ? new VarveError('PROVIDER_ERROR', outcomeText(outcome, null)) : null;
}

function scheduleRow({ name, cron, timeZone, nextAt, last }: ScheduleAnswer): readonly string[] {
  const next = nextAt === null ? 'never' : new Date(nextAt).toISOString();
  if (last === null) return [name, cron, timeZone, next, 'never', ''];
  const outcomes = Object.entries(last.outcomes).map(([outcome, n]) => `${outcome} ${String(n)}`);
  const open = last.endedAt === null ? [`${count(last.started, 'dream')} started`] : [];
  const what = [...open, ...outcomes].join(', ');
  return [name, cron, timeZone, next, new Date(last.at).toISOString(), what];
}
