/** All records of a tenant or of policies, page by page. */
import { expect, test } from 'vitest';
import { policyPages, SCOPES_PER_PAGE, scopePages } from '#core/refresh/record-pages.ts';
import type { PolicyRecord } from '#core/records/policy.ts';
import { settledScope } from './scope-records.ts';

const POLICIES_PER_PAGE = 200;

/** Of what is in order, the next after one, as every store lists it. */
function nextOf<T>(all: readonly T[], limit: number, isAfter: (each: T) => boolean): T[] {
  return all.filter(isAfter).slice(0, limit);
}

test.each([
  ['none', 0, []],
  ['one', 1, [1]],
  ['a page', SCOPES_PER_PAGE, [SCOPES_PER_PAGE]],
  ['one more than a page', SCOPES_PER_PAGE + 1, [SCOPES_PER_PAGE, 1]],
])('scopePages reads all scopes: %s', async (_, count, sizes) => {
  const all = Array.from({ length: count }, (_each, n) =>
    settledScope({ scopeId: String(n).padStart(6, '0') }),
  );
  const list = (tenant: string, limit: number, after?: { scopeId: string }) => {
    expect(tenant).toBe('acme');
    const { scopeId } = after ?? { scopeId: '' };
    return Promise.resolve(nextOf(all, limit, (each) => each.scopeId > scopeId));
  };
  const pages = await Array.fromAsync(scopePages({ list }, 'acme'));
  expect(pages.map((page) => page.length)).toEqual(sizes);
  expect(pages.flat()).toEqual(all);
  const later = await Array.fromAsync(scopePages({ list }, 'acme', all[0]));
  expect(later.flat()).toEqual(all.slice(1));
});

test.each([
  ['none', 0, []],
  ['a page', POLICIES_PER_PAGE, [POLICIES_PER_PAGE]],
  ['one more than two pages', 2 * POLICIES_PER_PAGE + 1, [POLICIES_PER_PAGE, POLICIES_PER_PAGE, 1]],
])('policyPages reads all policies: %s', async (_, count, sizes) => {
  const all = Array.from({ length: count }, (_each, n) => ({
    tenant: String(n).padStart(6, '0'),
  })) as PolicyRecord[];
  const list = (limit: number, after = '') =>
    Promise.resolve(nextOf(all, limit, ({ tenant }) => tenant > after));
  const pages = await Array.fromAsync(policyPages({ list }));
  expect(pages.map((page) => page.length)).toEqual(sizes);
  expect(pages.flat()).toEqual(all);
});
