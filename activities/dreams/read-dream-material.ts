/** Reads what a dream needs of its subject: MEMORY.md and daily files, now or as of a cut. */
import { isUndeleted } from '#core/memory-files/restored-lines.ts';
import { pagesOf } from '#core/chunks-and-pages.ts';
import {
  dailyFiles,
  isFresh,
  isKnown,
  type DreamBlocks,
  isDailyPath,
} from '#core/dreams/daily-files-to-read.ts';
import { ARCHIVE_PATH, MEMORY_PATH, dailyPath } from '#core/memory-files/paths.ts';
import type { DreamCut } from '#core/dreams/dream-contract.ts';
import { DREAM_BLOCKS_MAX, fittedDream, type FittedDream } from '#core/dreams/dream-call-size.ts';
import { blockText, dreamQuestion } from '#core/dreams/dream-sources.ts';
import { memoryTokensMax } from '#core/dreams/memory-md-size.ts';
import type { Digest } from '#core/hash.ts';
import type { DreamModel, DreamQuestion } from '#core/ports/dream-model.ts';
import type { Document } from '#core/records/document.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { utf8Bytes } from '#core/storable-text.ts';
import { subjectOfKey } from '#core/subject.ts';
import { tenantReader, validLines } from '#memory/current-file-lines.ts';
import { memoryLines } from '#memory/memory-md-lines.ts';
import type { PaidQuestion } from '../metered-call.ts';
import { countUsage } from '../refresh-metrics.ts';
import type { DreamPorts } from './dream-ports.ts';

/** In the order of paths, daily files come after this one and before the archive. */
const FIRST_DAILY_PATH = 'memory/';
const PATHS_PER_PAGE = 500;
/** More daily files than a lifetime has days; later ones are not read. */
const PATH_PAGES_MAX = 100;

export interface ReadDream extends ReadBlocks {
  readonly owner: DreamQuestion['owner'];
  /** MEMORY.md; null if there is none. */
  readonly base: Document | null;
  readonly files: Pick<DreamCut, 'window' | 'earlier'>;
}

/**
 * Reads the material as it is now.
 * @param days the day of the dream and its look-back
 */
export async function readMaterial(
  of: OfSubject,
  days: { readonly day: string; readonly lookbackDays: number },
): Promise<ReadDream> {
  const paths = dailyFiles(await dailyPaths(of), days);
  // Note where the files end: what is appended while they are read belongs to the next dream.
  const window = await endsOf(of, paths.window);
  const earlier = await endsOf(of, paths.earlier);
  const blocks = await readBlocks(of, { window, earlier });
  const base = await undeletedBase(of, await of.store.documents.latest(placeOf(of, MEMORY_PATH)));
  const fresh = new Set(blocks.fresh.map(({ path }) => path));
  const files = { window, earlier: earlier.filter(({ path }) => fresh.has(path)) };
  return { owner: ownerOf(of), base, files, ...blocks };
}

/** Returns the material as it was gathered; null if it is gone. */
export async function materialAt(of: OfSubject, cut: DreamCut): Promise<ReadDream | null> {
  const { window, earlier, memoryVersion: version } = cut;
  const place = { ...placeOf(of, MEMORY_PATH), version };
  const read = version === 0 ? null : await of.store.documents.get(place);
  if (version > 0 && read === null) return null;
  const base = await undeletedBase(of, read);
  const blocks = await readBlocks(of, { window, earlier });
  return { owner: ownerOf(of), base, files: { window, earlier }, ...blocks };
}

/** What a dream cannot read, it cannot write again. */
async function undeletedBase(of: OfSubject, base: Document | null): Promise<Document | null> {
  if (base === null) return null;
  return {
    ...base,
    lines: [...(await memoryLines(of, tenantReader(base.tenant), base, isUndeleted))],
  };
}

/** Returns the wanted ones of the blocks, without lines whose source was deleted. */
async function undeletedBlocks(
  of: OfSubject,
  blocks: readonly Document[],
  isWanted: (block: Document) => boolean,
): Promise<readonly Document[]> {
  const wanted = blocks.filter(isWanted);
  const lines = wanted.flatMap((block) => block.lines);
  const holds = await validLines(of, tenantReader(of.record.tenant), lines, isUndeleted);
  const left = wanted.map((block) => ({ ...block, lines: block.lines.filter(holds) }));
  return left.filter(isWanted);
}

function ownerOf({ record }: OfSubject): ReadDream['owner'] {
  return subjectOfKey(record.subject)?.kind ?? 'user';
}

async function dailyPaths({ store, record }: OfSubject): Promise<readonly string[]> {
  const limit = PATHS_PER_PAGE;
  const read = async (after = FIRST_DAILY_PATH) =>
    (await store.documents.paths(record, { after, limit })).filter((path) => path < ARCHIVE_PATH);
  return (await Array.fromAsync(pagesOf(limit, read, PATH_PAGES_MAX))).flat();
}

async function endsOf(of: OfSubject, paths: readonly string[]): Promise<DreamCut['window']> {
  const files: { path: string; blocks: number }[] = [];
  for (const path of paths) {
    const last = await of.store.documents.latest(placeOf(of, path));
    if (last !== null) files.push({ path, blocks: last.version });
  }
  return files;
}

function placeOf({ record: { tenant, subject } }: OfSubject, path: string) {
  return { tenant, subject, path };
}

