import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import type { Layer } from '#core/layer.ts';
import { ATTEMPTS_MAX } from '#core/refresh/retries-and-dead-letters.ts';
import { emptyScopeRecord } from '#core/records/scope-record.ts';
import { MINUTE_MS, NOW } from '#test/conformance/samples.ts';
import { openFixture, type Fixture } from './refresh-fixture.ts';

const TENANT = 'acme';
const TEXT = 'Ann signed the contract with Blue Harbour on 3 May 2026.';
/** More than ten pages: more too than an order once reached at all. */
const SCOPES_BEFORE = 10_001;

/** After each attempt but the last there is a pause, of a minute at most. */
const GIVEN_UP_AT = NOW + (ATTEMPTS_MAX - 1) * MINUTE_MS;

interface Failing extends AsyncDisposable {
  readonly fixture: Fixture;
  /** From now on the model answers. */
  heal(): void;
}

/** A user's scope that was dead-lettered. */
async function deadLettered(): Promise<Failing> {
  let isHealed = false;
  const fixture = await openFixture({
    answer: (_, extractive) =>
      isHealed ? extractive() : Promise.reject(new TypeError('The model choked.')),
  });
  await fixture.add(TENANT, TEXT);
  const { activities } = fixture;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const claim = { tenant: TENANT, claimId: `claim-${String(attempt)}`, kind: 'Stale' } as const;
    if (attempt > 1) fixture.advance(MINUTE_MS);
    const [batch] = (await activities.claimBatches(claim)).batches;
    const given = { tenant: TENANT, batchId: batch?.batchId ?? '' };
    await activities.releaseBatch({ ...given, code: 'MODEL_OUTPUT_INVALID' });
  }
  return {
    fixture,
    heal: () => {
      isHealed = true;
    },
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}

describe('a dead-lettered scope', () => {
  test('is listed with its reason and time, and readers see both', async () => {
    await using failing = await deadLettered();
    const { fixture } = failing;
    const { deadLetters, total } = await OPERATIONS.summary.deadLetters.call(
      fixture.ports,
      LOCAL_OPERATOR,
      {
        tenant: TENANT,
      },
    );
    const reason = { code: 'MODEL_OUTPUT_INVALID', reason: 'MODEL_OUTPUT_INVALID' };
    const letter = { layer: 'user', scopeId: 'ann', ...reason, since: GIVEN_UP_AT, changes: 1 };
    expect({ deadLetters, total }).toEqual({ deadLetters: [letter], total: 1 });
    const asked = { tenant: TENANT, identifiers: { userId: 'ann' } };
    const { summaries } = await OPERATIONS.summary.list.call(fixture.ports, LOCAL_OPERATOR, asked);
    const user = summaries.find(({ scope }) => scope.layer === 'user');
    expect(user?.freshness.deadLetter).toEqual({ ...reason, at: GIVEN_UP_AT });
  });

  test.each<[of: { layer?: Layer; scopeId?: string }, retried: number]>([
    [{}, 1],
    [{ layer: 'user', scopeId: 'ann' }, 1],
    [{ layer: 'project' }, 0],
    [{ scopeId: 'bob' }, 0],
  ])('is retried only if it matches a retry of %j', async (of, retried) => {
    await using failing = await deadLettered();
    const { fixture } = failing;
    fixture.advance(10 * MINUTE_MS);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 0 });
    const answer = await OPERATIONS.summary.retry.call(fixture.ports, LOCAL_OPERATOR, {
      tenant: TENANT,
      ...of,
    });
    expect(answer).toEqual({ retried });
    failing.heal();
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: retried });
    const { attempts, deadLetter } = await fixture.scope(TENANT);
    expect({ attempts, isDead: deadLetter !== null }).toEqual({
      attempts: retried === 1 ? 0 : ATTEMPTS_MAX,
      isDead: retried === 0,
    });
  });

  test('is found and retried among more scopes than one read returns', async () => {
    await using failing = await deadLettered();
    const { fixture } = failing;
    const { store } = fixture.parts;
    // Of a layer that comes before the user's: sessions are listed first.
    await Promise.all(
      Array.from({ length: SCOPES_BEFORE }, (_, n) =>
        store.scopes.replace({
          ...emptyScopeRecord({ tenant: TENANT, layer: 'session', scopeId: `call-${String(n)}` }),
          version: 1,
        }),
      ),
    );
    const asked = { tenant: TENANT };
    const listed = await OPERATIONS.summary.deadLetters.call(fixture.ports, LOCAL_OPERATOR, asked);
    expect(listed).toMatchObject({ deadLetters: [{ scopeId: 'ann' }], total: 1 });
    const retried = await OPERATIONS.summary.retry.call(fixture.ports, LOCAL_OPERATOR, asked);
    expect(retried).toEqual({ retried: 1 });
    expect((await fixture.scope(TENANT)).deadLetter).toBeNull();
  });

  test('cannot be listed or retried by a principal bound to one user', async () => {
    await using failing = await deadLettered();
    const { fixture } = failing;
    const principal = { name: 'ann', tenants: [TENANT], bound: { userId: 'ann' } };
    const listed = OPERATIONS.summary.deadLetters.call(fixture.ports, principal, {
      tenant: TENANT,
    });
    await expect(listed).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const retried = OPERATIONS.summary.retry.call(fixture.ports, principal, { tenant: TENANT });
    await expect(retried).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
