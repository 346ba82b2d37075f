/** A memory that would expire before the day from which it holds is refused. */
import { expect, test } from 'vitest';
import { failureOf, newTenant, sharedLibrary } from './open-library.ts';

const library = sharedLibrary();
const DAY_MS = 86_400_000;
const identifiers = { userId: 'ann' };
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

const CALLS: Readonly<Record<string, (at: string, expiresAt: string) => Promise<unknown>>> = {
  'memory.add': (at, expiresAt) => {
    const memory = {
      layer: 'user' as const,
      identifiers,
      content: 'The rent is 900.',
      key: 'rent',
    };
    return library().varve.memory.add({ tenant: newTenant(), ...memory, at, expiresAt });
  },
  'memory.addMessages': (at, expiresAt) => {
    const messages = [
      { role: 'user' as const, content: 'I am vegetarian.' },
      { role: 'user' as const, content: 'I live in Oslo.', at },
    ];
    const { memory } = library().varve;
    return memory.addMessages({ tenant: newTenant(), identifiers, messages, expiresAt });
  },
};

test.each(Object.keys(CALLS))('%s refuses an expiry before a day to come', async (name) => {
  const failure = await failureOf(CALLS[name]?.(inDays(30), inDays(20)) ?? Promise.resolve());
  expect(failure).toMatchObject({ code: 'INVALID_INPUT' });
  expect(failure.message).toMatch(/^expiresAt: expected a time after at \(/u);
});

test.each(Object.keys(CALLS))('%s takes an expiry after its day', async (name) => {
  await expect(CALLS[name]?.(inDays(30), inDays(31))).resolves.toBeDefined();
  await expect(CALLS[name]?.(inDays(-30), inDays(1))).resolves.toBeDefined();
});

test('memory.bulkAdd refuses only the memory that expires too early', async () => {
  const memory = {
    layer: 'user' as const,
    identifiers,
    content: 'The rent is 900.',
    at: inDays(30),
  };
  const memories = [{ ...memory, expiresAt: inDays(20) }, memory];
  const { items } = await library().varve.memory.bulkAdd({ tenant: newTenant(), memories });
  expect(items).toMatchObject([{ ok: false, error: { code: 'INVALID_INPUT' } }, { ok: true }]);
});
