/** What a dream reads of its subject: MEMORY.md and daily files, as they are or at a cut. */
import { dailyFiles } from '#core/dreams/daily-files.ts';
import type { DreamCut } from '#core/dreams/dream-contract.ts';
import { ARCHIVE_PATH, MEMORY_PATH, type Document } from '#core/records/document.ts';
import { readBlocks, type OfSubject, type ReadBlocks } from './dream-blocks.ts';

/** Daily files begin here in the order of paths, and all end before the archive. */
const FIRST_DAILY_PATH = 'memory/';
const PATHS_PER_PAGE = 500;
/** Files of more than a lifetime; those after them are not looked at. */
const PATH_PAGES_MAX = 100;

export interface ReadDream extends ReadBlocks {
  /** MEMORY.md; null where there is none. */
  readonly base: Document | null;
  readonly files: Pick<DreamCut, 'window' | 'earlier'>;
}

/** As it is now. @param days the day of the dream and its look-back */
export async function readMaterial(
  of: OfSubject,
  days: { readonly day: string; readonly lookbackDays: number },
): Promise<ReadDream> {
  const paths = dailyFiles(await dailyPaths(of), days);
  // Where they end now: what is appended while they are read belongs to the next dream.
  const window = await endsOf(of, paths.window);
  const earlier = await endsOf(of, paths.earlier);
  const blocks = await readBlocks(of, { window, earlier });
  const base = await of.documents.latest(placeOf(of, MEMORY_PATH));
  const fresh = new Set(blocks.fresh.map(({ path }) => path));
  const files = { window, earlier: earlier.filter(({ path }) => fresh.has(path)) };
  return { base, files, ...blocks };
}

/** As it was when it was gathered; null where that is no more. */
export async function materialAt(of: OfSubject, cut: DreamCut): Promise<ReadDream | null> {
  const { window, earlier, memoryVersion: version } = cut;
  const place = { ...placeOf(of, MEMORY_PATH), version };
  const base = version === 0 ? null : await of.documents.get(place);
  if (version > 0 && base === null) return null;
  return { base, files: { window, earlier }, ...(await readBlocks(of, { window, earlier })) };
}

async function dailyPaths({ documents, record }: OfSubject): Promise<readonly string[]> {
  const found: string[] = [];
  let after = FIRST_DAILY_PATH;
  for (let page = 0; page < PATH_PAGES_MAX; page += 1) {
    const paths = await documents.paths(record, { after, limit: PATHS_PER_PAGE });
    const daily = paths.filter((path) => path < ARCHIVE_PATH);
    found.push(...daily);
    const last = daily.at(-1);
    if (daily.length < PATHS_PER_PAGE || last === undefined) break;
    after = last;
  }
  return found;
}

async function endsOf(of: OfSubject, paths: readonly string[]): Promise<DreamCut['window']> {
  const files: { path: string; blocks: number }[] = [];
  for (const path of paths) {
    const last = await of.documents.latest(placeOf(of, path));
    if (last !== null) files.push({ path, blocks: last.version });
  }
  return files;
}

function placeOf({ record: { tenant, subject } }: OfSubject, path: string) {
  return { tenant, subject, path };
}
