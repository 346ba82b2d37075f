/** The run of a tenant that is let go of, on a real Temporal server. */
import { expect, test } from 'vitest';
import { refreshWorkflowId } from '#core/contract.ts';
import { connectTemporal } from '#providers/temporal/client.ts';
import { endRefresh } from '#providers/temporal/refresh-end.ts';
import { newNamespace, testAddress } from './namespace.ts';

test('K8S-04: the open run of a released tenant ends, and where none is open nothing happens', async () => {
  const address = testAddress();
  const namespace = await newNamespace(address);
  await using temporal = await connectTemporal({ address, namespace });
  await temporal.wake('acme', { urgent: false });
  const run = temporal.client.workflow.getHandle(refreshWorkflowId('acme'));
  expect((await run.describe()).status.name).toBe('RUNNING');
  const endedAt = await endRefresh(temporal.client, 'acme');
  const { status, closeTime } = await run.describe();
  expect(status.name).toBe('TERMINATED');
  // Whoever asks later hears of the same end.
  expect(endedAt).toBe(closeTime?.getTime());
  expect(await endRefresh(temporal.client, 'acme')).toBe(endedAt);
  expect(await endRefresh(temporal.client, 'nobody')).toBeNull();
});
