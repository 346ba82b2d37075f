import { describe, expect, test } from 'vitest';
import type { Varve } from '#cli/open-varve.ts';
import { VARIANTS_PER_SCOPE_MAX } from '#core/ports/store.ts';
import { DEPTH_TOKENS_MAX, DEPTHS, type Depth } from '#core/records/summary.ts';
import { failureOf, newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const ann = { userId: 'ann', projectId: 'shop' };
const bob = { userId: 'bob', projectId: 'shop' };

/** Each is longer than half of a sentence's tokens, so that one of them is the shortest text. */
const PROJECT = [
  'The greenhouse in the north of the town grows tulips and roses, which stand ready for the ' +
    'markets of the spring in the first week of April.',
  'The invoices of the suppliers are paid through the bank in the old town, within thirty days ' +
    'and only after the bookkeeper has seen the delivery.',
  'A van brings the flowers to the three markets of the town on Fridays and takes the empty ' +
    'crates back to the yard behind the station.',
];

/** A project with a gardener and a bookkeeper, whose own summaries are made. */
async function shopOf(tenant: string, personalized = true): Promise<Varve> {
  await library().declare(tenant, ({ layers }) => ({
    layers: { ...layers, project: { ...layers.project, personalized } },
  }));
  const { varve } = library();
  const tell = (userId: string, content: string) =>
    varve.memory.add({ tenant, layer: 'user', identifiers: { userId }, content });
  await tell('ann', 'Ann is the gardener: she grows tulips and roses in the greenhouse.');
  await tell('bob', 'Bob is the bookkeeper: he pays invoices and talks to the bank.');
  for (const content of PROJECT) {
    await varve.memory.add({ tenant, layer: 'project', identifiers: ann, content });
  }
  await varve.refresh({ tenant });
  return varve;
}

const read = (varve: Varve, tenant: string, identifiers: object, depth: Depth = 'sentence') =>
  varve.summary.get({ tenant, layer: 'project', identifiers, depth });

describe('a personalized layer', () => {
  test('returns the general summary on the first read and the variant after a refresh', async () => {
    const tenant = newTenant();
    const varve = await shopOf(tenant);
    const general = await read(varve, tenant, { projectId: 'shop' });
    expect(await read(varve, tenant, ann)).toEqual(general);
    expect(await read(varve, tenant, bob)).toMatchObject({ personalized: false });
    expect(await varve.refresh({ tenant })).toMatchObject({ generated: 2, refused: 0 });
    const [anns, bobs] = [await read(varve, tenant, ann), await read(varve, tenant, bob)];
    expect(anns).toMatchObject({ personalized: true, freshness: { stale: false } });
    expect(anns?.text).toMatch(/tulips/iu);
    expect(anns?.text).not.toMatch(/bank/iu);
    expect(bobs).toMatchObject({ personalized: true, sourceHash: general?.sourceHash });
    expect(bobs?.text).toMatch(/bank/iu);
    expect(bobs?.text).not.toMatch(/tulips/iu);
    expect(await read(varve, tenant, { projectId: 'shop' })).toEqual(general);
  });

  test('SUM-03: a variant stores its personalization context, which is never a source', async () => {
    const tenant = newTenant();
    const varve = await shopOf(tenant);
    await read(varve, tenant, ann);
    await varve.refresh({ tenant });
    const scope = { tenant, layer: 'project', scopeId: 'shop' } as const;
    const general = await library().store.summaries.get(scope, '');
    const variant = await library().store.summaries.get(scope, 'user:ann');
    const own = await varve.summary.get({ tenant, layer: 'user', identifiers: ann });
    const personalizationContext = `summary ${own?.id ?? ''} of the user`;
    expect(variant).toMatchObject({ personalized: true, personalizationContext });
    expect(variant?.recipeHash).not.toBe(general?.recipeHash);
    for (const fact of variant?.facts ?? []) expect(general?.facts).toContainEqual(fact);
    for (const depth of DEPTHS) {
      expect(variant?.depths[depth]?.tokens).toBeLessThanOrEqual(DEPTH_TOKENS_MAX[depth]);
      expect(variant?.depths[depth]?.text).not.toContain('gardener');
    }
  });

  test('new memories of the scope reach the reader without another read', async () => {
    const tenant = newTenant();
    const varve = await shopOf(tenant);
    await read(varve, tenant, ann);
    await varve.refresh({ tenant });
    const content =
      'The greenhouse now grows tulips of a new sort, Black Parrot, beside the roses, and the ' +
      'gardener wants to see the first of them in bloom in the second week of May.';
    await varve.memory.add({ tenant, layer: 'project', identifiers: ann, content });
    await varve.refresh({ tenant });
    const after = await read(varve, tenant, ann, 'detailed');
    expect(after).toMatchObject({ personalized: true, freshness: { stale: false } });
    expect(after?.text).toContain('Black Parrot');
  });

  test('deleted memories of the scope or the reader leave the variant', async () => {
    const tenant = newTenant();
    const varve = await shopOf(tenant);
    await read(varve, tenant, ann);
    await varve.refresh({ tenant });
    const { memories } = await varve.memory.list({ tenant, identifiers: ann, layers: ['project'] });
    const tulips = memories.filter(({ content }) => /tulips/iu.test(content));
    for (const { id } of tulips) await varve.memory.delete({ tenant, id });
    const stale = await read(varve, tenant, ann);
    expect(stale?.text).not.toMatch(/tulips/iu);
    expect(stale?.freshness).toMatchObject({ stale: true, reason: 'SourceDeleted' });
    const own = await varve.memory.list({ tenant, identifiers: ann, layers: ['user'] });
    for (const { id } of own.memories) await varve.memory.delete({ tenant, id });
    await varve.refresh({ tenant });
    await read(varve, tenant, ann);
    await varve.refresh({ tenant });
    expect(await read(varve, tenant, ann)).toMatchObject({ personalized: false });
  });

  test('a context contains and requests the variants of its reader', async () => {
    const tenant = newTenant();
    const varve = await shopOf(tenant);
    const asked = { tenant, identifiers: ann, query: 'What is new?', layerSummaries: true };
    const ofProject = async () =>
      (await varve.context.assemble(asked)).receipt.find(
        ({ kind, layer }) => kind === 'layerSummary' && layer === 'project',
      );
    expect(await ofProject()).toMatchObject({ personalized: false });
    await varve.refresh({ tenant });
    expect(await ofProject()).toMatchObject({ personalized: true });
    const { summaries } = await varve.summary.list({ tenant, identifiers: ann });
    const personalized = summaries.filter(({ summary }) => summary?.personalized === true);
    expect(personalized.map(({ scope }) => scope.layer)).toEqual(['project']);
  });

  test('notes and makes no variant if it is not personalized', async () => {
    const tenant = newTenant();
    const varve = await shopOf(tenant, false);
    expect(await read(varve, tenant, ann)).toMatchObject({ personalized: false });
    expect(await varve.refresh({ tenant })).toMatchObject({ batches: 0 });
    const scope = { tenant, layer: 'project', scopeId: 'shop' } as const;
    expect(await library().store.variants.ofScope(scope)).toEqual([]);
  });

  test('returns the general summary to a reader with no memories', async () => {
    const tenant = newTenant();
    const varve = await shopOf(tenant);
    const carl = { userId: 'carl', projectId: 'shop' };
    await read(varve, tenant, carl);
    expect(await varve.refresh({ tenant })).toMatchObject({ generated: 0 });
    expect(await read(varve, tenant, carl)).toMatchObject({ personalized: false });
  });

  test('makes a variant for a session without a user', async () => {
    const tenant = newTenant();
    const varve = await shopOf(tenant);
    const turn = { role: 'user', content: 'Which tulips grow in the greenhouse?' } as const;
    await varve.conversation.append({ tenant, sessionId: 'call', turns: [turn] });
    await varve.refresh({ tenant });
    const caller = { sessionId: 'call', projectId: 'shop' };
    await read(varve, tenant, caller);
    await varve.refresh({ tenant });
    const own = await read(varve, tenant, caller);
    expect(own).toMatchObject({ personalized: true });
    expect(own?.text).toMatch(/tulips/iu);
  });

  test('a caller bound to a user reads as that user and as no other', async () => {
    const tenant = newTenant();
    const varve = await shopOf(tenant);
    await read(varve, tenant, ann);
    await varve.refresh({ tenant });
    const principal = { name: 'ann', tenants: [tenant], bound: { userId: 'ann' } };
    await using own = await library().open({ principal });
    const asAnn = await read(varve, tenant, ann);
    expect(asAnn).toMatchObject({ personalized: true });
    expect(await read(own, tenant, { projectId: 'shop' })).toEqual(asAnn);
    expect(await failureOf(read(own, tenant, bob))).toMatchObject({ code: 'FORBIDDEN' });
  });

  test('has no more variants than the limit allows', async () => {
    const tenant = newTenant();
    const varve = await shopOf(tenant);
    for (let n = 0; n <= VARIANTS_PER_SCOPE_MAX; n += 1) {
      await read(varve, tenant, { userId: `user-${String(n)}`, projectId: 'shop' });
    }
    const scope = { tenant, layer: 'project', scopeId: 'shop' } as const;
    const left = await library().store.variants.ofScope(scope);
    expect(left).toHaveLength(VARIANTS_PER_SCOPE_MAX);
  });
});
