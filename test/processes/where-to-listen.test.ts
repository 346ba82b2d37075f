/** `varve api` reachable from other machines, as a person starts it. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { issue } from '#test/cluster/control-plane/certificate.ts';
import { runVarve, startVarve } from '#test/e2e/varve-process.ts';

const ANYWHERE = ['api', '--host', '0.0.0.0', '--api-port', '0'];
/** Where no server listens: the API begins without Temporal. */
const env = { TEMPORAL_ADDRESS: '127.0.0.1:1', VARVE_API_TOKEN: '' };

let cwd = '';
beforeEach(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), 'varve-exposure-'));
});
afterEach(async () => {
  await rm(cwd, { recursive: true, force: true });
});

test('an API without a token refuses to listen for other machines', async () => {
  const { status, stdout, stderr } = await runVarve(ANYWHERE, { cwd, env });
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /^varve: INVALID_INPUT: 0\.0\.0\.0 accepts calls .+ Set VARVE_API_TOKEN or/mu,
  );
  expect(stdout).toBe('');
});

test.each([
  ['a token', [], { VARVE_API_TOKEN: 'a-token-of-this-test-alone' }, true],
  ['--trusted-network', ['--trusted-network'], {}, false],
] as const)(
  'with %s, an API listens and refuses unauthenticated calls',
  async (_, more, set, isReported) => {
    await using api = startVarve([...ANYWHERE, ...more], { cwd, env: { ...env, ...set } });
    await api.untilSaid('"ready"');
    const port = /"url":"http:\/\/0\.0\.0\.0:(\d+)"/u.exec(api.stdout())?.[1];
    expect((await fetch(`http://127.0.0.1:${String(port)}/v1/health`)).status).toBe(401);
    expect(api.stdout().includes('cross the network unencrypted')).toBe(isReported);
  },
);

test('with a certificate, an API accepts only TLS', async () => {
  const { certificate, key } = issue({ commonName: 'api' }, { kind: 'Server' }, null);
  await writeFile(path.join(cwd, 'tls.crt'), certificate);
  await writeFile(path.join(cwd, 'tls.key'), key);
  const tls = ['--tls-cert', 'tls.crt', '--tls-key', 'tls.key'];
  const set = { VARVE_API_TOKEN: 'a-token-of-this-test-alone' };
  await using api = startVarve([...ANYWHERE, ...tls], { cwd, env: { ...env, ...set } });
  await api.untilSaid('"ready"');
  const port = /"url":"https:\/\/0\.0\.0\.0:(\d+)"/u.exec(api.stdout())?.[1];
  const health = (scheme: string) => fetch(`${scheme}://127.0.0.1:${String(port)}/healthz`);
  await expect(health('https')).rejects.toMatchObject({
    cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  });
  await expect(health('http')).rejects.toThrow('fetch failed');
  expect(api.stdout()).not.toContain('cross the network unencrypted');
});
