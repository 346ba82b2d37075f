import { describe, expect, test } from 'vitest';
import { PRECEDENCE } from '#core/layer.ts';
import { DEPTH_TOKENS_MAX, DEPTHS } from '#core/records/summary.ts';
import type { Scope } from '#core/scope.ts';
import { cosine } from '#core/vector.ts';
import { failureOf, newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const ann = { userId: 'ann' };

const add = async (tenant: string, content: string, more: object = {}) =>
  (await library().varve.memory.add({ tenant, layer: 'user', identifiers: ann, content, ...more }))
    .memory;
const get = (tenant: string, depth: 'sentence' | 'paragraph' | 'detailed' = 'paragraph') =>
  library().varve.summary.get({ tenant, layer: 'user', identifiers: ann, depth });
const refresh = (tenant: string) => library().varve.refresh({ tenant });
const scopeOf = (tenant: string): Scope => ({ tenant, layer: 'user', scopeId: 'ann' });

describe('summaries', () => {
  test('SUM-01: cover memories at three depths within their caps, with cited sources', async () => {
    const tenant = newTenant();
    const said = [
      'Ann decided to move the launch of the garden shop from May 4 to June 1, 2026.',
      'Ann lives in Oslo with two cats and works from home on Mondays.',
      'The budget of the garden shop is 1,200 euros a month, and Bob approves what is above it.',
    ];
    const ids = [];
    for (const content of said) ids.push((await add(tenant, content)).id);
    const noCall = { modelCalls: 0, inputTokens: 0, outputTokens: 0 };
    expect(await refresh(tenant)).toMatchObject({ generated: 1, refused: 0, ...noCall });
    for (const depth of DEPTHS) {
      const summary = await get(tenant, depth);
      expect(summary?.tokens).toBeGreaterThan(0);
      expect(summary?.tokens).toBeLessThanOrEqual(DEPTH_TOKENS_MAX[depth]);
      const cited = summary?.sentences.flatMap(({ sources }) => sources) ?? [];
      expect(cited.length).toBeGreaterThan(0);
      for (const id of cited) expect(ids).toContain(id);
    }
  });

  test('SUM-02: have their tokens, source hash and time', async () => {
    const tenant = newTenant();
    const before = Date.now();
    await add(tenant, 'Ann lives in Oslo.');
    await refresh(tenant);
    const summary = await get(tenant);
    const scope = await library().store.scopes.get(scopeOf(tenant));
    expect(summary).toMatchObject({
      sourceHash: scope.sourceHash,
      sourceCount: 1,
      personalized: false,
    });
    expect(summary?.generatedAt).toBeGreaterThanOrEqual(before);
    expect(summary?.generatedAt).toBeLessThanOrEqual(Date.now());
    expect(summary?.tokens).toBe(5);
  });

  test('SUM-06: are made only at the configured depths', async () => {
    const tenant = newTenant();
    await library().declare(tenant, ({ layers }) => ({
      layers: { ...layers, user: { ...layers.user, depths: ['sentence', 'detailed'] } },
    }));
    await add(tenant, 'Ann lives in Oslo.');
    await refresh(tenant);
    expect(await get(tenant, 'paragraph')).toBeNull();
    expect((await get(tenant, 'sentence'))?.text).toBe('Ann lives in Oslo.');
    expect((await get(tenant, 'detailed'))?.text).toBe('Ann lives in Oslo.');
  });

  test('SUM-07: are null before the first memory and after the last one is deleted', async () => {
    const tenant = newTenant();
    expect(await get(tenant)).toBeNull();
    const { id } = await add(tenant, 'Ann lives in Oslo.');
    expect(await get(tenant)).toBeNull();
    await refresh(tenant);
    expect(await get(tenant)).not.toBeNull();
    const bob = { tenant, layer: 'user', identifiers: { userId: 'bob' } } as const;
    expect(await library().varve.summary.get(bob)).toBeNull();
    expect(await get(newTenant())).toBeNull();
    await library().varve.memory.delete({ tenant, id });
    expect(await refresh(tenant)).toMatchObject({ emptied: 1, generated: 0 });
    expect(await get(tenant)).toBeNull();
    expect(await refresh(tenant)).toMatchObject({ emptied: 0 });
  });

  test('SUM-08: are listed for every accessible layer by precedence, with tokens', async () => {
    const tenant = newTenant();
    const identifiers = { userId: 'ann', projectId: 'shop' };
    for (const layer of ['company', 'user', 'team', 'project']) {
      await add(tenant, `The ${layer} grows tulips.`, { layer, identifiers });
    }
    await refresh(tenant);
    const { summaries, skippedLayers } = await library().varve.summary.list({
      tenant,
      identifiers,
    });
    const layers = summaries.map(({ scope }) => scope.layer);
    expect(layers).toEqual(['user', 'project', 'team', 'org', 'company']);
    expect(layers.map((layer) => PRECEDENCE[layer])).toEqual([2, 4, 5, 6, 7]);
    expect(skippedLayers).toEqual(['agent', 'session']);
    for (const { scope, summary, freshness } of summaries) {
      const isOrg = scope.layer === 'org';
      expect(freshness.reason).toBe(isOrg ? 'NeverGenerated' : null);
      const tokens = summary?.depths.sentence?.tokens ?? null;
      if (isOrg) expect(tokens).toBeNull();
      else expect(tokens).toBeGreaterThan(3);
    }
  });

  test('SUM-09: get a new context vector when they change', async () => {
    const tenant = newTenant();
    await add(tenant, 'Ann grows tulips in her garden.');
    await refresh(tenant);
    const first = (await library().store.summaries.get(scopeOf(tenant), ''))?.contextVector;
    expect(first?.values).toHaveLength(384);
    await refresh(tenant);
    const same = (await library().store.summaries.get(scopeOf(tenant), ''))?.contextVector;
    expect(same).toEqual(first);
    await add(tenant, 'Ann rides a motorcycle to work.');
    await refresh(tenant);
    const next = (await library().store.summaries.get(scopeOf(tenant), ''))?.contextVector;
    expect(next?.generation).toBe(first?.generation);
    expect(cosine(next?.values ?? [], first?.values ?? [])).toBeLessThan(0.95);
  });

  test('ignore a vector of another generation until the next summary', async () => {
    const tenant = newTenant();
    const { store } = library();
    await add(tenant, 'Ann grows tulips in her garden.');
    await refresh(tenant);
    const made = await store.summaries.get(scopeOf(tenant), '');
    const record = await store.scopes.get(scopeOf(tenant));
    expect(made).not.toBeNull();
    if (made === null) return;
    const summary = { ...made, contextVector: { generation: 'earlier-2', values: [0.6, 0.8] } };
    const scope = { ...record, version: record.version + 1 };
    const event = { tenant, id: made.id, at: 1, type: 'memory_summary_created' as const };
    const commit = { summary, scope, outcome: 'Generated' as const };
    expect(await store.summaries.commit({ ...commit, event: { ...event, attributes: {} } })).toBe(
      true,
    );
    const relevance = async () => {
      const asked = { tenant, identifiers: ann, query: 'tulips in the garden' };
      const { summaries } = await library().varve.summary.list(asked);
      return summaries[0]?.relevance;
    };
    const byWords = await relevance();
    expect(byWords).toMatchObject({ similarity: null, semanticScore: null });
    expect(byWords?.relevance).toBeGreaterThan(0.7);
    await add(tenant, 'Ann rides a motorcycle to work.');
    await refresh(tenant);
    expect((await relevance())?.similarity).toBeGreaterThan(0.5);
  });

  test('are listed with the relevance of each layer if the list has a question', async () => {
    const tenant = newTenant();
    const identifiers = { userId: 'ann', projectId: 'shop' };
    await add(tenant, 'Ann grows tulips in her garden.');
    await add(tenant, 'The release needs a signed contract.', { layer: 'project', identifiers });
    await refresh(tenant);
    const { summary } = library().varve;
    const query = 'Who signs the contract?';
    const { summaries } = await summary.list({ tenant, identifiers, query });
    const [user, project, team] = summaries.map(({ relevance }) => relevance);
    expect(project?.relevance).toBeGreaterThan(user?.relevance ?? 1);
    expect(project?.similarity).toBeGreaterThan(user?.similarity ?? 1);
    expect(team).toMatchObject({ relevance: 0, similarity: null });
    const plain = await summary.list({ tenant, identifiers });
    expect(plain.summaries.map(({ relevance }) => relevance)).toEqual(summaries.map(() => null));
  });

  test('a deleted source no longer makes its layer relevant', async () => {
    const tenant = newTenant();
    const { id } = await add(tenant, 'Ann has a secret garden in Bergen.');
    await add(tenant, 'Ann lives in Oslo with two cats.');
    await refresh(tenant);
    await library().varve.memory.delete({ tenant, id });
    const asked = { tenant, identifiers: ann, query: 'secret garden in Bergen' };
    const { summaries } = await library().varve.summary.list(asked);
    expect(summaries[0]).toMatchObject({
      contextVector: null,
      relevance: { relevance: 0, similarity: null },
    });
  });

  test('SUM-10: context vectors show which layer a question is about', async () => {
    const tenant = newTenant();
    const identifiers = { userId: 'ann', projectId: 'shop' };
    await add(tenant, 'Ann grows tulips in her garden.');
    await add(tenant, 'The release needs a signed contract.', { layer: 'project', identifiers });
    await refresh(tenant);
    const relevanceOf = async (query: string) => {
      const asked = { tenant, identifiers, query, layerSummaries: true };
      const { receipt } = await library().varve.context.assemble(asked);
      const lines = receipt.filter(({ kind }) => kind === 'layerSummary');
      return Object.fromEntries(lines.map(({ layer, relevance }) => [layer, relevance ?? 0]));
    };
    const garden = await relevanceOf('Which tulips are in the garden?');
    expect(garden['user']).toBeGreaterThan(garden['project'] ?? 1);
    const release = await relevanceOf('Is the contract of the release signed?');
    expect(release['project']).toBeGreaterThan(release['user'] ?? 1);
  });

  test('SUM-19: a changed source makes a summary stale, with the reason and the time', async () => {
    const tenant = newTenant();
    const { id } = await add(tenant, 'Ann lives in Oslo with two cats.');
    await refresh(tenant);
    expect((await get(tenant))?.freshness).toMatchObject({
      stale: false,
      needsRegeneration: false,
    });
    const before = Date.now();
    await library().varve.memory.update({
      tenant,
      id,
      content: 'Ann lives in Oslo with three cats.',
    });
    const freshness = (await get(tenant))?.freshness;
    expect(freshness).toMatchObject({
      reason: 'SourceReplaced',
      needsRegeneration: true,
      changes: 1,
    });
    expect(freshness?.since).toBeGreaterThanOrEqual(before);
    await refresh(tenant);
    expect(await get(tenant)).toMatchObject({
      text: 'Ann lives in Oslo with three cats.',
      freshness: { stale: false, changes: 0 },
    });
  });

  test('new memories follow the summary until it is regenerated', async () => {
    const tenant = newTenant();
    await add(tenant, 'Ann lives in Oslo with two cats.');
    await refresh(tenant);
    const { id } = await add(tenant, 'Ann\n# has\na new bicycle');
    const summary = await get(tenant, 'sentence');
    const text = 'Ann lives in Oslo with two cats. Since then: Ann # has a new bicycle.';
    expect(summary).toMatchObject({ text, freshness: { reason: 'SourceChanged' } });
    expect(summary?.sentences.at(-1)).toMatchObject({ sources: [id], sinceThen: true });
    const asked = { tenant, identifiers: ann, query: 'Where does Ann live?' };
    const { receipt } = await library().varve.context.assemble(asked);
    const line = receipt.find(({ kind }) => kind === 'layerSummary');
    expect(line?.sinceThen).toEqual([id]);
    await refresh(tenant);
    const { text: regenerated, sentences } = (await get(tenant)) ?? {};
    expect(regenerated).not.toContain('Since then');
    expect(sentences?.some(({ sinceThen }) => sinceThen)).toBe(false);
  });

  test.each([
    ['Ann lives in Porto with two cats and a dog.', 'Ann lives in Braga with two cats and a dog.'],
    ['Ann lives in Porto.', 'Ann lives in Braga.'],
  ])('a corrected value is shown at once: "%s"', async (before, after) => {
    const tenant = newTenant();
    const { id } = await add(tenant, before);
    await refresh(tenant);
    await library().varve.memory.update({ tenant, id, content: after });
    for (const depth of DEPTHS) {
      expect(await get(tenant, depth)).toMatchObject({
        text: after,
        facts: [],
        freshness: { reason: 'SourceReplaced', trigger: 'Urgent' },
      });
    }
    const asked = { tenant, identifiers: ann, query: 'Where does Ann live?' };
    const { text } = await library().varve.context.assemble(asked);
    expect(text).toContain('Braga');
    expect(text).not.toContain('Porto');
  });

  test.each([
    ['deleted', 'SourceDeleted', ''],
    ['replaced', 'SourceReplaced', ' Since then: The launch moves to June.'],
  ])('the text of a %s memory leaves every answer at once', async (how, reason, since) => {
    const tenant = newTenant();
    const { id } = await add(tenant, 'Ann has a secret garden in Bergen.');
    await add(tenant, 'Ann lives in Oslo with two cats.');
    await refresh(tenant);
    expect((await get(tenant))?.text).toContain('Bergen');
    const { memory } = library().varve;
    if (how === 'deleted') await memory.delete({ tenant, id });
    else await memory.update({ tenant, id, content: 'The launch moves to June.' });
    for (const depth of DEPTHS) {
      expect(await get(tenant, depth)).toMatchObject({
        text: `Ann lives in Oslo with two cats.${since}`,
        freshness: { stale: true, reason, trigger: 'Urgent' },
      });
    }
    const asked = { tenant, identifiers: ann, query: 'cats', layerSummaries: true };
    expect((await library().varve.context.assemble(asked)).text).not.toContain('Bergen');
    expect(library().lines.at(-1)).toMatchObject({
      message: 'stale summary served',
      level: 'warn',
    });
    await refresh(tenant);
    expect((await get(tenant))?.freshness.stale).toBe(false);
    expect((await get(tenant))?.text).not.toContain('Bergen');
  });

  test('SUM-21: use of a stale summary is logged with layer and reason', async () => {
    const tenant = newTenant();
    await add(tenant, 'Ann lives in Oslo.');
    await refresh(tenant);
    const fresh = library().lines.length;
    await get(tenant);
    expect(library().lines).toHaveLength(fresh);
    await add(tenant, 'Ann has two cats.');
    await get(tenant);
    expect(library().lines.slice(fresh)).toEqual([
      {
        level: 'info',
        message: 'stale summary served',
        fields: { tenant, layer: 'user', reason: 'SourceChanged' },
      },
    ]);
  });

  test('a stale summary is logged once for each state, however often it is read', async () => {
    const tenant = newTenant();
    await add(tenant, 'Ann lives in Oslo.');
    await refresh(tenant);
    await add(tenant, 'Ann has two cats.');
    const told = () =>
      library().lines.filter(
        ({ message, fields }) =>
          message === 'stale summary served' && JSON.stringify(fields).includes(tenant),
      ).length;
    for (let reads = 0; reads < 20; reads += 1) await get(tenant);
    expect(told()).toBe(1);
    await refresh(tenant);
    await add(tenant, 'Ann has three dogs.');
    for (let reads = 0; reads < 20; reads += 1) await get(tenant);
    expect(told()).toBe(2);
  });

  test('ENG-01: have a text, facts and the ids of their sources', async () => {
    const tenant = newTenant();
    const { id } = await add(tenant, 'Ann lives in Oslo.');
    await refresh(tenant);
    const record = await library().store.summaries.get(scopeOf(tenant), '');
    expect(record?.depths.paragraph?.text).toBe('Ann lives in Oslo.');
    expect(record?.facts).toMatchObject([
      { text: 'Ann lives in Oslo.', sources: [id], quote: 'Ann lives in Oslo.', trust: 'stated' },
    ]);
  });

  test('ENG-02: have an event with the summary id and the source count', async () => {
    const tenant = newTenant();
    await add(tenant, 'Ann lives in Oslo.');
    await add(tenant, 'Ann has two cats.');
    await refresh(tenant);
    const summary = await get(tenant);
    const events = await library().store.events.list(tenant, { afterId: null, limit: 10 });
    expect(events).toMatchObject([
      {
        type: 'memory_summary_created',
        attributes: { summaryId: summary?.id, sourceCount: 2, layer: 'user', trigger: 'Interval' },
      },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/Oslo|cats|ann/);
  });

  test('are stale if their recipe changed, until a refresh regenerates them', async () => {
    const tenant = newTenant();
    await add(tenant, 'Ann lives in Oslo.');
    await refresh(tenant);
    await library().declare(tenant, ({ layers }) => ({
      layers: { ...layers, user: { ...layers.user, depths: ['paragraph'] } },
    }));
    expect((await get(tenant))?.freshness).toMatchObject({ reason: 'RecipeChanged' });
    expect(await refresh(tenant)).toMatchObject({ generated: 1 });
    expect((await get(tenant))?.freshness.stale).toBe(false);
    expect(await refresh(tenant)).toMatchObject({ generated: 0, unchanged: 0, batches: 0 });
  });

  test('of a session have its turns as sources, in order and once', async () => {
    const tenant = newTenant();
    const turns = ['Hello!', 'The launch moves to June 1, 2026.'].map((content, n) => ({
      ...{ role: 'user' as const, content, id: `turn-${String(n)}` },
    }));
    const append = () => library().varve.conversation.append({ tenant, sessionId: 'call', turns });
    expect(await append()).toMatchObject({ appended: 2 });
    expect(await append()).toMatchObject({ appended: 0 });
    await refresh(tenant);
    const of = { tenant, layer: 'session', identifiers: { sessionId: 'call' } } as const;
    const summary = await library().varve.summary.get(of);
    expect(summary).toMatchObject({ sourceCount: 2, facts: [{ sources: ['turn-1'] }] });
  });

  test('of an unknown layer are refused', async () => {
    const asked = { tenant: newTenant(), layer: 'planet' };
    const call = library().varve.summary.get(asked as never);
    expect(await failureOf(call)).toMatchObject({ code: 'INVALID_LAYER' });
  });
});
