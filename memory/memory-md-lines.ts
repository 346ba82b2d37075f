/** The lines of MEMORY.md as they are shown and edited. */
import { isCurrent, restoredLines } from '#core/memory-files/restored-lines.ts';
import type { Document, DocumentLine } from '#core/records/document.ts';
import { ARCHIVE_PATH } from '#core/memory-files/paths.ts';
import { type LineReader, sourceEnds } from './current-file-lines.ts';
import type { ProviderPorts } from './provider-ports.ts';

/** Latest blocks of the archive that are looked through: one for each dream that moved some. */
const ARCHIVE_BLOCKS_MAX = 500;

/**
 * Returns the valid lines and those that are back from the archive, in their order.
 * @param isValid `isUndeleted` for a dream, which itself judges what else is no longer current
 */
export async function memoryLines(
  { store, platform }: Pick<ProviderPorts, 'store' | 'platform'>,
  reader: LineReader,
  file: Pick<Document, 'subject' | 'lines'>,
  isValid = isCurrent,
): Promise<readonly DocumentLine[]> {
  const { subject, lines } = file;
  const ends = await sourceEnds({ store, platform }, reader, lines);
  if (lines.every((line) => isValid(line, ends))) return lines;
  const { documents } = store;
  const place = { tenant: reader.tenant, subject, path: ARCHIVE_PATH };
  const last = (await documents.latest(place))?.version ?? 0;
  const after = Math.max(0, last - ARCHIVE_BLOCKS_MAX);
  const blocks =
    last === 0 ? [] : await documents.list(place, { after, limit: ARCHIVE_BLOCKS_MAX });
  const archived = blocks.flatMap((block) => block.lines);
  return restoredLines(lines, archived, ends, isValid);
}
