/** What is written where a proposal is applied: pure values, the same for every repetition. */
import { ARCHIVE_PATH, diaryPath, MEMORY_PATH, type Document } from '../records/document.ts';
import { laidOut } from '../memory-files/memory-md-layout.ts';
import type { Proposal } from '../records/proposal.ts';

/** Headings of the blocks that a dream writes. */
export const DIARY_HEADING = 'Deep Dream';
const ARCHIVE_HEADING = 'Archived';

export interface AppliedDream {
  /** Version `baseVersion + 1` of MEMORY.md. */
  readonly memory: Document;
  /** Blocks to append; null where there is nothing to say or to move. */
  readonly diary: Omit<Document, 'version'> | null;
  readonly archive: Omit<Document, 'version'> | null;
}

/** Ids of the documents that an application writes. */
export interface AppliedIds {
  readonly memory: string;
  readonly diary: string;
  readonly archive: string;
}

/**
 * Whether MEMORY.md was written by another since the proposal read it: then the proposal is not
 * applied, whatever was approved, and the next dream begins with what stands there.
 * @param current version of MEMORY.md, 0 where there is none
 */
export function isOutdated(
  { baseVersion }: Pick<Proposal, 'baseVersion'>,
  current: number,
): boolean {
  return current !== baseVersion;
}

/**
 * `layout` is that of the version that the proposal was made from: what a person wrote around the
 * lines stays. The blocks have a key of their proposal, so that a repeated application
 * appends them once.
 */
export function appliedDream(
  proposal: Proposal,
  ids: AppliedIds,
  { at, layout }: { readonly at: number; readonly layout?: string | undefined },
): AppliedDream {
  const { tenant, subject, id: proposalId, baseVersion, lines, archived } = proposal;
  const laid = laidOut(layout, lines);
  const common = { tenant, subject, author: 'dream', proposalId, at, dreamedAt: null } as const;
  const memory: Document = {
    ...common,
    path: MEMORY_PATH,
    version: baseVersion + 1,
    id: ids.memory,
    kind: 'Core',
    heading: null,
    lines: [...laid.lines],
    key: null,
    layout: layout === undefined ? undefined : laid.text,
  };
  const archive = {
    ...common,
    path: ARCHIVE_PATH,
    id: ids.archive,
    kind: 'Archive' as const,
    heading: ARCHIVE_HEADING,
    lines: archived,
    key: `dream/${proposalId}`,
  };
  return {
    memory,
    diary: diaryBlock(proposal, ids.diary, at),
    archive: archived.length === 0 ? null : archive,
  };
}

/** The block of the diary alone: of a dream that changed nothing there is one as well. */
export function diaryBlock(
  {
    tenant,
    subject,
    id: proposalId,
    day,
    diary,
  }: Pick<Proposal, 'tenant' | 'subject' | 'id' | 'day' | 'diary'>,
  id: string,
  at: number,
): Omit<Document, 'version'> | null {
  if (diary.length === 0) return null;
  return {
    tenant,
    subject,
    path: diaryPath(day),
    id,
    kind: 'Diary',
    heading: DIARY_HEADING,
    lines: diary,
    author: 'dream',
    proposalId,
    key: `dream/${proposalId}`,
    at,
    dreamedAt: null,
  };
}
