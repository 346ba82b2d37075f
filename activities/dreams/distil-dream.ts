/**
 * Activity: the one model call of a dream. Its answer is stored and settled before anything is made
 * of it (`paidCall`), so a crash at any point loses one call at most.
 */
import type { DistilReport, DreamCut, DreamInput } from '#core/dreams/dream-contract.ts';
import { VarveError } from '#core/errors.ts';
import { doubtsOf, type Doubt } from '#core/grounding/doubt.ts';
import type { DreamModel } from '#core/ports/dream-model.ts';
import { earlierAttempts, paidCall, type CallOutcome } from '../metered-call.ts';
import type { ActivityCall } from '../refresh-ports.ts';
import { materialAt } from './dream-material.ts';
import type { DreamPorts } from './dream-ports.ts';
import { askedDream, paidQuestion } from './dream-question.ts';
import { readSubject } from './dream-subject.ts';
import { dreamerOf } from './dreamer.ts';
import { verifyDoubts } from '../verify-doubts.ts';
import { planOf, type Planned } from './propose-dream.ts';

/** @throws VarveError as the model does, and RATE_LIMITED where the account is crowded */
export async function distilDream(
  ports: DreamPorts,
  input: DreamInput & { readonly cut: DreamCut },
  call: ActivityCall,
): Promise<DistilReport> {
  const { store, models } = ports;
  const { tenant, dreamId: batchId, cut } = input;
  const subject = await readSubject(ports, input);
  if (subject === null) return { kind: 'Gone' };
  const { policy, record } = subject;
  const material = await materialAt({ documents: store.documents, record }, cut);
  if (material === null) return { kind: 'Gone' };
  const batch = { tenant, batchId };
  const attempt = (await earlierAttempts(ports, batch)) + 1;
  const rules = { batch, attempt, policy, call } as const;
  const ask = (model: DreamModel): Promise<CallOutcome> =>
    paidCall(ports, paidQuestion(ports, askedDream(ports, material, model)), {
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

/** None of an answer that cannot be read: the proposal says what is wrong with it. */
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
