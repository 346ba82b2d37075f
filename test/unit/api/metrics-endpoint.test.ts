import { describe, expect, test } from 'vitest';
import { startMetricsServer, type ScrapeOptions } from '#api/metrics-endpoint.ts';
import type { MetricsPage } from '#core/ports/metrics.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { takenPort } from '#test/e2e/ports.ts';

const TOKEN = 'token-of-the-installation';
const HOST = '127.0.0.1';

const page: MetricsPage = {
  contentType: 'text/plain; version=0.0.4',
  render: () => Promise.resolve('memory_operations_total 1\n'),
  snapshot: (process) => Promise.resolve({ process, metrics: [] }),
};

const serve = (differing: Partial<ScrapeOptions> = {}) =>
  startMetricsServer({
    ...{ page, isOpen: false, token: TOKEN, log: SILENT_LOG, host: HOST, port: 0 },
    ...differing,
  });

describe('a port for metrics only', () => {
  test.each<[string, Partial<ScrapeOptions>, string | null, number]>([
    ['with the token', {}, TOKEN, 200],
    ['without a token', {}, null, 401],
    ['with another token', {}, 'another', 401],
    ['without a token if that is allowed', { isOpen: true }, null, 200],
    ['if nothing is measured', { page: null }, TOKEN, 404],
    [
      'if rendering fails',
      { page: { ...page, render: () => Promise.reject(new Error('down')) } },
      TOKEN,
      500,
    ],
  ])('the page %s', async (_, differing, token, status) => {
    await using server = await serve(differing);
    const headers = token === null ? {} : { authorization: `Bearer ${token}` };
    const response = await fetch(server.url, { headers });
    expect(response.status).toBe(status);
    const text = await response.text();
    expect(text.includes('memory_')).toBe(status === 200);
    expect(text).not.toContain('down');
  });

  test('serves nothing but the metrics page', async () => {
    await using server = await serve({ isOpen: true });
    const others = [new URL('/', server.url), new URL('/memory.add', server.url)];
    for (const url of others) expect((await fetch(url)).status).toBe(404);
    expect((await fetch(server.url, { method: 'POST' })).status).toBe(404);
  });

  test('CONF-01: a taken port is refused, and the error names the setting', async () => {
    await using taken = await takenPort();
    const started = startMetricsServer({
      ...{ page, isOpen: true, token: TOKEN, log: SILENT_LOG, host: HOST, port: taken.port },
    });
    await expect(started).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('VARVE_METRICS_PORT') as string,
    });
  });
});
