/** The paths through the dream workflows that are recorded. */
import { TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import { applyDreamWorkflowId, dreamWorkflowId } from '#core/dreams/dream-contract.ts';
import { VarveError } from '#core/errors.ts';
import { dreamPolicy } from '#test/conformance/dream-samples.ts';
import type { DreamOptions, DreamStack } from '../workflows/dream-fixture.ts';
import { eventually } from '../workflows/fixture.ts';
import { door } from '../workflows/model-stub.ts';

const TEA = 'Ann prefers green tea and never drinks coffee after noon.';
const LIMIT = { limitTokens: 1, limitMicroDollars: null, onExhausted: 'Reject' } as const;

/** Never opened: its dream is cancelled meanwhile. */
const cancelled = door();

export interface DreamRecording {
  readonly options?: DreamOptions;
  /** Answers the id of the workflow, whose run has ended. */
  readonly play: (stack: DreamStack) => Promise<string>;
}

export const DREAM_RECORDINGS: Readonly<Record<string, DreamRecording>> = {
  'dream-plain': { play: dreamt },
  'dream-nothing': {
    play: async (stack) => {
      await stack.append(['   ']);
      await stack.start();
      await stack.settled();
      return dreamWorkflowId(stack);
    },
  },
  'dream-exhausted': {
    options: { before: () => undefined },
    play: async (stack) => {
      await stack.declare({ budget: LIMIT });
      return dreamt(stack);
    },
  },
  'dream-failed': {
    options: {
      before: () => {
        throw new VarveError('PROVIDER_REJECTED', 'Refused.');
      },
    },
    play: dreamt,
  },
  'dream-retried': {
    options: {
      before: (_, call) => {
        if (call === 1) throw new VarveError('PROVIDER_ERROR', 'Not now.');
      },
    },
    play: dreamt,
  },
  'dream-cancelled': {
    options: { before: () => cancelled.opened },
    play: async (stack) => {
      await stack.append([TEA]);
      await stack.start();
      await eventually('the call', async () => stack.questions.length === 1);
      const id = dreamWorkflowId(stack);
      const run = stack.temporal.client.workflow.getHandle(id);
      await run.cancel();
      await run.result().catch(() => undefined);
      cancelled.open();
      return id;
    },
  },
  'dream-gone': {
    play: async (stack) => {
      await stack.start();
      await stack.settled();
      return dreamWorkflowId(stack);
    },
  },
  'dream-apply': {
    play: async (stack) => {
      await stack.declare({ dreams: [dreamPolicy({ approval: 'Required' })] });
      await dreamt(stack);
      const { parts, tenant, temporal } = stack;
      const [proposal] = await parts.store.proposals.list(tenant, { limit: 1 });
      if (proposal === undefined) throw new Error('There is no proposal.');
      const version = proposal.version + 1;
      await parts.store.proposals.put({ ...proposal, state: 'Approved', version });
      const application = { tenant, proposalId: proposal.id };
      await temporal.dreams.apply(application);
      const id = applyDreamWorkflowId(application);
      await temporal.client.workflow.getHandle(id).result();
      return id;
    },
  },
  'dream-tick': {
    play: async (stack) => {
      const dream = dreamPolicy();
      await stack.declare({ dreams: [dream] });
      await stack.append([TEA]);
      await stack.makeDue(dream);
      const workflowId = `dream-tick-${stack.tenant}`;
      const options = { workflowId, taskQueue: TASK_QUEUE, args: [] as [] };
      await stack.temporal.client.workflow.execute('dreamTick', options);
      await stack.settled();
      return workflowId;
    },
  },
};

async function dreamt(stack: DreamStack): Promise<string> {
  await stack.append([TEA]);
  await stack.start();
  await stack.settled();
  return dreamWorkflowId(stack);
}
