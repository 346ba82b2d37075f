import { describe, expect, test } from 'vitest';
import { announcedWindows } from '#providers/temporal/client.ts';

const TENANT = 'acme';
const NOW = 1_000_000;

describe('windows that runs were told of', () => {
  test.each<[string, closesAt: number, now: number, boolean]>([
    ['sooner than the one announced', NOW + 9, NOW, true],
    ['the same', NOW + 10, NOW, false],
    ['later, as a write under steady traffic', NOW + 300, NOW, false],
    ['later, when the one announced is over', NOW + 300, NOW + 10, true],
  ])('a signal for a window that closes %s', (_, closesAt, now, isSooner) => {
    const windows = announcedWindows();
    expect(windows.isSooner(TENANT, closesAt, now)).toBe(true);
    windows.announced(TENANT, NOW + 10);
    expect(windows.isSooner(TENANT, closesAt, now)).toBe(isSooner);
    expect(windows.isSooner('other', closesAt, now)).toBe(true);
  });

  test('only so many tenants are remembered, those told last', () => {
    const windows = announcedWindows(2);
    for (const tenant of ['a', 'b', 'a', 'c']) windows.announced(tenant, NOW + 10);
    const isKnown = (tenant: string) => !windows.isSooner(tenant, NOW + 20, NOW);
    expect(['a', 'b', 'c'].map(isKnown)).toEqual([true, false, true]);
  });
});
