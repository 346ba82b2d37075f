/** Ways through the workflows of flushes, to be recorded. */
import { flushWorkflowId } from '#core/flush/flush-contract.ts';
import { SILENCE_ENDS_MS } from '#core/flush/pending-flush.ts';
import type { FlushStack } from '../workflows/flush-fixture.ts';

/** Plays it, and answers the id of the workflow, whose run has ended. */
export type FlushRecording = (stack: FlushStack) => Promise<string>;

export const FLUSH_RECORDINGS: Readonly<Record<string, FlushRecording>> = {
  'session-flush-plain': async (stack) => {
    const flushId = await stack.talk();
    await stack.temporal.flushes.start({ tenant: stack.tenant, flushId });
    await stack.settled(flushId);
    return flushWorkflowId({ flushId });
  },
  'session-flush-gone': async (stack) => {
    const flushId = stack.parts.platform.newId();
    await stack.temporal.flushes.start({ tenant: stack.tenant, flushId });
    await stack.settled(flushId);
    return flushWorkflowId({ flushId });
  },
  'flush-tick': async (stack) => {
    const flushId = await stack.talk();
    stack.advance(SILENCE_ENDS_MS);
    const workflowId = `flush-tick-${stack.tenant}`;
    await stack.tick(workflowId);
    await stack.settled(flushId);
    return workflowId;
  },
};
