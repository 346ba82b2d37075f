/**
 * A real Temporal server for the proofs of the operator: a namespace for all of them, a schedule
 * and ids of tenants for each harness. No worker runs there.
 */
import { Connection, WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';

import { createTemporalPart, type TemporalPart } from '#cli/operator/temporal-part.ts';
import { refreshWorkflowId } from '#core/refresh/refresh-contract.ts';
import { NO_OPERATOR_METRICS } from '#core/ports/metrics.ts';
import type { Store } from '#core/ports/store.ts';
import { isReleased } from '#core/records/policy.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { connectTemporal, type TemporalClient } from '#providers/temporal/client.ts';
import { declaredSchedules } from '#providers/temporal/schedule-definitions.ts';
import {
  createInstallationSchedules,
  scheduleReading,
} from '#providers/temporal/keep-schedules.ts';

import { newNamespace } from '../../workflows/namespace.ts';
import type { OutsideCalls } from './outside-calls.ts';

export interface TemporalFixture extends AsyncDisposable {
  readonly namespace: string;
  readonly client: TemporalClient;
  readonly connection: Connection;
}

/** Two versions of Varve that declare the schedule differently. */
export type Version = 'Earlier' | 'Current';

/** Longer than any proof, so that no run starts. */
const DAY_MS = 24 * 60 * 60_000;
const EVERY_MS: Readonly<Record<Version, number>> = { Current: DAY_MS, Earlier: 2 * DAY_MS };
const OWNER = 'proof';

export async function openTemporalFixture(address: string): Promise<TemporalFixture> {
  await using held = new AsyncDisposableStack();
  const namespace = await newNamespace(address);
  const client = held.use(await connectTemporal({ address, namespace }));
  const connection = held.adopt(await Connection.connect({ address }), (it) => it.close());
  const kept = held.move();
  return { namespace, client, connection, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** What a replica does there, each request of a schedule and each word to a run a call outside. */
export function temporalOf(
  { client, connection, namespace }: TemporalFixture,
  calls: OutsideCalls,
  { harness, version }: { readonly harness: string; readonly version: Version },
): Omit<TemporalPart, typeof Symbol.asyncDispose> {
  // Not the client's own connection: a signal that ends its calls would spare a frozen leader.
  const seen = {
    workflowService: calls.through(connection.workflowService, 'temporal'),
    operatorService: calls.through(connection.operatorService, 'temporal'),
    withDeadline: connection.withDeadline.bind(connection),
  };
  const [declared] = declaredSchedules(EVERY_MS[version]);
  const schedules = createInstallationSchedules({
    connection: seen,
    namespace,
    owner: OWNER,
    schedules:
      declared === undefined ? [] : [{ ...declared, id: idOf(harness), workflowId: harness }],
    searchAttributes: {},
  });
  const { refreshes, ensureInstallation } = createTemporalPart({
    connect: () => Promise.resolve({ ...client, schedules }),
    metrics: NO_OPERATOR_METRICS,
    log: createPlatform().log,
  });
  const named = {
    notify: (tenant: string) => refreshes.notify(tenantOf(harness, tenant)),
    // Without a worker nothing is at work for a run that was cut short.
    end: async (tenant: string) => {
      await refreshes.end(tenantOf(harness, tenant));
      return null;
    },
  };
  return { refreshes: calls.through(named, 'refreshes'), ensureInstallation };
}

/** What the schedule of a harness does, without its name; equal texts are equal schedules. */
export async function scheduleState(
  { connection, namespace }: TemporalFixture,
  harness: string,
): Promise<string> {
  const request = { namespace, scheduleId: idOf(harness) };
  const { schedule } = await connection.workflowService.describeSchedule(request);
  return scheduleReading(schedule ?? {}).replaceAll(harness, 'WORLD');
}

/** Tenants that no process holds, but whose run is open. */
export async function runsLeftOver(
  { client }: TemporalFixture,
  { harness, store, tenants }: { harness: string; store: Store; tenants: readonly string[] },
): Promise<readonly string[]> {
  const left: string[] = [];
  for (const tenant of tenants) {
    const record = await store.policies.get(tenant);
    if (record !== null && !isReleased(record)) continue;
    const run = client.client.workflow.getHandle(refreshWorkflowId(tenantOf(harness, tenant)));
    if (await isOpen(run)) left.push(tenant);
  }
  return left;
}

async function isOpen(run: Pick<WorkflowHandle, 'describe'>): Promise<boolean> {
  try {
    return (await run.describe()).status.name === 'RUNNING';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

function idOf(harness: string): string {
  return `${harness}-tick`;
}

function tenantOf(harness: string, tenant: string): string {
  return `${harness}-${tenant}`;
}
