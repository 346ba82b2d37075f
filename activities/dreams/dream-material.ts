/** What a dream reads of its subject: MEMORY.md and daily files, as they are or at a cut. */
import { dreamBlocks, dailyFiles, hasDreamed, type DreamBlocks } from '#core/dreams/daily-files.ts';
import type { DreamCut } from '#core/dreams/dream-contract.ts';
import type { DocumentRecords } from '#core/ports/document-records.ts';
import { ARCHIVE_PATH, MEMORY_PATH, type Document } from '#core/records/document.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';

/** Daily files begin here in the order of paths, and all end before the archive. */
const FIRST_DAILY_PATH = 'memory/';
const PATHS_PER_PAGE = 500;
/** Files of more than a lifetime; those after them are not looked at. */
const PATH_PAGES_MAX = 100;
const BLOCKS_PER_PAGE = 200;
/** 20,000 blocks of one day; a dream reads fewer (core/dreams/dream-fit.ts). */
const BLOCK_PAGES_MAX = 100;

interface Of {
  readonly documents: DocumentRecords;
  readonly record: Pick<SubjectRecord, 'tenant' | 'subject'>;
}

export interface DreamMaterial extends DreamBlocks {
  /** MEMORY.md; null where there is none. */
  readonly base: Document | null;
  readonly files: Pick<DreamCut, 'window' | 'earlier'>;
}

/** As it is now. @param days the day of the dream and its look-back */
export async function readMaterial(
  of: Of,
  days: { readonly day: string; readonly lookbackDays: number },
): Promise<DreamMaterial> {
  const files = dailyFiles(await dailyPaths(of), days);
  const window: Document[][] = [];
  for (const path of files.window) window.push(await blocksOf(of, { path, blocks: Infinity }));
  const earlier: Document[][] = [];
  for (const path of files.earlier) {
    const blocks = await blocksOf(of, { path, blocks: Infinity });
    earlier.push(blocks);
    if (hasDreamed(blocks)) break;
  }
  const base = await of.documents.latest({ ...placeOf(of.record), path: MEMORY_PATH });
  return {
    base,
    files: { window: window.flatMap(fileOf), earlier: earlier.flatMap(fileOf) },
    ...dreamBlocks(window.flat(), earlier),
  };
}

/** As it was when it was gathered; null where that is no more. */
export async function materialAt(of: Of, cut: DreamCut): Promise<DreamMaterial | null> {
  const window: Document[][] = [];
  for (const file of cut.window) window.push(await blocksOf(of, file));
  const earlier: Document[][] = [];
  for (const file of cut.earlier) earlier.push(await blocksOf(of, file));
  const version = cut.memoryVersion;
  const place = { ...placeOf(of.record), path: MEMORY_PATH };
  const base = version === 0 ? null : await of.documents.get({ ...place, version });
  if (version > 0 && base === null) return null;
  const { window: read, earlier: before } = cut;
  return {
    base,
    files: { window: read, earlier: before },
    ...dreamBlocks(window.flat(), earlier),
  };
}

async function dailyPaths({ documents, record }: Of): Promise<readonly string[]> {
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

/** The first so many blocks of a file. */
async function blocksOf(
  { documents, record }: Of,
  { path, blocks }: { readonly path: string; readonly blocks: number },
): Promise<Document[]> {
  const found: Document[] = [];
  let after = 0;
  for (let page = 0; page < BLOCK_PAGES_MAX && after < blocks; page += 1) {
    const place = { ...placeOf(record), path };
    const list = await documents.list(place, { after, limit: BLOCKS_PER_PAGE });
    found.push(...list.filter(({ version }) => version <= blocks));
    const last = list.at(-1);
    if (list.length < BLOCKS_PER_PAGE || last === undefined) break;
    after = last.version;
  }
  return found;
}

function fileOf(blocks: readonly Document[]): DreamCut['window'] {
  const last = blocks.at(-1);
  return last === undefined ? [] : [{ path: last.path, blocks: last.version }];
}

function placeOf({ tenant, subject }: Pick<SubjectRecord, 'tenant' | 'subject'>) {
  return { tenant, subject };
}
