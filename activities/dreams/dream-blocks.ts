/**
 * The blocks of daily files that a dream reads. A file may hold any number of them, so no more are
 * held than a model could read; of the same files the same blocks, however often they are read.
 */
import { isDailyPath, isFresh, isKnown, type DreamBlocks } from '#core/dreams/daily-files.ts';
import type { DreamCut } from '#core/dreams/dream-contract.ts';
import { DREAM_BLOCKS_MAX } from '#core/dreams/dream-fit.ts';
import { blockText } from '#core/dreams/dream-sources.ts';
import type { DocumentRecords } from '#core/ports/document-records.ts';
import { dailyPath, type Document } from '#core/records/document.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { utf8Bytes } from '#core/storable-text.ts';

/** A million tokens of some four bytes, as much as the models with the longest contexts read. */
const READ_BYTES_MAX = 4_000_000;
const BLOCKS_PER_PAGE = 200;
/** 20,000 blocks of one day. */
const BLOCK_PAGES_MAX = 100;
/** A block lies at most a day ahead, and its subject may move to a time zone further west. */
const LATER_FILES_MAX = 3;

export interface OfSubject {
  readonly documents: DocumentRecords;
  readonly record: Pick<SubjectRecord, 'tenant' | 'subject'>;
}

export interface ReadBlocks extends DreamBlocks {
  /** Whether there are fresh ones after those that are held. */
  readonly isMore: boolean;
}

type DreamFiles = Pick<DreamCut, 'window' | 'earlier'>;
type DreamFile = DreamFiles['window'][number];

/** The fresh ones oldest first, the known ones of the window newest first, each to a bound. */
export async function readBlocks(
  of: OfSubject,
  { window, earlier }: DreamFiles,
): Promise<ReadBlocks> {
  const fresh = held();
  const isMore = !(await takeFresh(of, [...earlier.toReversed(), ...window], fresh));
  const known = held();
  await takeKnown(of, window.toReversed(), known);
  return { fresh: fresh.blocks, known: known.blocks.toReversed(), isMore };
}

/** Whether a file after that of a day has a block that a dream will read when its day has come. */
export async function hasLaterBlocks(of: OfSubject, day: string): Promise<boolean> {
  const page = { after: dailyPath(day), limit: LATER_FILES_MAX };
  for (const path of await of.documents.paths(of.record, page)) {
    if (!isDailyPath(path)) continue;
    for await (const block of blocksOf(of, { path, blocks: Infinity })) {
      if (isFresh(block)) return true;
    }
  }
  return false;
}

interface Held {
  readonly blocks: Document[];
  bytes: number;
}

function held(): Held {
  return { blocks: [], bytes: 0 };
}

/** False where there is no room any more; the first block always has some. */
function hold(into: Held, block: Document): boolean {
  const bytes = utf8Bytes(blockText(block));
  const isFull =
    into.blocks.length >= DREAM_BLOCKS_MAX ||
    (into.blocks.length > 0 && into.bytes + bytes > READ_BYTES_MAX);
  if (isFull) return false;
  into.blocks.push(block);
  into.bytes += bytes;
  return true;
}

/** Whether all were held. */
async function takeFresh(of: OfSubject, files: readonly DreamFile[], into: Held): Promise<boolean> {
  for (const file of files) {
    for await (const block of blocksOf(of, file)) {
      if (isFresh(block) && !hold(into, block)) return false;
    }
  }
  return true;
}

async function takeKnown(of: OfSubject, files: readonly DreamFile[], into: Held): Promise<void> {
  for (const file of files) {
    for await (const block of blocksBackwards(of, file)) {
      if (isKnown(block) && !hold(into, block)) return;
    }
  }
}

/** The first so many blocks of a file. */
async function* blocksOf(
  { documents, record }: OfSubject,
  { path, blocks }: DreamFile,
): AsyncGenerator<Document, void> {
  const { tenant, subject } = record;
  let after = 0;
  for (let page = 0; page < BLOCK_PAGES_MAX && after < blocks; page += 1) {
    const list = await documents.list({ tenant, subject, path }, { after, limit: BLOCKS_PER_PAGE });
    yield* list.filter(({ version }) => version <= blocks);
    const last = list.at(-1);
    if (list.length < BLOCKS_PER_PAGE || last === undefined) return;
    after = last.version;
  }
}

/** The same from the last one on: they are numbered from 1 without gaps. */
async function* blocksBackwards(
  { documents, record }: OfSubject,
  { path, blocks }: DreamFile,
): AsyncGenerator<Document, void> {
  const { tenant, subject } = record;
  let before = Math.min(blocks, BLOCK_PAGES_MAX * BLOCKS_PER_PAGE);
  while (before > 0) {
    const after = Math.max(0, before - BLOCKS_PER_PAGE);
    const page = { after, limit: before - after };
    yield* (await documents.list({ tenant, subject, path }, page)).toReversed();
    before = after;
  }
}
