/** The lines of MEMORY.md as they are shown and edited. */
import { isCurrent, returnedLines } from '#core/memory-files/restored-lines.ts';
import { ARCHIVE_PATH, type Document, type DocumentLine } from '#core/records/document.ts';
import { type LineReader, sourceEnds } from './current-file-lines.ts';
import type { EnginePorts } from './engine-ports.ts';

/** Latest blocks of the archive that are looked through: one for each dream that moved some. */
const ARCHIVE_BLOCKS_MAX = 500;

/** Those that hold, and those that are back from the archive, in their order. */
export async function memoryLines(
  ports: Pick<EnginePorts, 'store' | 'platform'>,
  reader: LineReader,
  { subject, lines }: Pick<Document, 'subject' | 'lines'>,
): Promise<readonly DocumentLine[]> {
  const ends = await sourceEnds(ports, reader, lines);
  if (lines.every((line) => isCurrent(line, ends))) return lines;
  const { documents } = ports.store;
  const place = { tenant: reader.tenant, subject, path: ARCHIVE_PATH };
  const last = (await documents.latest(place))?.version ?? 0;
  const after = Math.max(0, last - ARCHIVE_BLOCKS_MAX);
  const blocks =
    last === 0 ? [] : await documents.list(place, { after, limit: ARCHIVE_BLOCKS_MAX });
  return returnedLines(
    lines,
    blocks.flatMap((block) => block.lines),
    ends,
  );
}
