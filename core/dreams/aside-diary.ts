/** What the diary says of a block that is set aside: where it stands, and never what it says. */
import { diaryPath, type Document } from '../records/document.ts';
import { DIARY_HEADING } from './applied-dream.ts';

interface AsideParts {
  /** Of the diary's block and of its line. */
  readonly ids: { readonly block: string; readonly line: string };
  /** `YYYY-MM-DD`, whose diary records it. */
  readonly day: string;
  readonly at: number;
}

/** Its key is that of the block, so that a repetition records it once. */
export function asideDiary(
  { tenant, subject, path, version, id: blockId }: Document,
  { ids, day, at }: AsideParts,
): Omit<Document, 'version'> {
  const text =
    `Block ${String(version)} of ${path} is set aside: the model made nothing of it. It stays in ` +
    'its file, and no dream reads it again.';
  return {
    tenant,
    subject,
    path: diaryPath(day),
    id: ids.block,
    kind: 'Diary',
    heading: DIARY_HEADING,
    lines: [{ id: ids.line, heading: null, text, sources: [blockId], trust: 'verified', at }],
    author: 'dream',
    proposalId: null,
    key: `aside/${blockId}`,
    at,
    dreamedAt: null,
  };
}
