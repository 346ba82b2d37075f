/** The paths through the erasure workflow that are recorded. */
import { eraseWorkflowId } from '#core/erasure/erase-run.ts';
import { VarveError } from '#core/errors.ts';
import { beginErasure, fillPerson } from '../workflows/erasure-requests.ts';
import type { RetentionStack } from '../workflows/retention-fixture.ts';
import type { RetentionRecording } from './retention-recordings.ts';

let failures = 0;

export const ERASURE_RECORDINGS: Readonly<Record<string, RetentionRecording>> = {
  'erase-plain': {
    play: async (stack) => {
      await fillPerson(stack);
      return erased(stack, await beginErasure(stack));
    },
  },
  'erase-gone': { play: (stack) => erased(stack, stack.parts.platform.newId()) },
  'erase-rested': {
    around: (activities) => ({
      ...activities,
      erasePass: (input) => {
        failures += 1;
        if (failures > 1) return activities.erasePass(input);
        throw new VarveError('CORRUPT', 'The first run does not come far.');
      },
    }),
    play: async (stack) => {
      await fillPerson(stack);
      return erased(stack, await beginErasure(stack));
    },
  },
};

async function erased(stack: RetentionStack, requestId: string): Promise<string> {
  const { client, erasures } = stack.temporal;
  await erasures.start({ tenant: stack.tenant, requestId });
  const workflowId = eraseWorkflowId({ requestId });
  await client.workflow.getHandle(workflowId).result();
  return workflowId;
}
