/** `varve dream diary`: what dreams noted of themselves on a day. */
import { checkedInput } from '#api/operations/operation.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import { diaryPath } from '#core/records/document.ts';
import type { Config } from '../config.ts';
import { openLibraryOf } from '../admin/open-library.ts';
import { documentPaths } from '../memory-files/document-paths.ts';
import {
  dayOf,
  print,
  printFile,
  subjectOf,
  type SubjectOptions,
} from '../memory-files/options.ts';
import { wholeFile } from '../memory-files/input-text.ts';

export interface DiaryOptions extends SubjectOptions {
  readonly day?: string;
}

export async function diaryCommand(config: Config, options: DiaryOptions): Promise<void> {
  const { tenant, day, json } = options;
  const asked = day === undefined ? undefined : dayOf(day);
  const of = checkedInput(OPERATIONS.document.list, {
    tenant,
    subject: subjectOf(options.subject),
  });
  await using ordering = await openLibraryOf(config);
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
