/** Who may read the metrics page of an operator in a cluster. */
import { expect, test } from 'vitest';
import { readConfig } from '#cli/config.ts';
import { metricsOf } from '#cli/operator/run-cluster.ts';
import { type Log, SILENT_LOG } from '#core/ports/platform.ts';
import { createPrometheusOperatorMetrics } from '#providers/prometheus/operator-exporter.ts';

const TOKEN = 'token-of-the-installation';

test.each<[string, Readonly<Record<string, string>>, status: number, warnings: number]>([
  ['neither a token nor an open page', {}, 401, 1],
  ['an open page', { VARVE_METRICS_OPEN: 'true' }, 200, 0],
  ['a token', { VARVE_API_TOKEN: TOKEN }, 200, 0],
])('an operator with %s warns if nobody can read its metrics', async (_, set, status, warnings) => {
  const said: string[] = [];
  const log: Log = { ...SILENT_LOG, warn: (_fields, message) => said.push(message ?? '') };
  const { page } = createPrometheusOperatorMetrics(() => undefined);
  const config = readConfig({ VARVE_METRICS_PORT: '0', ...set }, {});
  await using server = await metricsOf(page, { config, log });
  const response = await fetch(server?.url ?? '', {
    headers: { authorization: `Bearer ${TOKEN}` },
  });
  expect(response.status).toBe(status);
  expect(said).toHaveLength(warnings);
  for (const message of said) expect(message).toMatch(/VARVE_API_TOKEN .*VARVE_METRICS_OPEN/u);
});
