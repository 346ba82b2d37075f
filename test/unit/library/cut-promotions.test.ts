/** Approvals of promotions that another call, a crash or an erasure interrupts. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { libraryOf, type Library } from '#api/library.ts';
import type { ApiPorts } from '#api/api-ports.ts';
import { LOCAL_OPERATOR, type Principal } from '#api/principal.ts';
import { apiPortsOf, openParts } from '#cli/composition-root.ts';
import { STORE_FILE } from '#cli/choose-store.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { dumpOf, temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import { failureOf, newTenant } from './open-library.ts';

const CONTENT = 'The xylophone is tuned every Monday.';
const OF_TEAM = { identifiers: { teamId: 'payments' } };

let ports: ApiPorts;
let file = '';
const held = new AsyncDisposableStack();
beforeAll(async () => {
  const { folder } = held.use(await temporaryFolder());
  file = path.join(folder, STORE_FILE);
  const parts = held.use(await openParts({ dataDir: folder, log: SILENT_LOG }));
  ports = apiPortsOf(parts, NO_REFRESH_TRIGGER, null);
});
afterAll(() => held.disposeAsync());

const local = (): Library => libraryOf(ports, LOCAL_OPERATOR);
const personOf = (tenant: string, name: string): Principal => ({
  ...{ name: `key:${name}`, tenants: [tenant], bound: {}, role: 'operate' },
});

async function proposed() {
  const tenant = newTenant();
  const added = {
    tenant,
    identifiers: { userId: 'mara' },
    layer: 'user',
    content: CONTENT,
  } as const;
  const { memory } = await local().memory.add(added);
  const toTeam = { tenant, id: memory.id, layer: 'team', ...OF_TEAM } as const;
  const { id } = await local().memory.promote(toTeam);
  return { tenant, memory, id };
}

async function teamMemories(tenant: string) {
  return (await local().memory.list({ tenant, ...OF_TEAM })).memories;
}

describe('an interrupted approval', () => {
  test('is completed by another person after the memory was written, without a second memory', async () => {
    const { tenant, id } = await proposed();
    const died = () => Promise.reject(new Error('died'));
    const store = { ...ports.store, reviews: { ...ports.store.reviews, notePromoted: died } };
    const ann = libraryOf({ ...ports, store }, personOf(tenant, 'ann'));
    await failureOf(ann.review.approve({ tenant, id }));
    const bob = libraryOf(ports, personOf(tenant, 'bob'));
    const { memoryId, decision } = await bob.review.approve({ tenant, id });
    expect(decision).toMatchObject({ principal: 'key:ann' });
    const principal = 'key:ann';
    expect(await teamMemories(tenant)).toMatchObject([{ id: memoryId, origin: { principal } }]);
  });

  test('leaves no text if an erasure of the original interrupts it', async () => {
    const { tenant, id, memory } = await proposed();
    const add: typeof ports.provider.add = async (...call) => {
      await local().memory.erase({ tenant, target: { kind: 'Memory', id: memory.id } });
      return ports.provider.add(...call);
    };
    const late = libraryOf({ ...ports, provider: { ...ports.provider, add } }, LOCAL_OPERATOR);
    expect(await failureOf(late.review.approve({ tenant, id }))).toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await teamMemories(tenant)).toEqual([]);
    const rows = Object.values(dumpOf(file)).flat();
    const ofTenant = rows.map((row) => JSON.stringify(row)).filter((row) => row.includes(tenant));
    expect(ofTenant.filter((row) => /xylophon/u.test(row))).toEqual([]);
  });
});
