/** `varve dream`: lets a subject dream, shows what dreams proposed, and decides on proposals. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Library } from '#api/library.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type {
  DreamBrief,
  DreamsAnswer,
  DreamAnswer,
  DreamStart,
  DreamStatusAnswer,
  ScheduleAnswer,
} from '#api/schemas/dream.ts';
import { VarveError } from '#core/errors.ts';
import type { DreamOutcome } from '#core/records/dream-outcome.ts';
import type { Proposal } from '#core/records/proposal.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { subjectKey, type Subject } from '#core/subject.ts';
import { openLibraryForCommand } from '../open-library-for-command.ts';
import type { Config } from '../config.ts';
import {
  commandLine,
  type CommandPlace,
  dreamIdOf,
  olderHint,
  print,
  type SubjectOptions,
  type TenantOptions,
} from '../memory-files/memory-file-options.ts';
import { dreamRow, dreamText, outcomeText, waitingText } from '../memory-files/dream-text.ts';
import { createProgress } from '../progress-bar.ts';
import { shutdownSignal } from '../shutdown.ts';
import { renderTable, visible, count } from '../terminal-text.ts';
import { answerTo, commandOf, commandWith, inputFromOptions } from '../operation-input.ts';

interface ListOptions extends TenantOptions {
  readonly state?: string;
  readonly waiting?: boolean;
  readonly before?: string;
}

const NEVER = 'Nothing was ever written for this subject, so there is nothing to dream of.';
/** What happens after an approval, by the state of the proposal. */
const APPLIED: Readonly<Record<Proposal['state'], string>> = {
  Waiting: 'It waits for a person.',
  Approved: 'Approved; MEMORY.md is written as soon as a worker runs. See',
  Applied: 'Approved, and MEMORY.md is written.',
  Rejected: 'It was rejected.',
  Outdated:
    'Approved, but MEMORY.md has changed since, or something that the proposal rests on was ' +
    'deleted. Run a dream again.',
};

/**
 * @throws VarveError BUDGET_EXHAUSTED, PROVIDER_ERROR if the dream ended so; TIMEOUT, INVALID_INPUT
 */
export async function runDreamCommand(
  config: Config,
  options: SubjectOptions & { readonly detach?: boolean },
): Promise<void> {
  const { detach, json = false } = options;
  const asked = inputFromOptions(OPERATIONS.dream.run, options);
  const { tenant, subject } = asked;
  const goesOn = goesOnText(options);
  const signal = shutdownSignal();
  await using ordering = await openLibraryForCommand(config);
  const { dream } = ordering.varve;
  const before = await dream.status({ tenant, subject });
  const report = createProgress({ stream: process.stderr, quiet: json });
  report.line('a dream is reading MEMORY.md and the last daily files');
  const started = await dream.run(asked);
  if (started.state === 'NothingNew') {
    print(started, json ? null : NEVER);
    return;
  }
  if (detach === true) {
    print(started, json ? null : goesOn);
    return;
  }
  if (started.state === 'Running') report.line('a dream is already under way; waiting for it');
  const last = await watchDream({ dream, tenant, subject, before, started, signal });
  if (last === null) {
    print(started, json ? null : goesOn);
    return;
  }
  const { dreamId: id, outcome } = last;
  const proposed = await dream.get({ tenant, id });
  const failure = failureOf(outcome, options);
  if (json || failure === null) {
    const waiting = json ? [] : await waitingHint(dream, { place: options, subject, but: id });
    const said = [outcomeText(outcome, proposed, options), ...waiting].join('\n');
    print({ ...last, dream: proposed }, json ? null : said);
  }
  if (failure !== null) throw failure;
}

const NEWS = 'There is something new that no dream has read; the next dream reads it.';

