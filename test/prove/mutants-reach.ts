/** Mutants of what one user may know, of what an order reaches, and of what is kept of texts. */
import type { Mutant } from './mutant.ts';

export const REACH_MUTANTS: readonly Mutant[] = [
  {
    id: 'SUM-15',
    file: 'api/summaries.ts',
    find: 'reading.mayKnowBudget ? report : withoutAmounts(report)',
    replace: 'report',
    breaks: "one user reads in a summary what its tenant's budget is",
  },
  {
    id: 'API-03',
    file: 'cli/open-varve.ts',
    find: 'authorizeTenant(principal, tenant);',
    replace: '',
    breaks: "one user spends the tenant's budget by a refresh",
  },
  {
    id: 'TMP-01',
    file: 'api/scope-orders.ts',
    find: 'last = records.at(-1);',
    replace: 'return;',
    breaks: 'dead letters beyond the first page of scopes are out of reach',
  },
  {
    id: 'TMP-01',
    file: 'providers/sqlite/scopes.ts',
    find: '(layer, scope_id) > (?, ?)',
    replace: '(layer, scope_id) >= (?, ?)',
    breaks: 'a page of scopes begins with the last one of the page before it',
  },
  {
    id: 'SUM-15',
    file: 'api/budget.ts',
    find: 'if (grants.some((each) => each.key === key)) return period;',
    replace: '',
    breaks: 'a grant that is repeated after the turn of a month counts in both months',
  },
  {
    id: 'SUM-15',
    file: 'providers/sqlite/accounts.ts',
    find: 'reserved_at >= ? AND reserved_at < ?',
    replace: '+reserved_at >= ? AND +reserved_at < ?',
    breaks: 'each claim of variants reads the ledger of all months',
  },
  {
    id: 'TOK-06',
    file: 'core/text.ts',
    find: 'return ` ${text}`.slice(1);',
    replace: 'return text;',
    breaks: 'a cache of words keeps the texts that they were cut from',
  },
];
