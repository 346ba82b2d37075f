/** `varve daily`: appends to the daily file of a subject, and shows the file of a day. */
import { pagesOf } from '#core/chunks-and-pages.ts';
import type { Library } from '#api/library.ts';
import { OPERATIONS } from '#api/operations/table.ts';
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
  type SubjectOptions,
} from '../memory-files/memory-file-options.ts';
import { linesWithSources } from '../memory-files/lines-with-sources.ts';
import { count } from '../terminal-text.ts';
import { answerTo, inputFromOptions } from '../operation-input.ts';

interface DayOptions extends SubjectOptions {
  readonly day?: string;
}

/** @throws VarveError INVALID_INPUT, CONTENT_TOO_LONG, CONFLICT; nothing is appended then */
export async function appendCommand(
  config: Config,
  text: string | undefined,
  options: SubjectOptions & { readonly source?: readonly string[] },
): Promise<void> {
  const given = await givenText(text, process.stdin);
  const { source } = options;
  const asked = inputFromOptions(OPERATIONS.daily.append, options, {
    text: given,
    ...(source === undefined ? {} : { sources: [...source] }),
  });
  const answer = await answerTo(config, OPERATIONS.daily.append, asked, { begins: true });
  const { path, version, lines, added } = answer;
  const block = `block ${String(version)} of ${path}`;
  const said = added
    ? `Appended ${count(lines, 'line')} as ${block}.`
    : `This key already appended it, as ${block}; nothing was added.`;
  print(answer, options.json === true ? null : said);
}

export async function showDailyCommand(
  config: Config,
  options: DayOptions & { readonly sources?: boolean },
): Promise<void> {
  const { day, json, sources } = options;
  const asked = inputFromOptions(OPERATIONS.daily.get, options);
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
  const asked = inputFromOptions(OPERATIONS.document.list, options);
  await using ordering = await openLibraryForCommand(config);
  const paths = await documentPaths(ordering.varve, asked);
  const days = paths.flatMap((path) => dayOfPath(path) ?? []);
  const said = days.length === 0 ? 'There is no daily file yet.' : days.join('\n');
  print({ days }, options.json === true ? null : said);
}

/** `varve dream diary`: shows the notes that dreams wrote about themselves on a day. */
export async function diaryCommand(config: Config, options: DayOptions): Promise<void> {
  const { day, json } = options;
  const asked = day === undefined ? undefined : dayOption(day);
  const of = inputFromOptions(OPERATIONS.document.list, options);
  await using ordering = await openLibraryForCommand(config);
  const { varve } = ordering;
  const path =
    asked === undefined
      ? (await documentPaths(varve, of)).findLast((each) => each.startsWith(DIARIES))
      : diaryPath(asked);
  const answer =
    path === undefined
      ? null
      : await wholeFile((after) => varve.document.get({ ...of, path, after }));
  const none = day === undefined ? 'No dream has noted anything.' : 'No dream noted anything then.';
  if (answer === null) print(answer, json === true ? null : none);
  else printFile(answer, json === true ? null : answer.text.trimEnd());
}

const DIARIES = diaryPath('').replace(/\.md$/u, '');
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
