/**
 * Activity: turns the model's stored answer into the proposal of a dream, and applies it unless a
 * guard keeps it for a person.
 *
 * Flow: ground the answer and plan → write the proposal, under the id of the dream → mark older
 * waiting proposals Outdated → delete the text of the answer → apply the proposal, or record in the
 * subject that it waits.
 * Guarantees: a repetition continues an existing proposal, so after a crash at any point it ends in
 * the same state; an answer to another question is never used.
 */
import { diaryBlock } from '#core/dreams/applied-dream.ts';
import type {
  ProposeInput,
  ProposeReport,
  DistilReport,
  DreamCut,
  DreamInput,
} from '#core/dreams/dream-contract.ts';
import {
  makeProposal,
  type ProposalDraft,
  type ProposalParts,
} from '#core/dreams/make-proposal.ts';
import { newContentHash, hasNewAfter } from '#core/dreams/whether-to-dream.ts';
import { needsFallback } from '#core/dreams/failed-dreams.ts';
import { VarveError } from '#core/errors.ts';
import { doubtsOf, type Doubt } from '#core/grounding/doubt.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import type { DreamModel } from '#core/ports/dream-model.ts';
import type { Document } from '#core/records/document.ts';
import type { Proposal } from '#core/records/proposal.ts';
import { EXTRACTIVE_NAME } from '#core/refresh/model-choice.ts';
import { earlierAttempts, meteredCall, type CallOutcome } from '../metered-call.ts';
import type { ActivityCall } from '../refresh-ports.ts';
import { unlessErased } from '../write-unless-erased.ts';
import { confirmedDoubts, verifyDoubts } from '../verify-doubts.ts';
import { applyApprovedProposal, hasLater, leavesMemoryUnchanged } from './apply-proposal.ts';
import {
  materialAt,
  type ReadDream,
  askedDream,
  type AskedDream,
  paidQuestion,
} from './read-dream-material.ts';
import { type DreamPorts, dreamerOf, readSubject, type DreamSubject } from './dream-ports.ts';
import { changeSubject, outdateWaiting } from './write-dream-records.ts';

/** @throws VarveError MODEL_OUTPUT_INVALID for an answer that cannot be read */
export async function proposeDream(given: DreamPorts, input: ProposeInput): Promise<ProposeReport> {
  const ports = await unlessErased(given, input.tenant);
  const { store, models } = ports;
  const { tenant, dreamId } = input;
  const subject = await readSubject(ports, input);
  if (subject === null) return nothing('Gone');
  const known = await store.proposals.get(tenant, dreamId);
  if (known !== null) return finish(ports, known);
  const of = { store, platform: ports.platform, record: subject.record };
  const material = await materialAt(of, input.cut);
  if (material === null) return nothing('Gone');
  const asked = askedDream(ports, material, dreamerOf(models, input.model));
  const answer = await store.answers.find(tenant, dreamId, asked.hash);
  // The question has changed: an older proposal was applied, or a source deleted, meanwhile.
  if (answer === null) return nothing('Outdated');
  // The text is deleted once the dream is done with it.
  if (answer.text === null) return nothing('LowGrounding');
  const isWithoutModel = input.model === EXTRACTIVE_NAME;
  const planned = { subject, material, asked };
  const confirms = await confirmedDoubts(ports, { tenant, batchId: dreamId });
  const plan = planOf(ports, { ...planned, answer: answer.text, isWithoutModel, confirms });
  const proposal = proposalOf(ports, input, { ...planned, plan });
  // Reading takes a while, and an erasure of the tenant may have begun.
  if ((await policyToRefreshBy(store.policies, tenant)) === null) return nothing('Gone');
  if (plan.outcome === 'LowGrounding') return refuse(ports, proposal);
  await store.proposals.put(proposal);
  // Another try of this activity may have written its proposal first.
  return finish(ports, (await store.proposals.get(tenant, dreamId)) ?? proposal);
}

interface Planned {
  readonly subject: DreamSubject;
  readonly material: ReadDream;
  readonly asked: AskedDream;
}

function planOf(
  { platform, tokens }: DreamPorts,
  {
    subject,
    material,
    asked,
    answer,
    isWithoutModel,
    confirms,
  }: Planned & Pick<ProposalParts, 'answer' | 'isWithoutModel' | 'confirms'>,
): ProposalDraft {
  const { question, read, leftBlocks, unreadLines } = asked;
  const [oldest] = material.fresh;
  const shown = new Set(question.daily.map(({ id }) => id));
  const parts = {
    answer,
    question,
    blocks: [...read, ...material.known.filter(({ id }) => shown.has(id))],
    base: material.base?.lines ?? [],
    tombstones: subject.record.tombstones,
    guards: subject.rules,
    leftBlocks,
    unreadLines,
    isWithoutModel,
    isFallback: isWithoutModel && oldest !== undefined && needsFallback(subject.record, oldest),
    passedOver: subject.record.passedOver,
    confirms,
  };
  const { newId, digest, clock } = platform;
  return makeProposal(parts, { newId, digest, tokens, at: clock() });
}

