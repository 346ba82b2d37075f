/** Whether a change of MEMORY.md is so large that it waits for a person. */
import type { DreamPolicy } from '../records/dream-policy.ts';
import type { GuardFinding } from '../records/proposal.ts';

const PERCENT = 100;

export type DreamGuards = Pick<
  DreamPolicy,
  'approval' | 'removedLinesPercentMax' | 'addedLinesMax'
>;

/** In lines. */
export interface ChangedLines {
  readonly added: number;
  /** Without those that moved to the archive, or whose place a new line of its own took. */
  readonly gone: number;
  /** To the archive, of those that MEMORY.md had. */
  readonly moved: number;
  /** That MEMORY.md had. */
  readonly of: number;
}

/**
 * Returns why the proposal waits for a person; none where it may be written. An empty MEMORY.md has
 * no line to take away, so nothing of it is guarded but what comes.
 */
export function approvalFindings(
  { added, gone, moved, of }: ChangedLines,
  guards: DreamGuards,
): GuardFinding[] {
  const { approval, removedLinesPercentMax, addedLinesMax } = guards;
  const isTooMany = (lines: number): boolean => lines * PERCENT > removedLinesPercentMax * of;
  return [
    ...(approval === 'Required' ? ['ApprovalRequired' as const] : []),
    ...(isTooMany(gone) ? ['TooManyRemoved' as const] : []),
    ...(of > 0 && isTooMany(moved) ? ['TooManyArchived' as const] : []),
    ...(added > addedLinesMax ? ['TooManyAdded' as const] : []),
  ];
}
