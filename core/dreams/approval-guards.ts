/**
 * Decides whether a change of MEMORY.md is so large that it waits for a person. How large is in the
 * DeepDream; where it says nothing, in `DEFAULT_DREAM` of core/policy/policy-defaults.ts.
 */
import type { DreamPolicy } from '../records/dream-policy.ts';
import type { GuardFinding } from '../records/proposal.ts';

const PERCENT = 100;

export type DreamGuards = Pick<
  DreamPolicy,
  'approval' | 'removedLinesPercentMax' | 'addedLinesMax'
>;

/** Numbers of lines. */
interface ChangedLines {
  readonly added: number;
  /** Lines that left, except archived ones and those with a new line of their own instead. */
  readonly gone: number;
  /** Lines of MEMORY.md that went to the archive. */
  readonly moved: number;
  /** All lines that MEMORY.md had. */
  readonly of: number;
}

/**
 * Returns why the proposal waits for a person; empty if it may be written. An empty MEMORY.md has
 * no lines to lose, so only the number of added lines is guarded.
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
