/** A block of a file that somebody appended under a key, looked for from its end. */
import type { Document } from '#core/records/document.ts';
import type { ApiPorts } from './ports.ts';
import type { Place } from './subjects.ts';

const BLOCKS_PER_PAGE = 100;
/**
 * Pages from the end of a file: a thousand blocks, one in less than four seconds for the hour in
 * which a call may be repeated. Of a busier file a repetition appends its block once more.
 */
const PAGES_MAX = 10;

/** The block of that key among the last ones of a file; null where none of them has it. */
export async function lastBlockOfKey(
  { store }: Pick<ApiPorts, 'store'>,
  place: Place & { readonly path: string },
  key: string,
): Promise<Document | null> {
  const last = await store.documents.latest(place);
  if (last === null || last.key === key) return last;
  let end = last.version - 1;
  for (let pages = 0; pages < PAGES_MAX && end > 0; pages += 1) {
    const after = Math.max(0, end - BLOCKS_PER_PAGE);
    const blocks = await store.documents.list(place, { after, limit: end - after });
    const found = blocks.find((block) => block.key === key);
    if (found !== undefined) return found;
    end = after;
  }
  return null;
}
