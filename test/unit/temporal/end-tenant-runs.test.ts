/** Ending a run on a server that accepts the call and never answers. */
import { expect, test } from 'vitest';
import { endRunsOf, type RunsEnding } from '#providers/temporal/end-tenant-runs.ts';

const END_MS_MAX = 2_000;

/** A connection that gives up when a deadline was set, as gRPC does; without one nothing comes. */
function hangingServer() {
  const deadlines: number[] = [];
  // oxlint-disable-next-line require-yield -- it never comes to the first
  async function* list(): AsyncGenerator<never> {
    await never();
  }
  const never = () => new Promise<never>(() => undefined);
  const client = {
    connection: {
      withDeadline: <T>(deadline: number | Date, work: () => Promise<T>) => {
        deadlines.push(Number(deadline));
        const over = Promise.reject(new Error('4 DEADLINE_EXCEEDED'));
        return Promise.race([work(), over]);
      },
    },
    workflow: { getHandle: () => ({ terminate: never, describe: never }), list },
  } as unknown as RunsEnding;
  return { client, deadlines };
}

test('ending the runs of a tenant fails at its deadline if the server hangs', async () => {
  const { client, deadlines } = hangingServer();
  const before = Date.now();
  await expect(endRunsOf(client, 'acme')).rejects.toThrow('DEADLINE_EXCEEDED');
  const [deadline = Infinity] = deadlines;
  expect(deadline - before).toBeGreaterThan(0);
  expect(deadline - Date.now()).toBeLessThanOrEqual(END_MS_MAX);
});
