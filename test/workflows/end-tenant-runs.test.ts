/** The runs of a released tenant, on a real Temporal server. */
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { expect, test } from 'vitest';
import { refreshWorkflowId, TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import { compactWorkflowId } from '#core/retention/retention-contract.ts';
import { connectTemporal } from '#providers/temporal/client.ts';
import { endRunsOf } from '#providers/temporal/end-tenant-runs.ts';
import { newNamespace, testAddress } from './namespace.ts';

const TENANT_ATTRIBUTE = defineSearchAttributeKey('Tenant', SearchAttributeType.KEYWORD);
const DREAM = 'dream/00000000-0000-7000-8000-000000000001';

test('all open runs of a released tenant end, and runs of other tenants continue', async () => {
  const address = testAddress();
  const namespace = await newNamespace(address);
  await using temporal = await connectTemporal({ address, namespace });
  await temporal.schedules.ensure();
  const { client } = temporal;
  await temporal.notify('acme', { urgent: false });
  const ofTenant = (tenant: string) => ({
    taskQueue: TASK_QUEUE,
    args: [],
    typedSearchAttributes: [{ key: TENANT_ATTRIBUTE, value: tenant }],
  });
  await client.workflow.start('compact', {
    ...ofTenant('acme'),
    workflowId: compactWorkflowId('acme'),
  });
  await client.workflow.start('dream', { ...ofTenant('acme'), workflowId: DREAM });
  await client.workflow.start('dream', { ...ofTenant('globex'), workflowId: `${DREAM}2` });
  await expect
    .poll(() => countOf(client.workflow.list({ query: "WorkflowType = 'dream'" })))
    .toBe(2);

  const endedAt = await endRunsOf(client, 'acme');
  const ends: number[] = [];
  for (const id of [refreshWorkflowId('acme'), compactWorkflowId('acme'), DREAM]) {
    const { status, closeTime } = await client.workflow.getHandle(id).describe();
    expect([id, status.name]).toEqual([id, 'TERMINATED']);
    ends.push(closeTime?.getTime() ?? 0);
  }
  // Whoever asks later hears of the same end.
  expect(endedAt).toBe(Math.max(...ends));
  await expect.poll(() => endRunsOf(client, 'acme')).toBe(endedAt);
  const other = await client.workflow.getHandle(`${DREAM}2`).describe();
  expect(other.status.name).toBe('RUNNING');
  expect(await endRunsOf(client, 'nobody')).toBeNull();
});

async function countOf(runs: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of runs) count += 1;
  return count;
}
