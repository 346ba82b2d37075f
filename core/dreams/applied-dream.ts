/** The documents to write when a proposal is applied: pure values, equal on every retry. */
import type { Document } from '../records/document.ts';
import { ARCHIVE_PATH, diaryPath, MEMORY_PATH } from '../memory-files/paths.ts';
import { laidOut } from '../memory-files/memory-md-layout.ts';
import type { Proposal } from '../records/proposal.ts';

/** Headings of the blocks that a dream writes. */
export const DIARY_HEADING = 'Deep Dream';
const ARCHIVE_HEADING = 'Archived';

export interface AppliedDream {
  /** Version `baseVersion + 1` of MEMORY.md. */
  readonly memory: Document;
  /** Blocks to append; null if there is nothing to say or to move. */
  readonly diary: Omit<Document, 'version'> | null;
  readonly archive: Omit<Document, 'version'> | null;
}

/**
 * Whether somebody else wrote MEMORY.md since the proposal read it. Such a proposal is not applied,
 * even if it was approved, and the next dream starts from the new version.
 * @param current version of MEMORY.md, 0 if there is none
 */
export function isOutdated(
  { baseVersion }: Pick<Proposal, 'baseVersion'>,
  current: number,
): boolean {
  return current !== baseVersion;
}

/**
 * Returns the documents that apply a proposal. `layout` is the one of the version that the proposal
 * was made from, so that what a person wrote around the lines stays. The blocks have the proposal's
 * key, so that a repeated application appends them only once.
 */
export function appliedDream(
  proposal: Proposal,
  ids: { memory: string; diary: string; archive: string },
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

/** Returns only the diary's block, which a dream that changed nothing has too. */
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
