/** A Temporal server behind TLS that asks every client for a certificate of its own authority. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect as connectPlain, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { connectTemporal } from '#providers/temporal/client.ts';
import { startWorker } from '#providers/temporal/worker.ts';
import { createAuthority, issueCertificate } from '../cluster/control-plane/authority.ts';
import { installTestRuntime } from './fixture.ts';
import { newNamespace, testAddress } from './namespace.ts';

interface SecuredServer extends AsyncDisposable {
  readonly address: string;
  readonly security: Readonly<Record<string, string>>;
}

/** Takes TLS off what arrives and passes it to the server of the test run. */
async function securedServer(): Promise<SecuredServer> {
  await using held = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-temporal-'));
  held.defer(() => rm(folder, { recursive: true, force: true }));
  await createAuthority(folder);
  const client = await issueCertificate(folder, 'varve', []);
  if (!('certificate' in client)) throw new Error('a certificate was asked for');
  const read = (name: string) => readFile(path.join(folder, name), 'utf8');
  const authority = await read('authority.crt');
  const [host = '', port = ''] = testAddress().split(':');
  const server = createServer(
    {
      cert: await read('serving.crt'),
      key: await read('serving.key'),
      ca: authority,
      requestCert: true,
      rejectUnauthorized: true,
      ALPNProtocols: ['h2'],
    },
    (secure) => {
      const plain = connectPlain(Number(port), host);
      secure.on('error', () => plain.destroy());
      plain.on('error', () => secure.destroy());
      secure.pipe(plain).pipe(secure);
    },
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  held.defer(() => void server.close());
  const cleanUp = held.move();
  return {
    address: `localhost:${String((server.address() as AddressInfo).port)}`,
    security: {
      TEMPORAL_TLS: 'true',
      TEMPORAL_TLS_SERVER_CA_CERT_DATA: authority,
      TEMPORAL_TLS_CLIENT_CERT_DATA: client.certificate,
      TEMPORAL_TLS_CLIENT_KEY_DATA: client.key,
    },
    [Symbol.asyncDispose]: () => cleanUp.disposeAsync(),
  };
}

describe('a Temporal server behind TLS', () => {
  it('accepts a client and a worker with the right certificate', async () => {
    await using server = await securedServer();
    const { address, security } = server;
    const namespace = await newNamespace(testAddress());
    await using client = await connectTemporal({ address, namespace, security });
    await client.ensureSearchAttributes({ Tenant: 'Keyword' });
    installTestRuntime();
    const worker = await startWorker({
      address,
      namespace,
      security,
      bundle: null,
      activities: { nothing: () => Promise.resolve() },
      log: SILENT_LOG,
    });
    expect(worker.isPolling()).toBe(true);
    await worker[Symbol.asyncDispose]();
  });

  it.concurrent.each([
    [
      'a client without a certificate',
      ['TEMPORAL_TLS_CLIENT_CERT_DATA', 'TEMPORAL_TLS_CLIENT_KEY_DATA'],
    ],
    ['a client without TLS', null],
    ['a client that does not know its authority', ['TEMPORAL_TLS_SERVER_CA_CERT_DATA']],
  ])('cannot be reached by %s, and the error names its address', async (_, without) => {
    await using server = await securedServer();
    const { address } = server;
    const kept = Object.entries(server.security).filter(([name]) => !without?.includes(name));
    const security = without === null ? null : Object.fromEntries(kept);
    const connecting = connectTemporal({ address, namespace: 'default', security });
    await expect(connecting).rejects.toMatchObject({
      code: 'PROVIDER_ERROR',
      details: { address },
    });
  });
});
