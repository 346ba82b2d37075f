/** An installation that serves only declared tenants. */
import { expect, test } from 'vitest';
import { libraryOf } from '#api/library.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { NOW, ownerOf } from '#test/conformance/samples.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { failureOf } from '#test/unit/failures.ts';

const ANN = { layer: 'user', identifiers: { userId: 'ann' } } as const;

async function openApi(settings: { readonly declaredOnly?: boolean }) {
  await using held = new AsyncDisposableStack();
  const { folder } = held.use(await temporaryFolder());
  const parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG, settings }));
  const ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
  const open = held.move();
  return {
    api: libraryOf(ports, LOCAL_OPERATOR),
    declare: (tenant: string) =>
      ports.store.policies.put(ownerOf('a'), defaultPolicy(tenant), { hash: 'h', now: NOW }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

test('a caller who names an undeclared tenant reads and writes nothing', async () => {
  await using opened = await openApi({ declaredOnly: true });
  const { api } = opened;
  const tenant = 'ghost';
  for (const call of [
    () => api.memory.add({ tenant, ...ANN, content: 'Ann likes maps.' }),
    () => api.memory.search({ tenant, query: 'maps', identifiers: { userId: 'ann' } }),
    () =>
      api.conversation.append({
        tenant,
        sessionId: 's',
        turns: [{ id: 't', role: 'user', content: 'Hi.' }],
      }),
  ]) {
    const refused = await failureOf(call());
    expect(refused.code).toBe('FORBIDDEN');
    expect(refused.message).toContain('declare a MemoryTenant');
  }
  await opened.declare(tenant);
  await api.memory.add({ tenant, ...ANN, content: 'Ann likes maps.' });
});

test('without declared-only mode, any tenant is served', async () => {
  await using opened = await openApi({});
  const added = opened.api.memory.add({ tenant: 'ghost', ...ANN, content: 'Ann likes maps.' });
  expect(await added).toMatchObject({ memory: { tenant: 'ghost' } });
});
