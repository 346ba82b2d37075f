/**
 * Activity: applies an approved proposal.
 *
 * Flow: write MEMORY.md over the version that the proposal was made from → append to the diary →
 * append to the archive → mark the blocks that were read → update the subject → mark the proposal
 * Applied.
 * Guarantees: each write can be found by the proposal's id, so a repetition after a crash at any
 * point ends in the same state; if somebody else wrote MEMORY.md meanwhile, or a source of a line
 * was deleted, nothing is written, and the proposal is Outdated.
 */
import { isUndeleted } from '#core/memory-files/restored-lines.ts';
import { appliedDream, isOutdated, type AppliedDream } from '#core/dreams/applied-dream.ts';
import type { ApplyDreamInput, ApplyReport } from '#core/dreams/dream-contract.ts';
import { markedNewAgain, hasNewAfter } from '#core/dreams/whether-to-dream.ts';
import { passedOverAfter } from '#core/dreams/passed-over-blocks.ts';
import { isUnchanged } from '#core/dreams/compare-lines.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { Document } from '#core/records/document.ts';
import { MEMORY_PATH } from '#core/memory-files/paths.ts';
import type { Proposal } from '#core/records/proposal.ts';
import { tenantReader, validLines } from '#memory/current-file-lines.ts';
import { unlessErased } from '../write-unless-erased.ts';
import { hasLaterBlocks } from './read-dream-material.ts';
import type { DreamPorts } from './dream-ports.ts';
import { moveProposal, changeSubject, putEndedEvent } from './write-dream-records.ts';

type Ports = Pick<DreamPorts, 'store' | 'platform'>;

export async function applyProposal(given: Ports, input: ApplyDreamInput): Promise<ApplyReport> {
  const ports = await unlessErased(given, input.tenant);
  const { store } = ports;
  const { tenant, proposalId } = input;
  if ((await policyToRefreshBy(store.policies, tenant)) === null) return { state: 'Gone' };
  const proposal = await store.proposals.get(tenant, proposalId);
  if (proposal === null) return { state: 'Gone' };
  const { state } = proposal;
  if (state === 'Applied' || state === 'Outdated') return { state };
  if (state !== 'Approved') return { state: 'NotApproved' };
  const outcome = await applyApprovedProposal(ports, proposal);
  return { state: outcome === 'Outdated' ? outcome : 'Applied' };
}

/** Applies an approved proposal; repeatable. */
export async function applyApprovedProposal(
  ports: Ports,
  proposal: Proposal,
): Promise<'Dreamed' | 'Unchanged' | 'Outdated'> {
  const { store, platform } = ports;
  const { newId, clock } = platform;
  const ids = { memory: newId(), diary: newId(), archive: newId() };
  const base = await baseOf(ports, proposal);
  const parts = { at: clock(), layout: base?.layout };
  const { memory, diary, archive } = appliedDream(proposal, ids, parts);
  const unchanged = isUnchanged(proposal, base);
  const all = [memory, diary, archive].flatMap((document) => document?.lines ?? []);
  const holds = await validLines(ports, tenantReader(proposal.tenant), all, isUndeleted);
  const isWhole = memory.lines.every(holds);
  if (!unchanged && !(await writeMemory(ports, proposal, { memory, isWhole }))) {
    await outdate(ports, proposal);
    return 'Outdated';
  }
  for (const block of [diary, archive]) {
    if (block === null) continue;
    const lines = block.lines.filter(holds);
    if (lines.length > 0) await store.documents.append({ ...block, lines }, proposal);
  }
  await store.documents.markDreamed(proposal, proposal.blocks, clock());
  const outcome = unchanged ? 'Unchanged' : 'Dreamed';
  await noteWithSubject(ports, proposal, outcome);
  await putEndedEvent(ports, proposal);
  await moveProposal(ports, proposal, 'Applied');
  return outcome;
}

/** Whether applying the proposal leaves MEMORY.md as it is. */
export async function leavesMemoryUnchanged(ports: Ports, proposal: Proposal): Promise<boolean> {
  return isUnchanged(proposal, await baseOf(ports, proposal));
}

