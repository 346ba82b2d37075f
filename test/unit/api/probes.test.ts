import { describe, expect, test } from 'vitest';
import { startProbeServer, type ProbeAnswer } from '#api/probes.ts';
import { takenPort } from '#test/e2e/ports.ts';

const HOST = '127.0.0.1';
const OK: ProbeAnswer = { ok: true, findings: [] };
const BROKEN: ProbeAnswer = { ok: false, findings: ['the store: does not answer (TIMEOUT)'] };

describe('the probe pages', () => {
  test.each([
    ['/healthz', OK, BROKEN, 200, 'ok\n'],
    ['/healthz?verbose', OK, BROKEN, 200, 'ok\n'],
    ['/readyz', OK, BROKEN, 503, 'not ok\nthe store: does not answer (TIMEOUT)\n'],
    ['/readyz', BROKEN, OK, 200, 'ok\n'],
    ['/metrics', OK, OK, 404, 'There are only /healthz and /readyz here.\n'],
  ])('%s gives its own status and text', async (page, healthz, readyz, status, text) => {
    const source = { healthz: () => healthz, readyz: () => readyz };
    await using server = await startProbeServer({ host: HOST, port: 0, source });
    const answer = await fetch(server.url + page);
    expect(answer.status).toBe(status);
    expect(await answer.text()).toBe(text);
  });

  const parts = [
    { name: 'store', ok: true, reason: null, seconds: null },
    { name: 'models', ok: false, reason: 'is unavailable (UNAUTHENTICATED)', seconds: 42 },
  ];

  test.each([
    ['passed', OK, 200],
    ['failed', BROKEN, 503],
  ])(
    'verbose readiness lists each part and says that the check %s',
    async (end, readyz, status) => {
      const source = { healthz: () => OK, readyz: () => readyz, checks: () => parts };
      await using server = await startProbeServer({ host: HOST, port: 0, source });
      const answer = await fetch(`${server.url}/readyz?verbose`);
      expect(answer.status).toBe(status);
      expect(await answer.text()).toBe(
        '[+]store ok\n[-]models failed: is unavailable (UNAUTHENTICATED) for 42 s\n' +
          `readyz check ${end}\n`,
      );
      const headers = { accept: 'application/json' };
      const asJson = await fetch(`${server.url}/readyz`, { headers });
      expect(asJson.status).toBe(status);
      expect(await asJson.json()).toEqual({ ...readyz, checks: parts });
    },
  );

  test('a POST is answered with 404', async () => {
    const source = { healthz: () => OK, readyz: () => OK };
    await using server = await startProbeServer({ host: HOST, port: 0, source });
    expect((await fetch(`${server.url}/healthz`, { method: 'POST' })).status).toBe(404);
  });

  test('CONF-01: a taken port is refused, and the error names the setting', async () => {
    await using taken = await takenPort();
    const source = { healthz: () => OK, readyz: () => OK };
    const started = startProbeServer({ host: HOST, port: taken.port, source });
    await expect(started).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('VARVE_PROBE_PORT') as string,
    });
  });
});
