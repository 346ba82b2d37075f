/** `varve keys` and `varve audit` as a person types them. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { runVarve } from '#test/e2e/varve-process.ts';

let cwd = '';
let held: AsyncDisposableStack;
beforeEach(async () => {
  held = new AsyncDisposableStack();
  ({ folder: cwd } = held.use(await temporaryFolder()));
});
afterEach(() => held.disposeAsync());

const keys = (...args: string[]) => runVarve(['keys', ...args, '--tenant', 'acme'], { cwd });

test('a key is shown once, listed without an expiry, and gone once revoked', async () => {
  const created = await keys('create', '--name', 'bot', '--role', 'write', '--user', 'ann');
  const [, id = '', secret = ''] =
    /^varve_acme_([\da-f-]{36})_([\da-f]{64})$/mu.exec(created.stdout) ?? [];
  expect(created.status).toBe(0);
  const listed = await keys('list');
  expect(listed.stdout).toMatch(new RegExp(`^ *${id} +bot +write +userId ann +all +never$`, 'mu'));
  expect(`${listed.stdout}${listed.stderr}`).not.toContain(secret);
  expect(await keys('revoke', id)).toMatchObject({ status: 0 });
  expect((await keys('list')).stdout).not.toContain(id);
  const audit = await runVarve(['audit', '--tenant', 'acme', '--json-lines'], { cwd });
  expect(audit.stdout).toMatch(/"key\.revoke","outcome":"Done"/u);
  expect(audit.stdout).not.toContain(secret);
});

test('revoking an unknown key fails with NOT_FOUND and is audited as such', async () => {
  await keys('create', '--name', 'bot', '--role', 'read');
  const refused = await keys('revoke', 'no-such-key');
  expect(refused.status).toBe(4);
  expect(refused.stderr).toContain('NOT_FOUND: acme has no key "no-such-key"');
  const audit = await runVarve(['audit', '--tenant', 'acme', '--json-lines'], { cwd });
  expect(audit.stdout).toMatch(/"key\.revoke","outcome":"NOT_FOUND"/u);
});

test('an unknown role is refused, and the error names it', async () => {
  const { status, stderr } = await keys('create', '--name', 'bot', '--role', 'king');
  expect(status).toBe(2);
  expect(stderr).toMatch(/--role takes one of read, write, operate, admin, not "king"/u);
});
