/** `varve api` beyond this machine, as a person starts it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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

test('an API without a token of its own does not listen for other machines', async () => {
  const { status, stdout, stderr } = await runVarve(ANYWHERE, { cwd, env });
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /^varve: INVALID_INPUT: 0\.0\.0\.0 is reached .+ Set VARVE_API_TOKEN, or/mu,
  );
  expect(stdout).toBe('');
});

test.each([
  ['a token', [], { VARVE_API_TOKEN: 'a-token-of-this-test-alone' }, true],
  ['--trusted-network', ['--trusted-network'], {}, false],
] as const)('with %s it listens, and answers nobody unknown', async (_, more, set, isTold) => {
  await using api = startVarve([...ANYWHERE, ...more], { cwd, env: { ...env, ...set } });
  await api.untilSaid('"ready"');
  const port = /"url":"http:\/\/0\.0\.0\.0:(\d+)"/u.exec(api.stdout())?.[1];
  expect((await fetch(`http://127.0.0.1:${String(port)}/v1/health`)).status).toBe(401);
  expect(api.stdout().includes('cross the network unencrypted')).toBe(isTold);
});