function proposalOf(
  { platform, calendar }: DreamPorts,
  { tenant, subjectId, dreamId, cut, model }: ProposeInput,
  { subject, material, asked, plan }: Planned & { readonly plan: ProposalDraft },
): Proposal {
  const { outcome: _, unread, ...planned } = plan;
  const again = new Set(unread);
  const places = Map.groupBy(asked.read, ({ id }) => again.has(id));
  return {
    ...planned,
    tenant,
    id: dreamId,
    subject: subject.record.subject,
    subjectId,
    dream: subject.dream,
    state: plan.findings.length > 0 ? 'Waiting' : 'Approved',
    baseVersion: cut.memoryVersion,
    day: calendar.dayOf(cut.gatheredAt, subject.rules.timeZone),
    contentHash: newContentHash(platform.digest, material.fresh),
    blocks: placesOf(places.get(false)),
    passedOver: placesOf(places.get(true)),
    leftBlocks: asked.leftBlocks,
    readLines: asked.readLines,
    subjectVersion: cut.subjectVersion,
    gatheredAt: cut.gatheredAt,
    model,
    at: platform.clock(),
    decision: null,
    askedAt: null,
    version: 1,
  };
}

function placesOf(blocks: readonly Document[] = []) {
  return blocks.map(({ path, version }) => ({ path, version }));
}

/** MEMORY.md stays as it is, and the diary says why; the next round asks again. */
async function refuse(ports: DreamPorts, proposal: Proposal): Promise<ProposeReport> {
  const { store, platform } = ports;
  const diary = diaryBlock(proposal, platform.newId(), platform.clock());
  if (diary !== null) await store.documents.append(diary, proposal);
  await store.answers.close(proposal.tenant, proposal.id);
  return { ...nothing('LowGrounding'), dropped: proposal.dropped.length };
}

async function finish(ports: DreamPorts, proposal: Proposal): Promise<ProposeReport> {
  const { added, removed, archived, dropped } = proposal;
  await outdateWaiting(ports, proposal);
  await ports.store.answers.close(proposal.tenant, proposal.id);
  return {
    outcome: await outcomeOf(ports, proposal),
    added: added.length,
    removed: removed.length,
    archived: archived.length,
    dropped: dropped.length,
  };
}

async function outcomeOf(
  ports: DreamPorts,
  proposal: Proposal,
): Promise<Exclude<ProposeReport['outcome'], 'Gone' | 'LowGrounding'>> {
  switch (proposal.state) {
    case 'Approved':
      return applyApprovedProposal(ports, proposal);
    case 'Applied':
      return (await leavesMemoryUnchanged(ports, proposal)) ? 'Unchanged' : 'Dreamed';
    case 'Outdated':
      return 'Outdated';
    default:
      await noteWaiting(ports, proposal);
      return 'Waiting';
  }
}

/** Keeps the same content from being dreamed again while the proposal waits for a person. */
async function noteWaiting(ports: DreamPorts, proposal: Proposal): Promise<void> {
  const { contentHash: processedHash } = proposal;
  const hasLeft = await hasLater(ports, proposal);
  await changeSubject(ports, proposal, (record) => {
    if (record.processedHash === processedHash) return null;
    return { ...record, processedHash, hasNew: hasNewAfter(record, { ...proposal, hasLeft }) };
  });
}

function nothing(outcome: ProposeReport['outcome']): ProposeReport {
  return { outcome, added: 0, removed: 0, archived: 0, dropped: 0 };
}

/**
 * Activity: makes the model call of a dream. The answer is stored and its cost settled before
 * anything uses it (`meteredCall`), so a crash at any point loses one call at most.
 *
 * @throws VarveError what the model throws, and RATE_LIMITED with too many open reservations
 */
export async function distilDream(
  given: DreamPorts,
  input: DreamInput & { readonly cut: DreamCut },
  call: ActivityCall,
): Promise<DistilReport> {
  const ports = await unlessErased(given, input.tenant);
  const { store, models } = ports;
  const { tenant, dreamId: batchId, cut } = input;
  const subject = await readSubject(ports, input);
  if (subject === null) return { kind: 'Gone' };
  const { policy, record } = subject;
  const material = await materialAt({ store, platform: ports.platform, record }, cut);
  if (material === null) return { kind: 'Gone' };
  const batch = { tenant, batchId };
  const attempt = (await earlierAttempts(ports, batch)) + 1;
  const rules = { batch, attempt, policy, call } as const;
  const ask = (model: DreamModel): Promise<CallOutcome> =>
    meteredCall(ports, paidQuestion(ports, askedDream(ports, material, model)), {
      ...rules,
      purpose: 'dream',
    });
  const model = dreamerOf(models, cut.model);
  const outcome = await ask(model);
  if (outcome.kind === 'Answered' && policy.grounding !== undefined) {
    const asked = askedDream(ports, material, model);
    const doubts = dreamDoubts(ports, { subject, material, asked }, outcome.answer.text ?? '');
    await verifyDoubts(ports, doubts, { ...rules, attempt: attempt + 1 });
  }
  if (outcome.kind === 'Exhausted' && policy.budget.onExhausted === 'Extractive') {
    return reportOf(await ask(models.extractiveDreamer));
  }
  return reportOf(outcome);
}

/** Returns none for an answer that cannot be read: making the proposal reports that error. */
function dreamDoubts(ports: DreamPorts, planned: Planned, answer: string): readonly Doubt[] {
  try {
    return doubtsOf((confirms) => planOf(ports, { ...planned, answer, confirms }));
  } catch (error) {
    if (error instanceof VarveError && error.code === 'MODEL_OUTPUT_INVALID') return [];
    throw error;
  }
}

function reportOf(outcome: CallOutcome): DistilReport {
  if (outcome.kind === 'Released') return { kind: 'Gone' };
  if (outcome.kind === 'Exhausted') return outcome;
  const { answer, called } = outcome;
  return { kind: 'Answered', model: answer.model, ...answer.usage, called };
}
