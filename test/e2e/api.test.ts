/** `varve api` as its own process, next to servers that come and go. */
import { expect, test } from 'vitest';
import { connectApi } from '#cli/api-client.ts';
import { describeUnless } from '../cluster/needs.ts';
import { missingForOwnMongodb, startOwnMongodb } from '../cluster/test-mongodb.ts';
import { freePort } from './ports.ts';
import { until } from './until.ts';
import { startVarve, type VarveProcess } from './varve-process.ts';
import { shared } from '#test/shared-fixture.ts';

const TOKEN = 'a-token-of-this-test-alone';
/** A first build fetches its parts. */
const START_MS_MAX = 10 * 60 * 1_000;
const ABOUT = { tenant: 'acme', layer: 'project', identifiers: { projectId: 'boat' } } as const;

describeUnless(await missingForOwnMongodb())('varve api in its own process', () => {
  const store = shared(startOwnMongodb, START_MS_MAX);

  const start = async (env: Readonly<Record<string, string>>) => {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const running = startVarve(['api', '--api-port', port], {
      env: {
        MONGODB_URI: store().uri,
        VARVE_API_TOKEN: TOKEN,
        VARVE_METRICS_PORT: metricsPort,
        VARVE_METRICS_OPEN: 'true',
        ...env,
      },
    });
    await running.untilSaid('"ready"');
    return { running, url: `http://127.0.0.1:${port}`, metrics: `http://127.0.0.1:${metricsPort}` };
  };

  test('serves without Temporal, and /readyz says that Temporal does not answer', async () => {
    const nowhere = `127.0.0.1:${await freePort()}`;
    const { running, url, metrics } = await start({ TEMPORAL_ADDRESS: nowhere });
    await using _ = running;
    const said =
      running
        .stdout()
        .split('\n')
        .find((line) => line.includes('"ready"')) ?? '';
    expect(Object.keys(JSON.parse(said) as object)).toEqual(['level', 'time', 'url', 'msg']);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toContain('Temporal: does not answer');
    const api = connectApi({ url, token: TOKEN });
    await api.memory.add({ ...ABOUT, content: 'The boat is painted blue.' });
    const { hits } = await api.memory.search({
      tenant: ABOUT.tenant,
      identifiers: ABOUT.identifiers,
      query: 'Which colour is the boat painted?',
    });
    expect(hits.map(({ text }) => text)).toEqual(['The boat is painted blue.']);
    await expectMetricsBeside({ url, metrics });
    await ended(running);
  });

  test('is ready with Temporal and the store, and not once the store is gone', async () => {
    const { running, url } = await start({
      TEMPORAL_ADDRESS: process.env['VARVE_TEST_TEMPORAL'] ?? '',
    });
    await using _ = running;
    await until('it is ready', async () => (await fetch(`${url}/readyz`)).status === 200);
    await store()[Symbol.asyncDispose]();
    await until('it is not ready', async () => (await fetch(`${url}/readyz`)).status === 503);
    expect(await (await fetch(`${url}/readyz`)).text()).toContain('the store: does not answer');
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await ended(running);
  });
});

/** The port for callers shows no metrics without a token, open or not. */
async function expectMetricsBeside(at: { url: string; metrics: string }): Promise<void> {
  expect((await fetch(`${at.url}/metrics`)).status).toBe(401);
  const page = await fetch(`${at.metrics}/metrics`);
  expect(await page.text()).toContain('memory_operations_total{operation="add"} 1');
}

async function ended(running: VarveProcess): Promise<void> {
  running.kill('SIGTERM');
  expect((await running.ended).status).toBe(0);
}