/** Shows how the last dream of a subject ended, and whether there is material for another one. */
export async function dreamStatusCommand(config: Config, options: TenantOptions): Promise<void> {
  const { tenant, json } = options;
  const asked = inputFromOptions(OPERATIONS.dream.status, options);
  const { subjectId } = asked;
  await using ordering = await openLibraryForCommand(config);
  const { dream } = ordering.varve;
  const status = await dream.status(asked);
  const { last, hasNew, subject } = status;
  if (subject === null) {
    const message = `No subject of ${tenant} has the id ${subjectId ?? ''}.`;
    throw new VarveError('NOT_FOUND', message);
  }
  const proposed = last === null ? null : await dream.get({ tenant, id: last.dreamId });
  const why = last?.code === undefined ? '' : ` Reason: ${last.code}.`;
  const said =
    last === null
      ? 'No dream has ended yet.'
      : `${new Date(last.at).toISOString()}  ${outcomeText(last.outcome, proposed, options)}${why}`;
  const next = hasNew ? NEWS : 'There is nothing new for a dream to read.';
  const but = proposed?.state === 'Waiting' ? proposed.id : undefined;
  const waiting = json === true ? [] : await waitingHint(dream, { place: options, subject, but });
  const whose = subjectId === undefined ? [] : [`Subject: ${visible(subjectKey(subject))}`];
  print(status, json === true ? null : [...whose, said, ...waiting, next].join('\n'));
}

export async function listDreamsCommand(config: Config, options: ListOptions): Promise<void> {
  const { before } = options;
  const chosen = { ...options, state: stateOf(options) };
  const asked = inputFromOptions(OPERATIONS.dream.list, chosen, {
    before: before === undefined ? undefined : dreamIdOf('--before', before),
  });
  const answer = await answerTo(config, OPERATIONS.dream.list, asked);
  print(answer, options.json === true ? null : dreamsText(answer, noneOf(options)));
}

/** @throws VarveError NOT_FOUND */
export async function showDreamCommand(
  config: Config,
  id: string,
  options: TenantOptions,
): Promise<void> {
  const asked = inputFromOptions(OPERATIONS.dream.get, options, { id });
  const dream = await answerTo(config, OPERATIONS.dream.get, asked);
  if (dream === null) {
    throw new VarveError(
      'NOT_FOUND',
      `There is no dream ${id} with a proposal; see varve dream list.`,
    );
  }
  print(dream, options.json === true ? null : dreamText(dream, options));
}

/** @throws VarveError NOT_FOUND, CONFLICT, PROVIDER_ERROR */
export async function approveCommand(
  config: Config,
  id: string,
  options: TenantOptions,
): Promise<void> {
  const { tenant, json } = options;
  const asked = inputFromOptions(OPERATIONS.dream.approve, options, { id });
  await using ordering = await openLibraryForCommand(config);
  const approved = await ordering.varve.dream.approve(asked);
  const dream = await untilApplied(ordering.varve.dream, { tenant, dream: approved });
  print(dream, json === true ? null : approvedText(dream, options));
}

/** @throws VarveError NOT_FOUND, CONFLICT */
export const rejectCommand = commandWith(
  'id',
  OPERATIONS.dream.reject,
  () => 'Rejected; MEMORY.md stays as it is.',
);

function dreamsText({ dreams, nextBefore }: DreamsAnswer, none: string): string {
  if (dreams.length === 0) return none;
  const head = ['dream', 'subject', 'state', 'made', 'lines', 'of'];
  return [renderTable(head, dreams.map(dreamRow)), ...olderHint(nextBefore)].join('\n');
}

function approvedText({ id, state }: Pick<DreamBrief, 'id' | 'state'>, place: CommandPlace) {
  const show = state === 'Approved' ? ` ${commandLine(['dream', 'show', id], place)}` : '';
  return `${APPLIED[state]}${show}`;
}

function goesOnText({ subject, ...place }: SubjectOptions): string {
  const status = commandLine(['dream', 'status', '--subject', subject], place);
  return `It continues without this command. To see the result: ${status}`;
}

function noneOf({ before, state, waiting }: ListOptions): string {
  const which = state === undefined && waiting !== true ? 'proposed anything' : 'is in that state';
  return `No dream ${before === undefined ? '' : 'before that one '}${which}.`;
}

function stateOf({ waiting, state }: ListOptions): string | undefined {
  if (waiting === true && state !== undefined) {
    throw new VarveError('INVALID_INPUT', '--waiting and --state name a state; give one of them.');
  }
  return waiting === true ? 'Waiting' : state;
}