/** A million tokens of some four bytes, as much as the models with the longest contexts read. */
const READ_BYTES_MAX = 4_000_000;
const BLOCKS_PER_PAGE = 200;
/** Pages of one file: 20,000 blocks of one day. */
const BLOCK_PAGES_MAX = 100;
/** A block is at most one day ahead, or more if its subject moves to a time zone further west. */
const LATER_FILES_MAX = 3;

/** The subject whose files a dream reads. */
interface OfSubject extends Pick<DreamPorts, 'store' | 'platform'> {
  readonly record: Pick<SubjectRecord, 'tenant' | 'subject'>;
}

/**
 * The blocks of daily files that a dream reads. A file may have any number of blocks, so readers
 * hold no more than a model could read. Reading the same files again yields the same blocks, until
 * a source of a line is deleted.
 */
interface ReadBlocks extends DreamBlocks {
  /** Whether there are more fresh blocks after those held. */
  readonly isMore: boolean;
}

type DreamFiles = Pick<DreamCut, 'window' | 'earlier'>;
type DreamFile = DreamFiles['window'][number];

/**
 * Reads fresh blocks from the oldest on, and known blocks of the window from the newest back; each
 * kind up to a limit. Returns both oldest first.
 */
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

/** Whether the file of a later day has a block that a dream will read on that day. */
export async function hasLaterBlocks(of: OfSubject, day: string): Promise<boolean> {
  const page = { after: dailyPath(day), limit: LATER_FILES_MAX };
  for (const path of await of.store.documents.paths(of.record, page)) {
    if (!isDailyPath(path)) continue;
    for await (const _block of freshBlocks(of, { path, blocks: Infinity })) return true;
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

/** Adds a block; false if there is no room left. The first block always fits. */
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

/** False if some fresh block had no room. */
async function takeFresh(of: OfSubject, files: readonly DreamFile[], into: Held): Promise<boolean> {
  for (const file of files) {
    for await (const block of freshBlocks(of, file)) if (!hold(into, block)) return false;
  }
  return true;
}

async function takeKnown(of: OfSubject, files: readonly DreamFile[], into: Held): Promise<void> {
  for (const file of files) {
    for await (const block of knownBlocks(of, file)) if (!hold(into, block)) return;
  }
}

/** Yields the fresh ones of the first `blocks` blocks of a file. */
async function* freshBlocks(
  of: OfSubject,
  { path, blocks }: DreamFile,
): AsyncGenerator<Document, void> {
  const place = placeOf(of, path);
  const limit = BLOCKS_PER_PAGE;
  const read = async (last: Document | undefined) => {
    const after = last?.version ?? 0;
    return after < blocks ? of.store.documents.list(place, { after, limit }) : [];
  };
  const isWanted = (block: Document) => block.version <= blocks && isFresh(block);
  for await (const list of pagesOf(limit, read, BLOCK_PAGES_MAX)) {
    yield* await undeletedBlocks(of, list, isWanted);
  }
}

/** Yields the known ones of them, from the last one back; they are numbered without gaps. */
async function* knownBlocks(
  of: OfSubject,
  { path, blocks }: DreamFile,
): AsyncGenerator<Document, void> {
  const place = placeOf(of, path);
  let before = Math.min(blocks, BLOCK_PAGES_MAX * BLOCKS_PER_PAGE);
  while (before > 0) {
    const after = Math.max(0, before - BLOCKS_PER_PAGE);
    const page = { after, limit: before - after };
    const list = await of.store.documents.list(place, page);
    yield* (await undeletedBlocks(of, list, isKnown)).toReversed();
    before = after;
  }
}

export interface AskedDream extends FittedDream {
  readonly model: DreamModel;
  readonly hash: string;
}

/**
 * Returns the question of a dream, fitted to what its model can read.
 * @throws VarveError CONTEXT_LIMIT_TOO_SMALL if the model has no room for MEMORY.md
 */
export function askedDream(
  { platform, tokens }: Pick<DreamPorts, 'platform' | 'tokens'>,
  { owner, base, fresh, known, isMore }: ReadDream,
  model: DreamModel,
): AskedDream {
  const { digest } = platform;
  const tools = { digest, tokens, tokensMax: memoryTokensMax(model) };
  const whole = dreamQuestion({ owner, memory: base?.lines ?? [], fresh, known }, tools);
  const fitted = fittedDream(whole, { model, fresh, tokens });
  // How many more there are is not known, only that there are some.
  const leftBlocks = fitted.leftBlocks + Number(isMore);
  return { ...fitted, leftBlocks, model, hash: questionHash(digest, model, fitted.question) };
}

/** Returns the paid question of a dream; the same material always gives the same question. */
export function paidQuestion(
  { metrics }: Pick<DreamPorts, 'metrics'>,
  { model, question, hash }: AskedDream,
): PaidQuestion {
  return {
    hash,
    model,
    usageMax: () => model.usageMax(question),
    ask: (call) => model.dream(question, call),
    itemsOf: () => [],
    count: (usage) => {
      countUsage(metrics, model, usage);
    },
  };
}

function questionHash(
  digest: Digest,
  { name, revision }: DreamModel,
  { memory, headings, daily, readBefore, tokensMax }: DreamQuestion,
): string {
  const lines = memory.map(({ id, contentHash }) => [id, contentHash, headings.get(id)]);
  // Only the beginning of a block that is too long is shown.
  const blocks = daily.map(({ id, contentHash, bytes }) => [
    id,
    contentHash,
    bytes,
    readBefore.has(id),
  ]);
  return digest(JSON.stringify([name, revision, tokensMax, lines, blocks]));
}