/** The version of MEMORY.md that the proposal was made from; null if there was none. */
async function baseOf({ store }: Ports, proposal: Proposal): Promise<Document | null> {
  const { baseVersion: version } = proposal;
  if (version === 0) return null;
  return store.documents.get({ ...memoryOf(proposal), version });
}

/**
 * False if somebody else wrote MEMORY.md after the proposal was made, or if a source of a line was
 * deleted after that.
 */
async function writeMemory(
  { store: { documents } }: Ports,
  proposal: Proposal,
  { memory, isWhole }: Pick<AppliedDream, 'memory'> & { readonly isWhole: boolean },
): Promise<boolean> {
  const place = memoryOf(proposal);
  const latest = (await documents.latest(place))?.version ?? 0;
  // Write only over the latest version: later ones may be deleted, and their numbers free again.
  const isToWrite = isWhole && !isOutdated(proposal, latest);
  if (isToWrite && (await documents.put(memory))) return true;
  const written = await documents.get({ ...place, version: memory.version });
  return written?.proposalId === proposal.id;
}

async function noteWithSubject(
  ports: Ports,
  proposal: Proposal,
  outcome: 'Dreamed' | 'Unchanged',
): Promise<void> {
  const { id: dreamId, contentHash: processedHash, leftBlocks } = proposal;
  const at = ports.platform.clock();
  const hasLeft = leftBlocks > 0 || (await hasLater(ports, proposal));
  await changeSubject(ports, proposal, (record) => {
    const { last } = record;
    if (last?.dreamId === dreamId && last.outcome === outcome) return null;
    const hasNew = hasNewAfter(record, { ...proposal, hasLeft });
    const passedOver = passedOverAfter(record, proposal);
    return { ...record, processedHash, hasNew, passedOver, last: { at, outcome, dreamId } };
  });
}

async function outdate(ports: Ports, proposal: Proposal): Promise<void> {
  await changeSubject(ports, proposal, (record) => markedNewAgain(record, proposal));
  await moveProposal(ports, proposal, 'Outdated');
}

/** Whether there is an unread block for a day after the proposal's day. */
export function hasLater({ store, platform }: Ports, proposal: Proposal): Promise<boolean> {
  return hasLaterBlocks({ store, platform, record: proposal }, proposal.day);
}

function memoryOf({ tenant, subject }: Proposal) {
  return { tenant, subject, path: MEMORY_PATH };
}

/** An approval starts a run, which ends within seconds; a run that takes longer was lost. */
const APPLY_AFTER_MS = 60_000;
/** A start that gets no answer takes five seconds, and the tick has two minutes. */
const PROPOSALS_PER_TICK_MAX = 20;

/**
 * Step of the tick: applies proposals that were approved and are not applied yet, because the
 * approving process crashed before it started the run, Temporal was down, or the run was
 * terminated.
 *
 * Guarantees: the store records what is pending, and a run only executes it; each proposal moves to
 * the back of the queue before it is tried, so one that cannot be applied, or whose tenant was
 * released, does not block others.
 *
 * A proposal whose run cannot start is logged by its id and left to a later tick.
 */
export async function applyApproved(ports: Ports, runs: Pick<DreamRuns, 'apply'>): Promise<void> {
  const { store, platform } = ports;
  const before = platform.clock() - APPLY_AFTER_MS;
  const pending = await store.proposals.approved({ before, limit: PROPOSALS_PER_TICK_MAX });
  for (const proposal of pending) {
    const { tenant, id: proposalId } = proposal;
    try {
      if (await isToApply(ports, proposal)) await runs.apply({ tenant, proposalId });
    } catch (error) {
      const found = { tenant, proposalId, error };
      platform.log.warn(found, 'approved proposal not applied; a later tick retries');
    }
  }
}

/** False if another tick took the proposal, it is applied already, or its tenant was released. */
async function isToApply({ store, platform }: Ports, proposal: Proposal): Promise<boolean> {
  const asked = { ...proposal, askedAt: platform.clock(), version: proposal.version + 1 };
  if (!(await store.proposals.put(asked))) return false;
  return (await policyToRefreshBy(store.policies, proposal.tenant)) !== null;
}
