/** Starting runs on a server that refuses, or accepts the call and never answers. */
import { ServiceError, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { START_DEADLINE_MS, startedRun, type RunStarting } from '#providers/temporal/start-runs.ts';

/** gRPC's numbers for a call that took too long, and for an unavailable server. */
const DEADLINE_EXCEEDED = 4;
const UNAVAILABLE = 14;

function refusal(code: number): Error {
  const refused = { code, details: 'secret', metadata: {} };
  return new ServiceError('It failed', { cause: Object.assign(new Error('refused'), refused) });
}

/** Gives up a call that has a deadline at once, as if it had passed. */
function hangingServer(): { client: RunStarting; deadlines: number[] } {
  const deadlines: number[] = [];
  const client: RunStarting = {
    withDeadline: (deadline, work) => {
      deadlines.push(Number(deadline));
      return Promise.race([work(), Promise.reject(refusal(DEADLINE_EXCEEDED))]);
    },
  };
  return { client, deadlines };
}

const answering: RunStarting = { withDeadline: (_, work) => work() };

describe('the start of a run', () => {
  test('times out at its deadline', async () => {
    const { client, deadlines } = hangingServer();
    const before = Date.now();
    const never = () => new Promise<never>(() => undefined);
    const started = startedRun(client, never, 'start a compaction');
    await expect(started).rejects.toMatchObject({ code: 'TIMEOUT' });
    const [deadline = 0] = deadlines;
    expect(deadline).toBeGreaterThanOrEqual(before + START_DEADLINE_MS);
  });

  test('fails with our own message if the server refuses it', async () => {
    const refuse = () => Promise.reject(refusal(UNAVAILABLE));
    const started = startedRun(answering, refuse, 'start a compaction');
    await expect(started).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
      message: expect.stringContaining('start a compaction') as string,
    });
  });

  test.each([
    ['Started', () => Promise.resolve()],
    [
      'Running',
      () => Promise.reject(new WorkflowExecutionAlreadyStartedError('It runs', 'id', 'compact')),
    ],
  ])('tells whether the run is new: %s', async (answer, start) => {
    expect(await startedRun(answering, start, 'start a compaction')).toBe(answer);
  });
});
