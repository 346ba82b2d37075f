/**
 * Passed-over blocks: new blocks from which a dream's model kept nothing. They stay unread, and a
 * later dream reads them together with what is new by then. A block that
 * `PASSED_OVER_TIMES_MAX` dreams passed over counts as read; its daily file still has it.
 */
import type { Document } from '../records/document.ts';
import type { Proposal } from '../records/proposal.ts';
import { PASSED_OVER_MAX, type SubjectRecord } from '../records/subject-record.ts';

/** Dreams that must read a block without keeping anything before it counts as read. */
export const PASSED_OVER_TIMES_MAX = 3;

type Known = Pick<SubjectRecord, 'passedOver'>;
type Place = Pick<Document, 'path' | 'version'>;

/** Returns the passed-over blocks that stay unread. */
export function stillUnread<Block extends Place>(
  { passedOver = [] }: Known,
  blocks: readonly Block[],
): readonly Block[] {
  const last = passedOver.filter(({ times }) => times + 1 >= PASSED_OVER_TIMES_MAX);
  const given = new Set(last.map(keyOf));
  return blocks.filter((block) => !given.has(keyOf(block))).slice(0, PASSED_OVER_MAX);
}

/** Returns the counts after a proposal was applied, without the blocks that count as read now. */
export function passedOverAfter(
  { passedOver = [] }: Known,
  proposal: Pick<Proposal, 'blocks' | 'passedOver'>,
): NonNullable<SubjectRecord['passedOver']> {
  const read = new Set(proposal.blocks.map(keyOf));
  const again = new Map((proposal.passedOver ?? []).map((place) => [keyOf(place), place]));
  const counted = passedOver.flatMap((each) => {
    if (read.has(keyOf(each))) return [];
    return [{ ...each, times: each.times + Number(again.delete(keyOf(each))) }];
  });
  const fresh = [...again.values()].map(({ path, version }) => ({ path, version, times: 1 }));
  return [...counted, ...fresh].slice(-PASSED_OVER_MAX);
}

function keyOf({ path, version }: Place): string {
  return `${path}/${String(version)}`;
}
