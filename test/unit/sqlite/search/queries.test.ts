import { describe, expect, it } from 'vitest';

import { ENTRY_STATEMENTS } from '#providers/sqlite/search/entry-rows.ts';
import { LIST_STATEMENTS } from '#providers/sqlite/search/memory-list.ts';
import { KEPT_STATEMENTS } from '#providers/sqlite/search/kept-index.ts';
import { TOUCH_STATEMENTS } from '#providers/sqlite/search/index-cache.ts';

import { openFile } from './search-fixture.ts';

const STATEMENTS = [
  ...ENTRY_STATEMENTS,
  ...LIST_STATEMENTS,
  ...TOUCH_STATEMENTS,
  ...KEPT_STATEMENTS,
];

/** What a statement was given, or has found already. */
const IN_MEMORY = /VIRTUAL TABLE|SCAN \(subquery/u;

describe('the statements of search threads', () => {
  it.each(STATEMENTS)('every access to a table begins with the tenant (%#)', async (sql) => {
    await using opened = await openFile();
    const plan = opened.connection.all(`EXPLAIN QUERY PLAN ${withoutFunction(sql)}`);
    const accesses = plan
      .map((row) => String(row['detail']))
      .filter((detail) => /^(?:SCAN|SEARCH)/u.test(detail) && !IN_MEMORY.test(detail));
    expect(accesses).not.toEqual([]);
    const ofScope = /\(tenant=\? AND (?:place=\?|(?:generation=\? AND )?layer=\? AND scope_id=\?)/u;
    expect(accesses.filter((access) => !ofScope.test(access))).toEqual([]);
  });
});

/** The function of filters is known to the threads' own connections only. */
function withoutFunction(sql: string): string {
  return sql.replace('varve_matches(', 'max(');
}
