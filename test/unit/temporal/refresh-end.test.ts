/** The end of a run on a server that takes the call and never answers. */
import { expect, test } from 'vitest';
import { endRefresh, type RefreshEnding } from '#providers/temporal/refresh-end.ts';

const END_MS_MAX = 2_000;

/** A connection that gives up when a deadline was set, as gRPC does; without one nothing comes. */
function hangingServer() {
  const deadlines: number[] = [];
  const never = () => new Promise<never>(() => undefined);
  const client = {
    connection: {
      withDeadline: <T>(deadline: number | Date, work: () => Promise<T>) => {
        deadlines.push(Number(deadline));
        const over = Promise.reject(new Error('4 DEADLINE_EXCEEDED'));
        return Promise.race([work(), over]);
      },
    },
    workflow: { getHandle: () => ({ terminate: never, describe: never }) },
  } as unknown as RefreshEnding;
  return { client, deadlines };
}

test('K8S-04: a server that hangs keeps nobody from letting go of a tenant', async () => {
  const { client, deadlines } = hangingServer();
  const before = Date.now();
  await expect(endRefresh(client, 'acme')).rejects.toThrow('DEADLINE_EXCEEDED');
  const [deadline = Infinity] = deadlines;
  expect(deadline - before).toBeGreaterThan(0);
  expect(deadline - Date.now()).toBeLessThanOrEqual(END_MS_MAX);
});
