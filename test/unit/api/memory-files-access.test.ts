import { describe, expect, test } from 'vitest';
import type { Principal } from '#api/principal.ts';
import { failureOf, newTenant } from '#test/unit/library/open-library.ts';
import {
  ANN,
  BOB,
  memoryFile,
  lineOf,
  proposalOf,
  sharedTiers,
  type Tiers,
} from './memory-files-fixture.ts';

const fixture = sharedTiers();
const bot = { kind: 'agent', id: 'ann' } as const;

type Place = { tenant: string; subject: typeof ANN | typeof BOB | typeof bot };
type Call = (tiers: Tiers, place: Place) => Promise<unknown>;

const id = 'dream-2';
const reason = 'why';

/** Every procedure that names a subject. */
const OF_A_SUBJECT = {
  'daily.append': ({ daily }, place) => daily.append({ ...place, text: 'Ann sings.' }),
  'daily.get': ({ daily }, place) => daily.get(place),
  'document.list': ({ document }, place) => document.list(place),
  'document.get': ({ document }, place) => document.get(place),
  'document.edit': ({ document }, place) =>
    document.edit({ ...place, text: '- Ann sings.', expectedVersion: 1 }),
  'document.versions': ({ document }, place) => document.versions(place),
  'document.restore': ({ document }, place) => document.restore({ ...place, version: 1 }),
  'dream.run': ({ dream }, place) => dream.run(place),
  'dream.status': ({ dream }, place) => dream.status(place),
  'dream.list': ({ dream }, place) => dream.list(place),
} as const satisfies Record<string, Call>;

/** What is for the whole tenant to decide or to know. */
const OF_A_TENANT = {
  'dream.list': ({ dream }, { tenant }) => dream.list({ tenant }),
  'dream.approve': ({ dream }, { tenant }) => dream.approve({ tenant, id, reason }),
  'dream.reject': ({ dream }, { tenant }) => dream.reject({ tenant, id, reason }),
  'dream.schedules': ({ dream }, { tenant }) => dream.schedules({ tenant }),
} as const satisfies Record<string, Call>;

const boundTo = (tenant: string, bound: Principal['bound']): Principal => ({
  name: 'ann',
  tenants: [tenant],
  bound,
});

async function known(): Promise<string> {
  const tenant = newTenant();
  const { store } = fixture().ports;
  for (const subject of ['user/ann', 'user/bob']) {
    await store.documents.put(memoryFile(tenant, [lineOf('A secret.')], { subject }));
  }
  await store.proposals.put(proposalOf(tenant));
  await store.proposals.put(proposalOf(tenant, { id: 'dream-of-bob', subject: 'user/bob' }));
  return tenant;
}

describe('access to Markdown memory', () => {
  test.each(Object.entries<Call>(OF_A_SUBJECT))(
    '%s of another subject is FORBIDDEN with the same words, whether it exists or not',
    async (_, call) => {
      const tenant = await known();
      const principals = [
        boundTo(tenant, { userId: 'ann' }),
        // Bound to something else, it is no subject of memory files.
        boundTo(tenant, { projectId: 'ann' }),
      ];
      const messages = new Set<string>();
      for (const principal of principals) {
        const tiers = fixture().tiers(principal);
        const places: Place[] = [
          { tenant, subject: BOB },
          { tenant, subject: { ...BOB, id: 'never-heard-of' as 'bob' } },
          { tenant, subject: bot },
          { tenant: newTenant(), subject: ANN },
        ];
        for (const place of places) {
          const error = await failureOf(call(tiers, place));
          expect(error).toMatchObject({ code: 'FORBIDDEN', details: {} });
          messages.add(error.message);
        }
      }
      expect(messages.size).toBe(1);
      expect([...messages].join('')).not.toMatch(/ann|bob|tenant-/i);
    },
  );

  test.each(Object.entries<Call>(OF_A_SUBJECT))(
    '%s is open to the bound user for that user',
    async (_, call) => {
      const tenant = await known();
      const user = fixture().tiers(boundTo(tenant, { userId: 'ann', projectId: 'shop' }));
      await expect(call(user, { tenant, subject: ANN })).resolves.toBeDefined();
    },
  );

  test.each(Object.entries<Call>(OF_A_TENANT))(
    '%s for a whole tenant is FORBIDDEN to a bound user',
    async (_, call) => {
      const tenant = await known();
      const user = fixture().tiers(boundTo(tenant, { userId: 'ann' }));
      const error = await failureOf(call(user, { tenant, subject: ANN }));
      expect(error).toMatchObject({ code: 'FORBIDDEN', details: {} });
      expect(await fixture().ports.store.proposals.get(tenant, id)).toMatchObject({
        state: 'Waiting',
      });
      expect(fixture().runs.applied).toEqual([]);
    },
  );

  test('a dream of another user is null by its id, like one that does not exist', async () => {
    const tenant = await known();
    const { dream } = fixture().tiers(boundTo(tenant, { userId: 'ann' }));
    expect(await dream.get({ tenant, id: 'dream-of-bob' })).toBeNull();
    expect(await dream.get({ tenant, id: 'nobody' })).toBeNull();
    expect(await dream.get({ tenant, id })).toMatchObject({ id, subject: ANN });
  });

  test('an agent and a user with the same id are different subjects', async () => {
    const tenant = newTenant();
    const agent = fixture().tiers(boundTo(tenant, { agentId: 'ann' }));
    await agent.daily.append({ tenant, subject: bot, text: 'The agent learned.' });
    expect(await failureOf(agent.daily.get({ tenant, subject: ANN }))).toMatchObject({
      code: 'FORBIDDEN',
    });
    expect(await fixture().tiers().daily.get({ tenant, subject: ANN })).toBeNull();
  });
});
