/** A failure that no interface expects. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { withRequestLog } from '#api/request-log.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_TRACING } from '#core/ports/tracing.ts';
import { createPlatform } from '#providers/node/platform.ts';

test('if the handler throws, only that request fails, and later ones are answered', async () => {
  const errors: string[] = [];
  const log = { ...SILENT_LOG, error: (_: object, message: string) => void errors.push(message) };
  const platform = { ...createPlatform({ log }), tracing: NO_TRACING };
  let isBroken = true;
  const answer = withRequestLog(
    async (_, response) => {
      await Promise.resolve();
      if (isBroken) throw new Error('unforeseen');
      response.end('fine');
    },
    { ports: { platform, timer: () => 0 }, isOn: true, secret: 'x' },
  );
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`;
  await expect(fetch(url)).rejects.toThrow('fetch failed');
  isBroken = false;
  expect(await (await fetch(url)).text()).toBe('fine');
  expect(errors).toEqual(['request failed unexpectedly']);
  server.close();
  server.closeAllConnections();
});