/** Returns the error for an outcome that is a failure; null for the others. */
function failureOf(outcome: DreamOutcome, place: CommandPlace): VarveError | null {
  if (outcome === 'BudgetExhausted') {
    return new VarveError('BUDGET_EXHAUSTED', outcomeText(outcome, null, place));
  }
  if (outcome !== 'Failed') return null;
  return new VarveError('PROVIDER_ERROR', outcomeText(outcome, null, place));
}

interface HintedWaiting {
  readonly place: CommandPlace;
  readonly subject: Subject;
  /** A proposal that was already announced; undefined if there was none. */
  readonly but: string | undefined;
}

/** Returns at most one line: a later proposal replaces the waiting ones of its subject. */
export async function waitingHint(
  { list }: Pick<Library['dream'], 'list'>,
  { place, subject, but }: HintedWaiting,
): Promise<readonly string[]> {
  const { tenant } = place;
  const { dreams } = await list({ tenant, subject, state: 'Waiting', limit: 1 });
  return dreams.filter(({ id }) => id !== but).map((dream) => waitingText(dream, place));
}

const LOOK_EVERY_MS = 200;
/** Enough for a slow model with its retries; a person does not wait longer. */
const WAIT_MS_MAX = 10 * 60_000;
/** Several times as long as a worker takes to write a version of MEMORY.md. */
const APPLY_MS_MAX = 10_000;

interface WatchedDream {
  readonly dream: Pick<Library['dream'], 'status'>;
  readonly tenant: string;
  readonly subject: Subject;
  /** The status before the dream was requested. */
  readonly before: DreamStatusAnswer;
  readonly started: DreamStart;
  readonly signal: AbortSignal;
}

/**
 * Waits for the dream and returns how it ended; null if the command is interrupted before.
 * @throws VarveError TIMEOUT; the dream continues
 */
export async function watchDream(watched: WatchedDream): Promise<SubjectRecord['last']> {
  const { dream, tenant, subject, before, started, signal } = watched;
  const end = performance.now() + WAIT_MS_MAX;
  while (performance.now() < end && !signal.aborted) {
    const { last } = await dream.status({ tenant, subject });
    // If a dream was running already, any id but the previous one means that it ended.
    const isLast =
      started.dreamId === null
        ? last?.dreamId !== before.last?.dreamId
        : last?.dreamId === started.dreamId;
    if (last !== null && isLast) return last;
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  if (signal.aborted) return null;
  const message = 'The dream is still running. See varve dream status, varve doctor.';
  throw new VarveError('TIMEOUT', message);
}

/** Waits a moment for a worker to apply an approved proposal. It may also be applied later. */
async function untilApplied(
  { get }: Pick<Library['dream'], 'get'>,
  { tenant, dream }: { readonly tenant: string; readonly dream: DreamAnswer },
): Promise<DreamAnswer> {
  const end = performance.now() + APPLY_MS_MAX;
  let seen = dream;
  while (seen.state === 'Approved' && performance.now() < end) {
    await sleep(LOOK_EVERY_MS);
    seen = (await get({ tenant, id: dream.id })) ?? seen;
  }
  return seen;
}

/** Follows the number of dreams that ended so. */
const WORDS: Readonly<Record<DreamOutcome, string>> = {
  Dreamed: 'written',
  Unchanged: 'with nothing to change',
  NothingNew: 'with nothing new',
  SameContent: 'read before',
  DeadLettered: 'failed for good',
  Waiting: 'waiting for a person',
  LowGrounding: 'not supported',
  Outdated: 'outdated',
  BudgetExhausted: 'without budget',
  Failed: 'failed',
};
const MINUTE_DIGITS = 16;
/** Columns that are never shortened. */
const WHOLE_COLUMNS = [3, 4, 5];

/** `varve dream schedules`: shows when each DeepDream runs next, and how its last round ended. */
export const schedulesCommand = commandOf(OPERATIONS.dream.schedules, ({ schedules }) =>
  schedulesText(schedules),
);

/** Returns one row for each schedule; times in UTC, without seconds, which cron does not have. */
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
