import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { ATTEMPTS_MAX } from '#core/refresh/scope-failure.ts';
import { openStand } from './refresh-stand.ts';

const TENANT = 'acme';
const MINUTE_MS = 60_000;

describe('a provider that is too busy for every try', () => {
  test('puts the scope off, costs nothing, and never gives it up', async () => {
    let isBusy = true;
    await using stand = await openStand({
      answer: (_batch, extractive) => {
        if (isBusy) return Promise.reject(new VarveError('RATE_LIMITED', 'Slow down.'));
        return extractive();
      },
    });
    await stand.add(TENANT, 'Ann grows roses and lavender in her garden in Lisbon.');
    for (let tries = 0; tries <= ATTEMPTS_MAX; tries += 1) {
      expect(await stand.round(TENANT)).toMatchObject({ batches: 1, generated: 0 });
      const { attempts, deadLetter, lease, hold } = await stand.scope(TENANT);
      expect({ attempts, deadLetter, lease }).toEqual({
        attempts: 0,
        deadLetter: null,
        lease: null,
      });
      expect(hold).toMatchObject({ code: 'RATE_LIMITED' });
      // It is held until then, also from those who ask for everything stale.
      stand.advance(MINUTE_MS);
    }
    isBusy = false;
    expect(await stand.round(TENANT)).toMatchObject({ generated: 1 });
    expect(await stand.scope(TENANT)).toMatchObject({ hold: null, changes: 0 });
    const outcomes = await stand.parts.store.accounts.entries(TENANT, { limit: 100 });
    expect(outcomes.map(({ outcome }) => outcome)).toContain('NotCharged');
    expect(outcomes.filter(({ outcome }) => outcome === 'Usage')).toHaveLength(1);
  });
});
