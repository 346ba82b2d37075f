import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { ATTEMPTS_MAX } from '#core/refresh/retries-and-dead-letters.ts';
import { openFixture } from './refresh-fixture.ts';

const TENANT = 'acme';
const MINUTE_MS = 60_000;

describe('a provider that is too busy for every attempt', () => {
  test('delays the scope at no cost and never dead-letters it', async () => {
    let isBusy = true;
    await using fixture = await openFixture({
      answer: (_batch, extractive) => {
        if (isBusy) return Promise.reject(new VarveError('RATE_LIMITED', 'Slow down.'));
        return extractive();
      },
    });
    await fixture.add(TENANT, 'Ann grows roses and lavender in her garden in Lisbon.');
    for (let tries = 0; tries <= ATTEMPTS_MAX; tries += 1) {
      expect(await fixture.round(TENANT)).toMatchObject({ batches: 1, generated: 0 });
      const { attempts, deadLetter, lease, hold } = await fixture.scope(TENANT);
      expect({ attempts, deadLetter, lease }).toEqual({
        attempts: 0,
        deadLetter: null,
        lease: null,
      });
      expect(hold).toMatchObject({ code: 'RATE_LIMITED' });
      // It is held until then, also from those who ask for everything stale.
      fixture.advance(MINUTE_MS);
    }
    isBusy = false;
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    expect(await fixture.scope(TENANT)).toMatchObject({ hold: null, changes: 0 });
    const outcomes = await fixture.parts.store.accounts.entries(TENANT, { limit: 100 });
    expect(outcomes.map(({ outcome }) => outcome)).toContain('NotCharged');
    expect(outcomes.filter(({ outcome }) => outcome === 'Usage')).toHaveLength(1);
  });
});
