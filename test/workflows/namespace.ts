/** A Temporal namespace for each test file: they share a server, but not each other's work. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { connectTemporal, type TemporalClient } from '#providers/temporal/client.ts';
import { SEARCH_ATTRIBUTES } from '#providers/temporal/search-attributes.ts';

const RETENTION_MS = 86_400_000;
const READY_TIMEOUT_MS = 30_000;
const READY_PAUSE_MS = 50;

/** The server that `test/run.ts` started. */
export function testAddress(): string {
  const address = process.env['VARVE_TEST_TEMPORAL'];
  if (address === undefined) throw new Error('VARVE_TEST_TEMPORAL names no server; use npm test.');
  return address;
}

/** Registers a namespace and resolves when the server takes work in it. */
export async function newNamespace(address: string): Promise<string> {
  const namespace = `test-${randomUUID()}`;
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: msToTs(RETENTION_MS),
    });
  } finally {
    await connection.close();
  }
  await using client = await connectTemporal({ address, namespace });
  await untilReady(client);
  return namespace;
}

/** The server's own caches learn of a new namespace, and of its attributes, a moment later. */
async function untilReady(client: TemporalClient): Promise<void> {
  const end = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    try {
      await client.ensureSearchAttributes(SEARCH_ATTRIBUTES);
      await client.client.workflow.count('Tenant = "nobody"');
      return;
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(READY_PAUSE_MS);
    }
  }
}
