/** The activities of dreams, each with the models of its tenant. */
import type { DreamActivities } from '#core/dreams/dream-contract.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { ActivityCall } from '../refresh-ports.ts';
import { applyApproved } from './apply-approved.ts';
import { applyProposal } from './apply-proposal.ts';
import { distilDream } from './distil-dream.ts';
import type { DreamPorts } from './dream-ports.ts';
import { endDream } from './end-dream.ts';
import { gatherDream } from './gather-dream.ts';
import { proposeDream } from './propose-dream.ts';
import { startDueDreams } from './start-due-dreams.ts';

interface DreamWiring {
  readonly ports: DreamPorts;
  readonly portsOf: (tenant: string) => Promise<DreamPorts>;
  /** Absent where nothing is started by time. */
  readonly runs: () => DreamRuns | undefined;
  readonly callOf: () => ActivityCall;
}

export function dreamActivities({ ports, portsOf, runs, callOf }: DreamWiring): DreamActivities {
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
