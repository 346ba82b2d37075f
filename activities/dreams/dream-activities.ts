/** The activities of dreams, each with the models of its tenant. */
import { changeRecord } from '#core/change-record.ts';
import type { DreamActivities, EndInput } from '#core/dreams/dream-contract.ts';
import { dreamCounted } from '#core/dreams/dream-round.ts';
import { refusedAfter } from '#core/dreams/failed-dreams.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import type { RunWiring } from '../refresh-ports.ts';
import { applyApproved, applyProposal } from './apply-proposal.ts';
import { distilDream, proposeDream } from './propose-dream.ts';
import { countDream, type DreamPorts } from './dream-ports.ts';
import { gatherDream } from './gather-dream.ts';
import { startDueDreams } from './start-due-dreams.ts';
import { changeSubject, putEndedEvent } from './write-dream-records.ts';

export function dreamActivities({
  ports,
  portsOf,
  runs,
  callOf,
}: RunWiring<DreamPorts, DreamRuns>): DreamActivities {
  return {
    startDueDreams: async () => {
      const started = runs();
      if (started === undefined) return { started: 0 };
      await applyApproved(ports, started);
      return startDueDreams(ports, started);
    },
    gatherDream: async (input) => gatherDream(await portsOf(input.tenant), input),
    distilDream: async (input) => {
      const call = callOf();
      return distilDream(await portsOf(input.tenant), input, call);
    },
    proposeDream: async (input) => proposeDream(await portsOf(input.tenant), input),
    endDream: (input) => endDream(ports, input),
    applyProposal: (input) => applyProposal(ports, input),
  };
}

/** Write conflicts tolerated: dreams of one round may end at the same time and write one record. */
const COUNT_TRIES_MAX = 64;

/**
 * Activity: records how a dream ended, in its subject and its round, and deletes the model's
 * answer. A repetition changes nothing: the round remembers which dreams it counted.
 */
async function endDream(ports: DreamPorts, input: EndInput): Promise<void> {
  const { store, platform } = ports;
  const { dreamId, outcome, code } = input;
  if ((await policyToRefreshBy(store.policies, input.tenant)) === null) return;
  const at = platform.clock();
  await changeSubject(ports, input, (record) =>
    isNoted(record, input)
      ? null
      : { ...record, last: { at, outcome, dreamId, code }, refused: refusedAfter(record, input) },
  );
  await putEndedEvent(ports, input);
  // An answer that was not used must not be kept either.
  await store.answers.close(input.tenant, dreamId);
  if (await countInRound(ports, input)) countDream(ports.metrics, outcome);
}

/** Whether this end, or the later end `Dreamed` of an approved proposal, is recorded already. */
function isNoted({ last }: SubjectRecord, { dreamId, outcome }: EndInput): boolean {
  return last?.dreamId === dreamId && [outcome, 'Dreamed'].includes(last.outcome);
}

/** Whether to count the dream: false if its round counted it before. @throws VarveError CONFLICT */
async function countInRound(
  { store, platform }: DreamPorts,
  { tenant, dreamId, round, outcome, code }: EndInput,
): Promise<boolean> {
  if (round === null) return true;
  const { dream, at } = round;
  const counted = await changeRecord(
    {
      read: () => store.dreamSchedules.get(tenant, dream),
      change: (schedule) =>
        schedule && dreamCounted(schedule, { dreamId, at, outcome, code, now: platform.clock() }),
      write: (changed) => store.dreamSchedules.put(changed),
    },
    {
      triesMax: COUNT_TRIES_MAX,
      message: 'The round of the DeepDream keeps changing; try again.',
      details: { tenant, dream },
    },
  );
  return counted !== null;
}
