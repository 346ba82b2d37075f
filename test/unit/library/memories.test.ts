import { describe, expect, test } from 'vitest';
import { MEMORY_LENGTH_MAX } from '#core/records/memory.ts';
import { memoryOf, NOW, rulesAt } from '#test/conformance/samples.ts';
import { failureOf, newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const ann = { userId: 'ann' };

const add = (tenant: string, content: string, more: object = {}) =>
  library().varve.memory.add({ tenant, layer: 'user', identifiers: ann, content, ...more });

describe('memories', () => {
  test('MEM-02: add returns the whole entry with a new id and stores it', async () => {
    const tenant = newTenant();
    const fields = { tags: ['home', 'home'], metadata: { sure: true }, key: 'k-1', kind: 'entity' };
    const shown = { includeVector: true };
    const { memory } = await add(tenant, 'Ann lives in Oslo.', { ...fields, ...shown });
    expect(memory).toMatchObject({
      tenant,
      layer: 'user',
      scopeId: 'ann',
      content: 'Ann lives in Oslo.',
      ...fields,
      tags: ['home'],
      origin: { channel: 'api', principal: 'local', sources: [] },
      trust: 'stated',
      state: 'active',
      version: 1,
    });
    expect(memory.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(memory.vector).toHaveLength(384);
    await using again = await library().open();
    expect(await again.memory.get({ tenant, id: memory.id, ...shown })).toEqual(memory);
    const other = await add(tenant, 'Ann lives in Oslo.');
    expect(other.memory.id).not.toBe(memory.id);
  });

  test('MEM-20: its vector is stored with the generation of the embedder', async () => {
    const shown = { includeVector: true };
    const { memory, embeddingGenerated } = await add(newTenant(), 'Ann lives in Oslo.', shown);
    const { retrieval } = await library().varve.health();
    expect(embeddingGenerated).toBe(true);
    expect(memory.embeddingGeneration).toBe(retrieval.generation);
    expect(memory.vector).toHaveLength(384);
  });

  test('MEM-07: get returns null for an unknown id and for an id of another tenant', async () => {
    const tenant = newTenant();
    const { memory } = await add(tenant, 'Ann lives in Oslo.');
    const { get } = library().varve.memory;
    expect(await get({ tenant, id: memory.id })).toEqual(memory);
    expect(await get({ tenant, id: 'nobody' })).toBeNull();
    expect(await get({ tenant: newTenant(), id: memory.id })).toBeNull();
  });

  test('no one gets or updates an expired memory, and a trace says that it has expired', async () => {
    const tenant = newTenant();
    const { varve, store } = library();
    const expiresAt = Date.now() - 1;
    const { id, content } = memoryOf(tenant, 1, { expiresAt });
    await store.memories.add(memoryOf(tenant, 1, { expiresAt }), rulesAt(NOW));
    expect(await varve.memory.get({ tenant, id })).toBeNull();
    const update = varve.memory.update({ tenant, id, tags: ['old'] });
    expect(await failureOf(update)).toMatchObject({ code: 'MEMORY_NOT_FOUND' });
    const why = await varve.trace.why({ tenant, identifiers: ann, ref: id });
    expect(why).toMatchObject({ state: 'Expired', text: content });
    expect(await varve.memory.delete({ tenant, id })).toMatchObject({ deleted: true });
  });

  test('MEM-08: new content gets a new vector, hash, count and time', async () => {
    const tenant = newTenant();
    const shown = { includeVector: true };
    const { memory } = await add(tenant, 'Ann lives in Oslo.', shown);
    const content = 'Bob ships the launch.';
    const update = library().varve.memory.update({ tenant, id: memory.id, content, ...shown });
    const { memory: after, embeddingGenerated } = await update;
    expect(embeddingGenerated).toBe(true);
    expect(after.vector).not.toEqual(memory.vector);
    expect(after.vector).toHaveLength(384);
    expect(after.contentHash).not.toBe(memory.contentHash);
    expect(after).toMatchObject({ content, version: 2, createdAt: memory.createdAt });
    expect(after.updatedAt).toBeGreaterThanOrEqual(memory.updatedAt);
  });

  test('MEM-09: new metadata is merged, and nothing is embedded', async () => {
    const tenant = newTenant();
    const shown = { includeVector: true };
    const given = { a: 1, b: { c: 2 } };
    const { memory } = await add(tenant, 'Ann lives in Oslo.', { metadata: given, ...shown });
    const metadata = { b: null, d: [1] };
    const update = library().varve.memory.update({ tenant, id: memory.id, metadata, ...shown });
    const { memory: after, embeddingGenerated, scope } = await update;
    expect(embeddingGenerated).toBe(false);
    expect(after).toMatchObject({ metadata: { a: 1, d: [1] }, vector: memory.vector, version: 2 });
    expect(after.metadata).not.toHaveProperty('b');
    expect(scope.changes).toBe(1);
  });

  test('many small updates cannot grow metadata past its limit', async () => {
    const tenant = newTenant();
    const { memory } = await add(tenant, 'Ann.', { metadata: { first: 'x'.repeat(10_000) } });
    const metadata = { second: 'x'.repeat(10_000) };
    const error = await failureOf(
      library().varve.memory.update({ tenant, id: memory.id, metadata }),
    );
    expect(error).toMatchObject({
      code: 'INVALID_INPUT',
      details: { issues: [{ path: 'metadata' }] },
    });
  });

  test('concurrent updates cannot grow the metadata of a memory past its limit', async () => {
    const tenant = newTenant();
    const { memory } = await add(tenant, 'Ann.');
    const { id } = memory;
    const fieldsOf = (at: number) =>
      Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`field-${at}-${n}`, n]));
    const { get, update } = library().varve.memory;
    const updates = Array.from({ length: 8 }, async (_, at) =>
      update({ tenant, id, metadata: fieldsOf(at) }),
    );
    const done = await Promise.allSettled(updates);
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    const after = await get({ tenant, id });
    expect(Object.keys(after?.metadata ?? {})).toHaveLength(60);
    expect(await update({ tenant, id, tags: ['a'] })).toMatchObject({ memory: { tags: ['a'] } });
  });

  test('repeated adds under one key cannot grow metadata past its limit', async () => {
    const tenant = newTenant();
    const fieldsOf = (at: number) =>
      Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`field-${at}-${n}`, n]));
    await add(tenant, 'Ann lives in Oslo.', { key: 'home', metadata: fieldsOf(0) });
    const more = add(tenant, 'Ann lives in Bergen.', { key: 'home', metadata: fieldsOf(1) });
    expect(await failureOf(more)).toMatchObject({ code: 'INVALID_INPUT' });
  });

  test('MEM-10: update of an unknown id is MEMORY_NOT_FOUND and writes nothing', async () => {
    const tenant = newTenant();
    const { memory } = await add(tenant, 'Ann lives in Oslo.');
    const before = library().dump();
    const { update } = library().varve.memory;
    const unknown = await failureOf(update({ tenant, id: 'nobody', content: 'x' }));
    const foreign = await failureOf(update({ tenant: newTenant(), id: memory.id, content: 'x' }));
    expect(unknown).toMatchObject({ code: 'MEMORY_NOT_FOUND' });
    const message = unknown.message.replace('nobody', memory.id);
    expect(foreign).toMatchObject({ code: 'MEMORY_NOT_FOUND', message });
    expect(library().dump()).toEqual(before);
  });

  test.each([
    ['nothing', {}],
    ['what the memory has', { content: 'Tea.', tags: ['a'], metadata: { n: 1 } }],
  ])('an update with %s: the memory as it is, and no change', async (_what, patch) => {
    const tenant = newTenant();
    const { memory } = library().varve;
    const said = { tenant, layer: 'user', identifiers: { userId: 'ann' } } as const;
    const own = { content: 'Tea.', tags: ['a'], metadata: { n: 1 } };
    const { memory: before, scope } = await memory.add({ ...said, ...own });
    const answer = await memory.update({ tenant, id: before.id, ...patch });
    expect(answer).toMatchObject({ memory: before, scope, deduplicated: false });
    const { changes } = await memory.history({ tenant, id: before.id });
    expect(changes).toHaveLength(1);
  });

  test('an update that expects an older version is a conflict', async () => {
    const tenant = newTenant();
    const { memory } = await add(tenant, 'Ann lives in Oslo.');
    const change = (tags: string[], expectedVersion: number) =>
      library().varve.memory.update({ tenant, id: memory.id, tags, expectedVersion });
    await change(['a'], 1);
    expect(await failureOf(change(['b'], 1))).toMatchObject({ code: 'CONFLICT', retryable: true });
    expect(await library().varve.memory.get({ tenant, id: memory.id })).toMatchObject({
      tags: ['a'],
    });
  });

  test('MEM-11: delete succeeds even a second time and for an unknown id', async () => {
    const tenant = newTenant();
    const { memory } = await add(tenant, 'Ann lives in Oslo.');
    const { delete: remove, get } = library().varve.memory;
    const key = { tenant, id: memory.id };
    expect(await remove(key)).toMatchObject({ deleted: true, scope: { changes: 2 } });
    expect(await get(key)).toBeNull();
    expect(await remove(key)).toEqual({ success: true, deleted: false, scope: null });
    expect(await remove({ tenant, id: 'nobody' })).toEqual({
      success: true,
      deleted: false,
      scope: null,
    });
  });

  test('MEM-25: content that is too long is refused with the maximum', async () => {
    const tenant = newTenant();
    const longest = 'x'.repeat(MEMORY_LENGTH_MAX);
    const { memory } = await add(tenant, longest);
    const expected = {
      code: 'CONTENT_TOO_LONG',
      details: { lengthMax: MEMORY_LENGTH_MAX, length: MEMORY_LENGTH_MAX + 1 },
    };
    expect(await failureOf(add(tenant, `${longest}y`))).toMatchObject(expected);
    const update = library().varve.memory.update({ tenant, id: memory.id, content: `${longest}y` });
    expect(await failureOf(update)).toMatchObject(expected);
  });

  test('a write reports how many changes its scope has and when it is due', async () => {
    const tenant = newTenant();
    const first = await add(tenant, 'Ann lives in Oslo.');
    expect(first.scope).toMatchObject({ changes: 1, trigger: 'Interval' });
    await add(tenant, 'Ann has two cats.');
    const third = await add(tenant, 'Ann gardens.');
    expect(third.scope).toMatchObject({ changes: 3, trigger: 'Changes' });
    expect(third.scope.dueAt).toBeLessThanOrEqual(Date.now());
  });

  test('a policy sends decisions of messages and flushes to the layer that it names', async () => {
    const tenant = newTenant();
    const { varve, declare } = library();
    await declare(tenant, () => ({ statementLayers: { Decision: 'user' } }));
    const identifiers = { ...ann, projectId: 'shop' };
    const messages = [{ role: 'user' as const, content: 'We decided to use Postgres.' }];
    const { results } = await varve.memory.addMessages({ tenant, identifiers, messages });
    expect(results).toMatchObject([{ event: 'ADD', kind: 'Decision', layer: 'user' }]);
    const turns = [{ role: 'user' as const, content: 'We decided to hire Rosa.' }];
    await varve.conversation.append({ tenant, sessionId: 's', identifiers, turns });
    const flushed = await varve.conversation.flush({ tenant, sessionId: 's' });
    expect(flushed.results).toMatchObject([{ event: 'ADD', kind: 'Decision', layer: 'user' }]);
  });
});
