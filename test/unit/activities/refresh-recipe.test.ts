/** What a change of model, prompt or price does to summaries that are there. */
import { describe, expect, test } from 'vitest';
import { createActivities } from '#activities/create-activities.ts';
import { NO_REFRESH_TRIGGER } from '#cli/compose.ts';
import { periodOf } from '#core/budget/budget.ts';
import type { ClaimKind } from '#core/refresh/refresh-contract.ts';
import { defaultPolicy } from '#core/records/policy.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import { refreshRound } from '#core/refresh/refresh-round.ts';
import { HOUR_MS, MINUTE_MS, NOW } from '#test/conformance/samples.ts';
import { openFixture, type Fixture } from './refresh-fixture.ts';

const TENANT = 'acme';
const TEXT = 'Ann lives in Oslo.';
const SCOPE = { tenant: TENANT, layer: 'user', scopeId: 'ann' } as const;

/** A round by workers whose model differs. */
function roundWith(fixture: Fixture, differing: Partial<SummaryModel>, kind: ClaimKind) {
  const { parts } = fixture;
  const model = { ...parts.models.ofClass('standard'), ...differing };
  const { extractive } = parts.models;
  const byName = (name: string) => [model, extractive].find((each) => each.name === name);
  const models = { ...parts.models, ofClass: () => model, byName };
  const { signal } = new AbortController();
  const activities = createActivities({ ...parts, models }, NO_REFRESH_TRIGGER, () => ({ signal }));
  const claimId = parts.platform.newId();
  return refreshRound(activities, {
    tenant: TENANT,
    claimId,
    kind,
    codeOf: () => 'PROVIDER_ERROR',
  });
}

async function openSummarized() {
  const fixture = await openFixture({ answer: (_, extractive) => extractive() });
  await fixture.add(TENANT, TEXT);
  await fixture.round(TENANT);
  return fixture;
}

const limitTo = (fixture: Fixture, limitTokens: number) =>
  fixture.declare(TENANT, ({ budget }) => ({
    budget: { ...budget, limitTokens, onExhausted: 'Extractive' },
  }));

describe('recipes', () => {
  test('a price edit remakes nothing, now or later', async () => {
    await using fixture = await openSummarized();
    const price = { inputMicroDollarsPerMillion: 9, outputMicroDollarsPerMillion: 9 };
    expect(await roundWith(fixture, { price }, 'Stale')).toMatchObject({ batches: 0 });
    fixture.advance(HOUR_MS);
    expect(await roundWith(fixture, { price }, 'Due')).toMatchObject({ batches: 0 });
  });

  test('another prompt waits for the next due time, and is used then', async () => {
    await using fixture = await openSummarized();
    const revision = 'next';
    expect(await roundWith(fixture, { revision }, 'Due')).toMatchObject({ batches: 0 });
    fixture.advance(HOUR_MS);
    expect(await roundWith(fixture, { revision }, 'Due')).toMatchObject({ batches: 0 });
    fixture.advance(23 * HOUR_MS);
    expect(await roundWith(fixture, { revision }, 'Due')).toMatchObject({ generated: 1 });
    expect(await roundWith(fixture, { revision }, 'Stale')).toMatchObject({ batches: 0 });
  });

  test('an interval that ends finds another recipe, though the sources are equal', async () => {
    await using fixture = await openSummarized();
    await fixture.remove(TENANT, await fixture.add(TENANT, 'Ann gardens.'));
    fixture.advance(HOUR_MS);
    expect(await roundWith(fixture, { revision: 'next' }, 'Due')).toMatchObject({ generated: 1 });
  });

  test('a text that stands in has the recipe of what really made it', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await limitTo(fixture, 10);
    await fixture.add(TENANT, TEXT);
    await fixture.round(TENANT);
    expect(await fixture.summary(TENANT)).toMatchObject({
      text: TEXT,
      model: 'extractive',
      freshness: { stale: true, reason: 'RecipeChanged' },
    });
    const summary = await fixture.parts.store.summaries.get(SCOPE, '');
    expect((await fixture.scope(TENANT)).recipeHash).toBe(summary?.recipeHash);
  });

  test('who asks until nothing is stale is done, with or without budget', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await limitTo(fixture, 10);
    await fixture.add(TENANT, TEXT);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
    fixture.advance(MINUTE_MS);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    await limitTo(fixture, 100_000);
    const { accounts } = fixture.parts.store;
    const budget = { ...defaultPolicy(TENANT).budget, limitTokens: 100_000 };
    await accounts.setLimits(TENANT, periodOf(NOW), budget);
    fixture.advance(MINUTE_MS);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1, modelCalls: 1 });
    expect((await fixture.summary(TENANT))?.freshness.stale).toBe(false);
  });
});
