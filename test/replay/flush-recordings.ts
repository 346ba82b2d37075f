/** The paths through the flush workflows that are recorded. */
import { flushWorkflowId } from '#core/flush/flush-contract.ts';
import { SESSION_SILENCE_MS } from '#core/policy/policy-defaults.ts';
import { VarveError } from '#core/errors.ts';
import { LASTING, type FlushOptions, type FlushStack } from '../workflows/flush-fixture.ts';
import { answering } from '../workflows/model-stub.ts';

export interface FlushRecording {
  readonly options?: FlushOptions;
  /** Answers the id of the workflow, whose run has ended. */
  readonly play: (stack: FlushStack) => Promise<string>;
}

const FACT = { text: LASTING, sources: ['t1'], quote: LASTING, kind: 'Self' };

export const FLUSH_RECORDINGS: Readonly<Record<string, FlushRecording>> = {
  'session-flush-plain': { play: async (stack) => flushed(stack, await stack.talk()) },
  'session-flush-gone': { play: (stack) => flushed(stack, stack.parts.platform.newId()) },
  'session-flush-model': {
    options: { model: answering([FACT]).model },
    play: async (stack) => flushed(stack, await stack.talk()),
  },
  'session-flush-refused': {
    options: {
      model: answering([], () => {
        throw new VarveError('PROVIDER_REJECTED', 'Refused.');
      }).model,
    },
    play: async (stack) => flushed(stack, await stack.talk()),
  },
  'flush-tick': {
    play: async (stack) => {
      const flushId = await stack.talk();
      stack.advance(SESSION_SILENCE_MS);
      const workflowId = `flush-tick-${stack.tenant}`;
      await stack.tick(workflowId);
      await stack.settled(flushId);
      return workflowId;
    },
  },
};

async function flushed(stack: FlushStack, flushId: string): Promise<string> {
  await stack.temporal.flushes.start({ tenant: stack.tenant, flushId });
  await stack.settled(flushId);
  return flushWorkflowId({ flushId });
}
