/** Temporal as a leader uses it: one whom a later leader has followed is told so. */
import { expect, test } from 'vitest';
import { createTemporalPart } from '#cli/operator/temporal-part.ts';
import { NO_OPERATOR_METRICS } from '#core/ports/operator-metrics.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { isFenced } from '#operator/cluster/context.ts';
import type { TemporalClient } from '#providers/temporal/client.ts';
import { declaredSchedules } from '#providers/temporal/declared-schedules.ts';
import { createInstallationSchedules } from '#providers/temporal/installation-schedules.ts';
import { scheduleServer } from '../../temporal/schedule-server.ts';

test('a leader of an earlier term than the one that keeps the schedules is refused', async () => {
  const { connection, state } = scheduleServer();
  const schedules = createInstallationSchedules({
    connection,
    namespace: 'default',
    owner: 'a',
    schedules: declaredSchedules().slice(0, 1),
    searchAttributes: {},
  });
  const withAbortSignal = <T>(_: AbortSignal, work: () => Promise<T>) => work();
  const client = { schedules, client: { connection: { withAbortSignal } } };
  const part = createTemporalPart({
    connect: () => Promise.resolve(client as unknown as TemporalClient),
    metrics: NO_OPERATOR_METRICS,
    log: SILENT_LOG,
  });
  await part.ensureInstallation(5);
  const refused = await part.ensureInstallation(4).catch((error: unknown) => error);
  expect(isFenced(refused)).toBe(true);
  expect(state.writes).toBe(1);
  await expect(part.ensureInstallation(6)).resolves.toBeUndefined();
});
