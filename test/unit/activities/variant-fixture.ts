/** A shop whose project and company have personalized summaries, with two readers. */
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import type { Layer } from '#core/layer.ts';
import type { BudgetPolicy } from '#core/records/policy.ts';
import type { ModelAnswer, ModelBatch } from '#core/ports/model.ts';
import type { Scope } from '#core/scope.ts';
import { openFixture, type Fixture, type FixtureOptions } from './refresh-fixture.ts';

export const TENANT = 'acme';
export const PERIOD = '2026-11';
export const PROJECT: Scope = { tenant: TENANT, layer: 'project', scopeId: 'shop' };
export const ANN = { userId: 'ann', projectId: 'shop' };
export const BOB = { userId: 'bob', projectId: 'shop' };
export const NO_LIMIT: BudgetPolicy = {
  limitTokens: null,
  limitMicroDollars: null,
  onExhausted: 'Reject',
};

/** Project and company are personalized; both, and two users, have a summary. */
export async function openShop(options: FixtureOptions = {}): Promise<Fixture> {
  const fixture = await openFixture({ answer: (_, extractive) => extractive(), ...options });
  await declare(fixture, NO_LIMIT);
  await fixture.add(TENANT, 'Ann grows tulips and roses in the greenhouse.');
  await fixture.add(TENANT, 'Bob pays invoices.', { identifiers: { userId: 'bob' } });
  for (const layer of ['project', 'company']) {
    await fixture.add(TENANT, `The tulips of the ${layer} bloom in May.`, {
      layer,
      identifiers: ANN,
    });
    await fixture.add(TENANT, `The ${layer} pays its bills in June.`, { layer, identifiers: ANN });
  }
  await fixture.round(TENANT);
  return fixture;
}

export function declare(fixture: Fixture, budget: BudgetPolicy): Promise<void> {
  return fixture.declare(TENANT, ({ layers: { project, company, ...others } }) => ({
    budget,
    layers: {
      ...others,
      project: { ...project, personalized: true },
      company: { ...company, personalized: true },
    },
  }));
}

export const read = ({ ports }: Fixture, identifiers: object, layer: Layer = 'project') =>
  OPERATIONS.summary.get.call(ports, LOCAL_OPERATOR, { tenant: TENANT, layer, identifiers });

export const variantOf = ({ parts }: Fixture, audience = 'user:ann') =>
  parts.store.variants.get(PROJECT, audience);

/** Far more than the general summaries take. */
export const USAGE = { inputTokens: 5_000, outputTokens: 10 };

/** Answers variants alone in another way than the extractive model does. */
export const forVariants =
  (answer: (batch: ModelBatch) => string | Promise<string>) =>
  async (batch: ModelBatch, extractive: () => Promise<ModelAnswer>): Promise<ModelAnswer> => {
    if (batch.items.every(({ audience }) => audience === null)) return extractive();
    return { text: await answer(batch), usage: USAGE };
  };

export const KEEP_ALL = (batch: ModelBatch) =>
  JSON.stringify({
    items: batch.items.map(({ item, sources }) => ({ item, kept: sources.map(({ id }) => id) })),
  });
