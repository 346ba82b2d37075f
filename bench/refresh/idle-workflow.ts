/**
 * A workflow that does nothing, with as many activities as a refresh of `batches` batches: two at
 * the start, two for each batch in as many lanes, two at the end.
 */
import { proxyActivities } from '@temporalio/workflow';
import { BATCHES_IN_FLIGHT_MAX } from '#core/refresh/refresh-contract.ts';

export interface IdleActivities {
  nothing(input: { tenant: string; batchId: string }): Promise<{ done: number }>;
}

const { nothing } = proxyActivities<IdleActivities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '30 seconds',
});

export async function idle({ batches }: { batches: number }): Promise<number> {
  const two = async (batchId: string): Promise<void> => {
    await nothing({ tenant: 'tenant', batchId });
    await nothing({ tenant: 'tenant', batchId });
  };
  await two('before');
  const waiting = Array.from({ length: batches }, (_, n) => `batch-${String(n)}`);
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await two(next);
  };
  await Promise.all(Array.from({ length: BATCHES_IN_FLIGHT_MAX }, lane));
  await two('after');
  return batches;
}
