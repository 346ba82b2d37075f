/** The lines of MEMORY.md as they are shown and edited. */
import { isCurrent, isUndeleted, restoredLines } from '#core/memory-files/restored-lines.ts';
import type { Document, DocumentLine } from '#core/records/document.ts';
import { ARCHIVE_PATH } from '#core/memory-files/paths.ts';
import { type LineReader, sourceEnds } from './current-file-lines.ts';
import type { ProviderPorts } from './provider-ports.ts';

/** Latest blocks of the archive that are looked through: one for each dream that moved some. */
const ARCHIVE_BLOCKS_MAX = 500;

type Ports = Pick<ProviderPorts, 'store' | 'platform'>;
type Lines = Pick<Document, 'subject' | 'lines'>;

/** Returns the current lines and those that are back from the archive, in their order. */
export function memoryLines(
  ports: Ports,
  reader: LineReader,
  file: Lines,
): Promise<readonly DocumentLine[]> {
  return linesWith(isCurrent, ports, { reader, file });
}

/**
 * Returns the lines that a dream reads: those without a deleted source, and those that are back
 * from the archive in place of the others. What else is no longer current, the dream judges.
 */
export function undeletedMemoryLines(
  ports: Ports,
  reader: LineReader,
  file: Lines,
): Promise<readonly DocumentLine[]> {
  return linesWith(isUndeleted, ports, { reader, file });
}

async function linesWith(
  isValid: typeof isCurrent,
  ports: Ports,
  { reader, file }: { readonly reader: LineReader; readonly file: Lines },
): Promise<readonly DocumentLine[]> {
  const { subject, lines } = file;
  const ends = await sourceEnds(ports, reader, lines);
  if (lines.every((line) => isValid(line, ends))) return lines;
  const { documents } = ports.store;
  const place = { tenant: reader.tenant, subject, path: ARCHIVE_PATH };
  const last = (await documents.latest(place))?.version ?? 0;
  const after = Math.max(0, last - ARCHIVE_BLOCKS_MAX);
  const blocks =
    last === 0 ? [] : await documents.list(place, { after, limit: ARCHIVE_BLOCKS_MAX });
  const archived = blocks.flatMap((block) => block.lines);
  return restoredLines(lines, archived, ends, isValid);
}
