import { expect, test } from 'vitest';
import { oldestStaleAge } from '#core/refresh/staleness.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { NOW } from '#test/conformance/samples.ts';
import { settledScope } from './scope-records.ts';

const scopesOf = (due: Readonly<Record<string, readonly Partial<ScopeRecord>[]>>) => ({
  dueTenants: ({ limit }: { limit: number }) => Promise.resolve(Object.keys(due).slice(0, limit)),
  due: (tenant: string, { limit }: { limit: number }) =>
    Promise.resolve((due[tenant] ?? []).slice(0, limit).map((each) => settledScope(each))),
});

test.each<[string, Parameters<typeof scopesOf>[0], number]>([
  ['no scope is due', {}, 0],
  ['a tenant has a request but nothing due', { a: [] }, 0],
  ['a due scope was never stale', { a: [{ firstStaleAt: null }] }, 0],
  [
    'several scopes wait',
    { a: [{ firstStaleAt: NOW - 5 }], b: [{ firstStaleAt: NOW - 900 }] },
    900,
  ],
  [
    'the oldest scope is not the first',
    { a: [{ firstStaleAt: NOW - 5 }, { firstStaleAt: NOW - 70 }] },
    70,
  ],
])('the age of the oldest stale summary is reported if %s', async (_, due, age) => {
  expect(await oldestStaleAge(scopesOf(due), NOW)).toBe(age);
});

test('no more tenants and scopes are read than the limits allow', async () => {
  const late = { firstStaleAt: NOW - 1_000 };
  const scopes = [...Array.from({ length: 50 }, () => ({ firstStaleAt: NOW - 1 })), late];
  const tenants = Array.from({ length: 20 }, (_, n) => [`t-${String(n)}`, scopes] as const);
  const due = Object.fromEntries([...tenants, ['late', [late]] as const]);
  expect(await oldestStaleAge(scopesOf(due), NOW)).toBe(1);
});
