import { describe, expect, test } from 'vitest';
import { announcedWindows } from '#providers/temporal/client.ts';

const TENANT = 'acme';
const NOW = 1_000_000;

describe('windows announced to runs', () => {
  test.each<[string, closesAt: number, now: number, boolean]>([
    ['sooner than the one announced', NOW + 9, NOW, true],
    ['at the same time', NOW + 10, NOW, false],
    ['later, under steady traffic', NOW + 300, NOW, false],
    ['later, after the announced one is over', NOW + 300, NOW + 10, true],
  ])('whether a signal is sent for a window that closes %s', (_, closesAt, now, isSooner) => {
    const windows = announcedWindows();
    expect(windows.isSooner(TENANT, closesAt, now)).toBe(true);
    windows.announced(TENANT, NOW + 10);
    expect(windows.isSooner(TENANT, closesAt, now)).toBe(isSooner);
    expect(windows.isSooner('other', closesAt, now)).toBe(true);
  });

  test('only a limited number of tenants is remembered, the latest ones', () => {
    const windows = announcedWindows(2);
    for (const tenant of ['a', 'b', 'a', 'c']) windows.announced(tenant, NOW + 10);
    const isKnown = (tenant: string) => !windows.isSooner(tenant, NOW + 20, NOW);
    expect(['a', 'b', 'c'].map(isKnown)).toEqual([true, false, true]);
  });
});
