/**
 * Reads input as memories and turns. Writes nothing and decides nothing about layers: the caller
 * adds identifiers and stores the items.
 *
 * Guarantees: items come in the order of the input; the same input gives the same keys and ids, so
 * that a second import updates; a JSON file is checked to its end before its first item is yielded,
 * unless bad lines may be skipped; JSON Lines of any size need the memory of a few lines, and some
 * 50 bytes for each message without an id of its own.
 */
import { VarveError } from '#core/errors.ts';
import {
  type Detected,
  detectInput,
  detectJsonShape,
  nothingToImport,
  withDetectedFormat,
} from './detect-format.ts';
import { type InputFile, readDocument } from './input-file.ts';
import {
  type ImportItem,
  type ReadOptions,
  hashOf,
  slugOf,
  boundedKey,
  type MemoryItem,
} from './import-item.ts';
import { frontMatterOf } from './front-matter-fields.ts';
import { firstTime } from './json-records.ts';
import { recordItems } from './json-stream.ts';
import { chunksOf } from '#core/text/cut-long-text.ts';
import { sectionsOf } from './markdown-sections.ts';

/** Bytes of the files before the current one, and of all files, to measure progress. */
interface Position {
  readonly bytesBefore: number;
  readonly bytesTotal: number;
}

/**
 * Reads a path, or the result of `detectInput`.
 * @throws VarveError INVALID_INPUT, CONTENT_TOO_LONG naming file and line; CANCELLED
 */
export async function* readInput(
  input: string | Detected,
  options: ReadOptions,
): AsyncGenerator<ImportItem> {
  const { path, files, bytes } = typeof input === 'string' ? await detectInput(input) : input;
  let bytesBefore = 0;
  let items = 0;
  for (const file of files) {
    if (options.signal?.aborted === true) {
      throw new VarveError('CANCELLED', 'The import was stopped.');
    }
    try {
      for await (const item of readFile(file, options, { bytesBefore, bytesTotal: bytes })) {
        items += 1;
        yield item;
      }
    } catch (error) {
      // A bad file stops the import, except in a folder whose bad input may be skipped.
      const passes = options.skipInvalid === true && file.inFolder;
      if (!passes || !(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
      options.onSkip?.({ kind: 'invalid', problem: error });
    }
    bytesBefore += file.bytes;
    options.onProgress?.({ file: file.path, bytesRead: bytesBefore, bytesTotal: bytes });
  }
  if (items === 0) throw nothingToImport(path);
}

async function* readFile(
  named: InputFile,
  options: ReadOptions,
  position: Position,
): AsyncGenerator<ImportItem> {
  const file = await withDetectedFormat(named);
  const items = await itemsOf(file, options, position);
  if (items === null) return;
  let isEmpty = true;
  for await (const item of items) {
    isEmpty = false;
    yield item;
  }
  // A single file that is empty is refused by the caller.
  if (isEmpty && file.inFolder)
    options.onSkip?.({ kind: 'empty', problem: nothingToImport(file.path) });
}

/** Returns null for a file of a folder that is not meant for import; it has been reported. */
async function itemsOf(
  file: InputFile,
  options: ReadOptions,
  position: Position,
): Promise<AsyncIterable<ImportItem> | Iterable<ImportItem> | null> {
  if (file.format === 'markdown' || file.format === 'text') return documentItems(file);
  const detected = await detectJsonShape(file);
  if (detected.kind === 'empty') return [];
  if (detected.kind === 'foreign' && file.inFolder) {
    options.onSkip?.({ kind: 'foreign', problem: detected.problem });
    return null;
  }
  if (detected.kind !== 'known') throw detected.problem;
  const { bytesBefore, bytesTotal } = position;
  return recordItems({
    file,
    shape: detected.shape,
    session: sessionOf(file, options.owner),
    baseTime: firstTime(options.endTime, bytesTotal - bytesBefore),
    options,
    onFraction: (fraction) => {
      const bytesRead = bytesBefore + Math.floor(file.bytes * fraction);
      options.onProgress?.({ file: file.path, bytesRead, bytesTotal });
    },
  });
}

/** What a slug leaves out and still tells two names apart, such as `C#` and `C++`. */
const TELLING_SIGNS = /[^\p{L}\p{M}\p{N}\-_. /]/u;
const NAME_HASH_DIGITS = 6;

/**
 * Returns the session of a file, by its owner, folder and name: two folders may have a `chat`.
 * Names of files may share a slug, those of owners may not.
 */
function sessionOf(file: InputFile, owner: readonly string[] = []): string {
  const own = file.name.replace(/\.[^./]+$/, '');
  const owned = owner.map((name) => slugFor(name, slugOf(name) !== name));
  return [...owned, slugFor(own, TELLING_SIGNS.test(own))].join('.');
}

function slugFor(name: string, withHash: boolean): string {
  const slug = slugOf(name);
  return withHash ? `${slug}-${hashOf(name, NAME_HASH_DIGITS)}` : slug;
}

/** Returns a memory for each section of Markdown, or each group of paragraphs of other text. */
async function documentItems(file: InputFile): Promise<readonly MemoryItem[]> {
  const text = await readDocument(file);
  if (file.format === 'markdown') {
    const { tags, metadata } = frontMatterOf(text);
    return sectionsOf(text).map((section) => {
      const heading = section.headings.join(' > ');
      const own = item(file, { place: section.path, text: section.text, heading });
      return { ...own, tags, metadata: { ...metadata, ...own.metadata } };
    });
  }
  const chunks = chunksOf(text).map((chunk) => chunk.trim());
  return chunks
    .filter((chunk) => chunk !== '')
    .map((chunk, at) => item(file, { place: String(at + 1), text: chunk, heading: '' }));
}

function item(
  file: InputFile,
  section: { place: string; text: string; heading: string },
): MemoryItem {
  const { place, text, heading } = section;
  return {
    kind: 'memory',
    layer: null,
    identifiers: {},
    text,
    key: boundedKey(`${file.name}#${place}`),
    tags: [],
    metadata: heading === '' ? { file: file.name } : { file: file.name, heading },
    at: null,
  };
}
