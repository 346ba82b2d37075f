/** `varve tenants move`: who gets a tenant, and the message if nobody does. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { moveTenant } from '#cli/commands/tenants.ts';
import { withAuditAndCallLimits, openParts, type Parts } from '#cli/composition-root.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { NOW, ownerOf } from '#test/conformance/samples.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

let parts: Parts;
const held = new AsyncDisposableStack();
beforeAll(async () => {
  const { folder } = held.use(await temporaryFolder());
  const settings = withAuditAndCallLimits({});
  parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG, settings }));
});
afterAll(() => held.disposeAsync());

test('a tenant moves once its resource releases it, and the audit records the move', async () => {
  const { store } = parts;
  const [tenant, toNamespace] = ['acme', 'team-b'];
  const move = () => moveTenant(parts, { tenant, toNamespace });
  await expect(move()).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const owner = ownerOf('first');
  await store.policies.put(owner, defaultPolicy(tenant), { hash: 'h', now: NOW });
  await expect(move()).rejects.toMatchObject({
    code: 'TENANT_CLAIMED',
    message: expect.stringContaining(`MemoryTenant ${owner.namespace}/first`) as string,
  });
  await store.policies.release(tenant, owner, { now: NOW });
  expect(await move()).toContain('acme now belongs to the namespace team-b');
  expect(await move()).toContain('already');
  const page = { order: 'oldest', after: null, since: 0, limit: 9 } as const;
  expect(await store.audit.list(tenant, page)).toMatchObject([
    { operation: 'tenants.move', principal: 'local', outcome: 'Done', ids: { tenant: [tenant] } },
  ]);
});
