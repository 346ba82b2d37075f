/** Clients that send nothing, or too slowly, hold no connection for long. */
import { connect } from 'node:net';
import { test } from 'vitest';
import { startApiServer } from '#api/http-server.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const BODY = 'POST /memory.add HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{';

test.concurrent.for([
  {
    what: 'with unfinished headers',
    sent: 'GET /health HTTP/1.1\r\nHost: x\r\n',
    withinMs: 14_000,
  },
  { what: 'that sends nothing', sent: '', withinMs: 14_000 },
  { what: 'with an unfinished body', sent: BODY, withinMs: 34_000 },
])('a connection $what is closed within $withinMs ms', async ({ sent, withinMs }, { expect }) => {
  await using temporary = await temporaryFolder();
  const dataDir = temporary.folder;
  await using parts = await openParts({ dataDir, log: SILENT_LOG, settings: {} });
  const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
  const place = { host: '127.0.0.1', port: 0, token: 'a-token-of-this-installation' };
  await using server = await startApiServer({ ports, ...place });
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const startedAt = performance.now();
  if (sent !== '') socket.write(sent);
  await Array.fromAsync(socket);
  expect(performance.now() - startedAt).toBeLessThan(withinMs);
});
