/** Every path of a subject's files, page by page. */
import type { Library } from '#api/library.ts';
import type { Subject } from '#core/subject.ts';

const PATHS_PER_PAGE = 1_000;
/** A thousand days on each: more files than anybody writes by day. */
const PAGES_MAX = 100;

export async function documentPaths(
  { document }: Pick<Library, 'document'>,
  of: { readonly tenant: string; readonly subject: Subject },
): Promise<readonly string[]> {
  const all: string[] = [];
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = { ...of, after: all.at(-1) ?? '', limit: PATHS_PER_PAGE };
    const { paths } = await document.list(page);
    all.push(...paths);
    if (paths.length < PATHS_PER_PAGE) break;
  }
  return all;
}
