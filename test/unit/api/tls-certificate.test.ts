/** The API over TLS: the certificate that it serves, and what it does when the files change. */
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { createPrivateKey } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startApiServer, type ApiServer } from '#api/http-server.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import type { Log } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { issue, type Issued, type Signer } from '#test/cluster/control-plane/certificate.ts';
import { until } from '#test/e2e/until.ts';

const TOKEN = 'a-token-of-this-installation';
const CHECK_EVERY_MS = 10;
const subject = { commonName: 'an authority' };
const authority = issue(subject, { kind: 'Authority' }, null);
const signer: Signer = { subject, key: createPrivateKey(authority.key) };
const newPair = (): Issued =>
  issue({ commonName: 'api' }, { kind: 'Server', addresses: ['127.0.0.1'] }, signer);

let held: AsyncDisposableStack;
let folder = '';
let lines: string[] = [];
let versions = 0;
beforeEach(async () => {
  held = new AsyncDisposableStack();
  ({ folder } = held.use(await temporaryFolder()));
  lines = [];
});
afterEach(() => held.disposeAsync());

/** As a Secret is mounted: the files lead through a link, which is changed at once. */
async function mount({ certificate, key }: Issued): Promise<void> {
  versions += 1;
  const version = `version-${String(versions)}`;
  await mkdir(path.join(folder, version));
  await writeFile(path.join(folder, version, 'tls.crt'), certificate);
  await writeFile(path.join(folder, version, 'tls.key'), key);
  await symlink(version, path.join(folder, '..data-new'));
  await rename(path.join(folder, '..data-new'), path.join(folder, '..data'));
}

async function serve(): Promise<ApiServer> {
  const note: Log['info'] = (fields, message) =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  const parts = held.use(await openParts({ dataDir: path.join(folder, 'data'), log }));
  const [certFile, keyFile] = ['tls.crt', 'tls.key'].map((name) =>
    path.join(folder, '..data', name),
  ) as [string, string];
  const tls = { certFile, keyFile, checkEveryMs: CHECK_EVERY_MS };
  const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
  const address = { host: '127.0.0.1', port: 0, token: TOKEN };
  return held.use(await startApiServer({ ports, ...address, tls }));
}

/** The certificate that a new connection is shown, once the authority vouched for it. */
async function shown({ url }: ApiServer): Promise<string> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({ host, port: Number(port), ca: authority.certificate });
  try {
    await new Promise((resolve, reject) => {
      socket.once('secureConnect', resolve).once('error', reject);
    });
    return socket.getPeerX509Certificate()?.toString() ?? '';
  } finally {
    socket.destroy();
  }
}

const said = (words: string) =>
  until(words, () => Promise.resolve(lines.some((line) => line.includes(words))));

describe('the API over TLS', () => {
  test('answers a client that trusts its authority and no other', async () => {
    await mount(newPair());
    const { url } = await serve();
    expect(url).toMatch(/^https:/u);
    const headers = { authorization: `Bearer ${TOKEN}` };
    const answer = await new Promise<[number | undefined, string]>((resolve, reject) => {
      const options = { ca: authority.certificate, headers };
      const sent = request(`${url}/v1/health`, options, (response) => {
        void text(response).then((body) => {
          resolve([response.statusCode, body]);
        });
      });
      sent.once('error', reject).end();
    });
    expect(answer[0]).toBe(200);
    await expect(fetch(`${url}/v1/health`, { headers })).rejects.toMatchObject({
      cause: { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
    });
  });

  test('shows a new certificate once the link in its Secret changes', async () => {
    const [first, second] = [newPair(), newPair()];
    await mount(first);
    const server = await serve();
    expect(await shown(server)).toBe(first.certificate);
    await mount(second);
    await said('certificate reloaded');
    expect(await shown(server)).toBe(second.certificate);
  });

  test.each([
    ['the key of another', { ...newPair(), key: newPair().key }, 'ERR_OSSL'],
    ['no PEM', { certificate: 'secret text', key: 'secret text' }, 'ERR_OSSL'],
  ])('keeps its certificate if the new one has %s, and logs that once', async (_, pair, code) => {
    const [first, second] = [newPair(), newPair()];
    await mount(first);
    const server = await serve();
    await mount(pair);
    await said(`cannot be used; the previous one stays in use {"error":"${code}`);
    expect(await shown(server)).toBe(first.certificate);
    await mount(second);
    await said('certificate reloaded');
    expect(await shown(server)).toBe(second.certificate);
    expect(lines).toHaveLength(2);
    expect(lines.join('')).not.toContain('secret text');
  });

  test('does not start with an invalid certificate and key pair, and names the files', async () => {
    await mount({ ...newPair(), key: newPair().key });
    await expect(serve()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await rename(path.join(folder, '..data'), path.join(folder, 'elsewhere'));
    await expect(serve()).rejects.toThrow(/tls\.crt and .+tls\.key are not a .+\(ENOENT\)/u);
  });
});
