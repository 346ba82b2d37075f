/** `varve daily`: appends to the daily file of a subject, and shows the file of a day. */
import { pagesOf } from '#core/chunks-and-pages.ts';
import type { Library } from '#api/library.ts';
import { checkedInput } from '#api/operations/operation.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { AskedBlock } from '#api/schemas/documents.ts';
import { dayOfPath, diaryPath } from '#core/memory-files/paths.ts';
import type { Subject } from '#core/subject.ts';
import { openLibraryForCommand } from '../open-library-for-command.ts';
import type { Config } from '../config.ts';
import {
  givenText,
  wholeFile,
  dayOption,
  print,
  printFile,
  subjectFromOption,
  type SubjectOptions,
} from '../memory-files/memory-file-options.ts';
import { linesWithSources } from '../memory-files/lines-with-sources.ts';
import { count } from '../terminal-text.ts';

export interface AppendOptions extends SubjectOptions {
  readonly heading?: string;
  readonly at?: string;
  readonly key?: string;
  readonly source?: readonly string[];
}

export interface ShowOptions extends SubjectOptions {
  readonly day?: string;
  readonly sources?: boolean;
}

/** @throws VarveError INVALID_INPUT, CONTENT_TOO_LONG, CONFLICT; nothing is appended then */
export async function appendCommand(
  config: Config,
  text: string | undefined,
  options: AppendOptions,
): Promise<void> {
  const given = await givenText(text, process.stdin);
  const asked = checkedInput(OPERATIONS.daily.append, { ...appendOf(options), text: given });
  await using ordering = await openLibraryForCommand(config, { begins: true });
  const answer = await ordering.varve.daily.append(asked);
  const { path, version, lines, added } = answer;
  const block = `block ${String(version)} of ${path}`;
  const said = added
    ? `Appended ${count(lines, 'line')} as ${block}.`
    : `This key already appended it, as ${block}; nothing was added.`;
  print(answer, options.json === true ? null : said);
}

export async function showDailyCommand(config: Config, options: ShowOptions): Promise<void> {
  const { tenant, day, json, sources } = options;
  const asked = checkedInput(OPERATIONS.daily.get, {
    tenant,
    subject: subjectFromOption(options.subject),
    ...(day === undefined ? {} : { day: dayOption(day) }),
  });
  await using ordering = await openLibraryForCommand(config);
  const answer = await wholeFile((after) => ordering.varve.daily.get({ ...asked, after }));
  const none =
    day === undefined ? 'Nothing was written today.' : 'Nothing was written on that day.';
  const shown = (sources === true ? linesWithSources(answer?.lines ?? []) : answer?.text) ?? '';
  if (json === true || answer !== null) printFile(answer, json === true ? null : shown.trimEnd());
  else print(answer, none);
}

/** Lists the days that have a file, oldest first. */
export async function listDailyCommand(config: Config, options: SubjectOptions): Promise<void> {
  const { tenant, json } = options;
  const asked = checkedInput(OPERATIONS.document.list, {
    tenant,
    subject: subjectFromOption(options.subject),
  });
  await using ordering = await openLibraryForCommand(config);
  const paths = await documentPaths(ordering.varve, asked);
  const days = paths.flatMap((path) => dayOfPath(path) ?? []);
  const said = days.length === 0 ? 'There is no daily file yet.' : days.join('\n');
  print({ days }, json === true ? null : said);
}

function appendOf(options: AppendOptions): Omit<AskedBlock, 'text'> {
  const { tenant, heading, at, key, source } = options;
  return {
    tenant,
    subject: subjectFromOption(options.subject),
    heading,
    at,
    key,
    ...(source === undefined ? {} : { sources: [...source] }),
  };
}

export interface DiaryOptions extends SubjectOptions {
  readonly day?: string;
}

/** `varve dream diary`: shows the notes that dreams wrote about themselves on a day. */
export async function diaryCommand(config: Config, options: DiaryOptions): Promise<void> {
  const { tenant, day, json } = options;
  const asked = day === undefined ? undefined : dayOption(day);
  const of = checkedInput(OPERATIONS.document.list, {
    tenant,
    subject: subjectFromOption(options.subject),
  });
  await using ordering = await openLibraryForCommand(config);
  const { varve } = ordering;
  const path = asked === undefined ? await lastDiary(varve, of) : diaryPath(asked);
  const answer =
    path === undefined
      ? null
      : await wholeFile((after) => varve.document.get({ ...of, path, after }));
  const none = day === undefined ? 'No dream has noted anything.' : 'No dream noted anything then.';
  if (answer === null) print(answer, json === true ? null : none);
  else printFile(answer, json === true ? null : answer.text.trimEnd());
}

async function lastDiary(
  varve: Parameters<typeof documentPaths>[0],
  of: Parameters<typeof documentPaths>[1],
): Promise<string | undefined> {
  const folder = diaryPath('').replace(/\.md$/u, '');
  return (await documentPaths(varve, of)).findLast((path) => path.startsWith(folder));
}

const PATHS_PER_PAGE = 1_000;
/** A thousand days per page: more files than anybody writes day by day. */
const PAGES_MAX = 100;

/** Returns every path of a subject's files, page by page. */
async function documentPaths(
  { document }: Pick<Library, 'document'>,
  of: { readonly tenant: string; readonly subject: Subject },
): Promise<readonly string[]> {
  const limit = PATHS_PER_PAGE;
  const read = async (after = '') => (await document.list({ ...of, after, limit })).paths;
  return (await Array.fromAsync(pagesOf(limit, read, PAGES_MAX))).flat();
}
