import { describe, expect, test } from 'vitest';
import type { Varve } from '#cli/open-varve.ts';
import type { Principal } from '#api/principal.ts';
import { failureOf, newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();

const ANN = { userId: 'ann' };
const BOB = { userId: 'bob' };
const principalOf = (tenant: string): Principal => ({ name: 'ann', tenants: [tenant], bound: ANN });

describe('a bound principal', () => {
  test('is FORBIDDEN to name another user or tenant, in the same words each time', async () => {
    const tenant = newTenant();
    const other = newTenant();
    await library().varve.memory.add({ tenant, layer: 'user', identifiers: BOB, content: 'Bob.' });
    await using varve = await library().open({ principal: principalOf(tenant) });
    const calls: readonly ((varve: Varve, tenant: string) => Promise<unknown>)[] = [
      ({ memory }, of) => memory.add({ tenant: of, layer: 'user', identifiers: BOB, content: 'x' }),
      ({ summary }, of) => summary.get({ tenant: of, layer: 'user', identifiers: BOB }),
      ({ summary }, of) => summary.list({ tenant: of, identifiers: BOB }),
      ({ memory }, of) => memory.search({ tenant: of, identifiers: BOB, query: 'x' }),
      ({ memory }, of) => memory.list({ tenant: of, identifiers: BOB }),
      ({ memory }, of) =>
        memory.bulkAdd({
          tenant: of,
          memories: [{ layer: 'user', identifiers: BOB, content: 'x' }],
        }),
      ({ context }, of) => context.assemble({ tenant: of, identifiers: BOB, query: 'x' }),
    ];
    const messages = { own: new Set<string>(), other: new Set<string>() };
    for (const call of calls) {
      // Bob is known to the first tenant and to nobody in the second; neither may be told apart.
      for (const name of [tenant, other, 'never-heard-of']) {
        const error = await failureOf(call(varve, name));
        expect(error).toMatchObject({ code: 'FORBIDDEN', retryable: false });
        messages[name === tenant ? 'own' : 'other'].add(error.message);
      }
    }
    expect(messages).toMatchObject({ own: { size: 1 }, other: { size: 1 } });
    expect([...messages.own, ...messages.other].join('')).not.toMatch(/bob|tenant-/i);
  });

  test('is FORBIDDEN to refresh, which spends the budget of the tenant', async () => {
    const tenant = newTenant();
    const content = 'Ann grows tulips.';
    const memory = { tenant, layer: 'user', identifiers: ANN, content } as const;
    await library().varve.memory.add(memory);
    await using varve = await library().open({ principal: principalOf(tenant) });
    const before = library().dump();
    for (const kind of ['Due', 'Stale'] as const) {
      const error = await failureOf(varve.refresh({ tenant, kind }));
      expect(error).toMatchObject({ code: 'FORBIDDEN', details: {} });
    }
    expect(library().dump()).toEqual(before);
  });

  test('finds a memory of another user by id as if it did not exist', async () => {
    const tenant = newTenant();
    const { memory } = await library().varve.memory.add({
      ...{ tenant, layer: 'user', identifiers: BOB, content: 'Bob has a secret.' },
    });
    await using varve = await library().open({ principal: principalOf(tenant) });
    const key = { tenant, id: memory.id };
    const nobody = { tenant, id: 'nobody' };
    const before = library().dump();
    expect(await varve.memory.get(key)).toBeNull();
    const update = await failureOf(varve.memory.update({ ...key, content: 'x' }));
    const unknown = await failureOf(varve.memory.update({ ...nobody, content: 'x' }));
    const message = unknown.message.replace('nobody', memory.id);
    expect(update).toMatchObject({ code: unknown.code, message, details: { id: memory.id } });
    expect(await varve.memory.delete(key)).toEqual(await varve.memory.delete(nobody));
    expect(await varve.memory.history(key)).toEqual({ changes: [] });
    expect(await varve.memory.bulkDelete({ tenant, ids: [memory.id] })).toMatchObject({
      items: [{ ok: true, id: memory.id }],
    });
    expect(library().dump()).toEqual(before);
  });

  test('learns nothing about a memory of another user from an idempotency key', async () => {
    const tenant = newTenant();
    const { memory } = await library().varve.memory.add({
      ...{ tenant, layer: 'user', identifiers: BOB, content: 'Bob has a secret.' },
    });
    await using varve = await library().open({ principal: principalOf(tenant) });
    const tellings = [];
    for (const id of [memory.id, 'nobody']) {
      const one = { tenant, idempotencyKey: `one-${id}` };
      const many = { tenant, idempotencyKey: `many-${id}` };
      tellings.push([
        await varve.memory.delete({ ...one, id }),
        await varve.memory.delete({ ...one, id }),
        await failureOf(varve.memory.delete({ ...one, id: 'else' })),
        (await varve.memory.bulkDelete({ ...many, ids: [id] })).succeeded,
        (await varve.memory.bulkDelete({ ...many, ids: [id] })).succeeded,
        await failureOf(varve.memory.bulkDelete({ ...many, ids: [id, 'else'] })),
      ]);
    }
    expect(tellings[0]).toEqual(tellings[1]);
    expect(tellings[0]?.[2]).toMatchObject({ code: 'CONFLICT' });
    expect(tellings[0]?.[5]).toMatchObject({ code: 'CONFLICT' });
    expect(await library().varve.memory.get({ tenant, id: memory.id })).not.toBeNull();
  });

  test('may use its own user and the layers that all of the tenant share', async () => {
    const tenant = newTenant();
    await using varve = await library().open({ principal: principalOf(tenant) });
    const identifiers = { ...ANN, projectId: 'shop' };
    for (const layer of ['user', 'project', 'company'] as const) {
      const { memory } = await varve.memory.add({ tenant, layer, identifiers, content: 'Tulips.' });
      expect(await varve.memory.get({ tenant, id: memory.id })).toMatchObject({ layer });
      expect(memory.origin.principal).toBe('ann');
    }
    const { summaries } = await varve.summary.list({ tenant, identifiers });
    expect(summaries.map(({ scope }) => scope.scopeId)).toContain('ann');
  });

  test('tenants do not see each other, even with the same user id', async () => {
    const [one, other] = [newTenant(), newTenant()];
    const add = (tenant: string) =>
      library().varve.memory.add({
        tenant,
        layer: 'user',
        identifiers: ANN,
        content: 'Tulips grow.',
      });
    const { memory } = await add(one);
    const asked = { tenant: other, identifiers: ANN, query: 'tulips' };
    expect((await library().varve.context.assemble(asked)).text).not.toContain('grow');
    await library().varve.memory.delete({ tenant: other, id: memory.id });
    expect(await library().varve.memory.get({ tenant: one, id: memory.id })).not.toBeNull();
  });

  test('adds memories only from turns of its own sessions', async () => {
    const tenant = newTenant();
    const turns = [{ id: 't1', role: 'user' as const, content: 'I grow tulips.' }];
    for (const [sessionId, identifiers] of [
      ['of-bob', BOB],
      ['of-ann', ANN],
    ] as const) {
      await library().varve.conversation.append({ tenant, sessionId, identifiers, turns });
    }
    await using varve = await library().open({ principal: principalOf(tenant) });
    const from = (sessionId: string, layer: 'user' | 'company') =>
      varve.memory.bulkAdd({
        tenant,
        memories: [
          {
            ...{ layer, identifiers: { ...ANN, projectId: 'shop' }, content: 'Tulips are grown.' },
            extracted: { sessionId, turnId: 't1' },
          },
        ],
      });
    for (const layer of ['user', 'company'] as const) {
      for (const sessionId of ['of-bob', 'begun-by-nobody']) {
        expect(await failureOf(from(sessionId, layer))).toMatchObject({ code: 'FORBIDDEN' });
      }
      expect(await from('of-ann', layer)).toMatchObject({ succeeded: 1 });
    }
  });

  test('may not read another team that the hierarchy leads to', async () => {
    const tenant = newTenant();
    await library().declare(tenant, ({ hierarchy }) => ({
      hierarchy: { ...hierarchy, teamOfProject: { garden: 'green' } },
    }));
    const garden = { projectId: 'garden' };
    const content = 'Roses are sold.';
    const secret = { tenant, layer: 'team', identifiers: garden, content } as const;
    await library().varve.memory.add(secret);
    const principal: Principal = { name: 'red', tenants: [tenant], bound: { teamId: 'red' } };
    await using varve = await library().open({ principal });
    const about = { tenant, identifiers: garden };
    const refusals: readonly Promise<unknown>[] = [
      varve.memory.add(secret),
      varve.summary.get({ ...about, layer: 'team' }),
      varve.memory.search({ ...about, layers: ['team'], query: 'Roses' }),
      varve.memory.list({ ...about, layers: ['team'] }),
    ];
    for (const refused of refusals) {
      expect(await failureOf(refused)).toMatchObject({ code: 'FORBIDDEN' });
    }
    const { hits, searchedLayers } = await varve.memory.search({ ...about, query: 'Roses' });
    expect(hits).toEqual([]);
    expect(searchedLayers).toEqual(['project', 'org', 'company']);
    expect((await varve.memory.list(about)).totalCount).toBe(0);
    const { summaries } = await varve.summary.list(about);
    expect(summaries.map(({ scope }) => scope.layer)).not.toContain('team');
    const context = await varve.context.assemble({ ...about, query: 'Roses' });
    expect(context.text).not.toContain('sold');
  });
});

test('an import refuses a memory of one user from the session of another', async () => {
  const [tenant, sessionId] = [newTenant(), 'of-bob'];
  const turns = [{ id: 't1', role: 'user' as const, content: 'I grow tulips.' }];
  const { conversation, memory } = library().varve;
  await conversation.append({ tenant, sessionId, identifiers: BOB, turns });
  const extracted = { sessionId, turnId: 't1' };
  const of = (identifiers: typeof ANN) => ({
    tenant,
    memories: [{ layer: 'user' as const, identifiers, content: 'Tulips are grown.', extracted }],
  });
  expect(await failureOf(memory.bulkAdd(of(ANN)))).toMatchObject({ code: 'FORBIDDEN' });
  expect(await memory.bulkAdd(of(BOB))).toMatchObject({ succeeded: 1 });
});

describe('the history of a deleted memory', () => {
  const READER = { name: 'reader', tenants: 'all', bound: {} } as const;
  test.each<[caller: string, principal: Principal, words: boolean]>([
    ['the process that opened the store', { ...READER }, true],
    ['an admin of the tenant', { ...READER, role: 'admin' }, true],
    ['an admin who is bound to the user', { ...READER, role: 'admin', bound: ANN }, false],
    ['a reader', { ...READER, role: 'read' }, false],
    ['a writer', { ...READER, role: 'write' }, false],
  ])('tells %s who changed what when, and its words: %#', async (_, principal, hasWords) => {
    const tenant = newTenant();
    const about = { tenant, layer: 'user' as const, identifiers: ANN, tags: ['fish'] };
    const { memory } = await library().varve.memory.add({ ...about, content: 'Carp is first.' });
    const key = { tenant, id: memory.id };
    await library().varve.memory.update({ ...key, content: 'Tench is second.' });
    await using varve = await library().open({ principal });
    const kept = JSON.stringify(await varve.memory.history(key));
    expect(kept).toContain('Carp');
    await library().varve.memory.delete(key);
    const { changes } = await varve.memory.history(key);
    const actions = changes.map(({ action, version }) => [action, version]);
    expect(actions).toEqual([
      ['Deleted', 3],
      ['Updated', 2],
      ['Added', 1],
    ]);
    const words = ['Carp', 'Tench', 'fish'].map((word) => JSON.stringify(changes).includes(word));
    expect(words).toEqual([hasWords, hasWords, hasWords]);
    const older = await varve.memory.history({ ...key, beforeVersion: 3 });
    expect(JSON.stringify(older).includes('Carp')).toBe(hasWords);
  });
});
