import { describe, expect, it } from 'vitest';

import type { Scope } from '#core/scope.ts';
import type { Filter } from '#core/search/filter.ts';
import type { ScopeQuery } from '#core/search/scope-search.ts';
import type { Connection } from '#providers/sqlite/connection.ts';
import { createClosingFlag, raiseClosing } from '#providers/sqlite/search/thread-messages.ts';
import { countEntries } from '#providers/sqlite/search/entry-rows.ts';
import { IndexCache } from '#providers/sqlite/search/index-cache.ts';
import { listedIds } from '#providers/sqlite/search/memory-list.ts';
import { scanScope } from '#providers/sqlite/search/answer-call.ts';
import { connectForSearch } from '#providers/sqlite/search/search-thread-program.ts';
import { byVector, byWords, conditionsOf, GENERATION } from '#test/conformance/search-samples.ts';
import { sessionScope, userScope } from '#test/conformance/samples.ts';

import { openFile, writeMany } from './search-fixture.ts';

const COUNT = 3;
const ROOM = 1_000_000;
/** Nothing is handed on of a list that no memory meets: only the filter sees its rows. */
const MET_BY_NONE = { field: 'topic', eq: 'tea' } as const;
const LIST = { order: 'oldest', after: null, limit: 10 } as const;

type Read = (connection: Connection, scope: Scope) => unknown;

function listed(filter: Filter | null): Read {
  return (connection, scope) =>
    listedIds(connection, scope.tenant, {
      ...LIST,
      scopes: [scope],
      conditions: conditionsOf({ filter }),
    });
}

function scanned(query: ScopeQuery): Read {
  return (connection, scope) => scanScope(connection, { scope, query });
}

const READINGS: readonly [name: string, scope: Scope, read: Read][] = [
  [
    'an index',
    userScope('acme'),
    (connection, scope) => new IndexCache(connection, ROOM).indexOf(scope),
  ],
  ['a scan', userScope('acme'), scanned(byVector([1, 0]))],
  ['a count of terms', userScope('acme'), scanned(byWords('tea'))],
  ['the scan of a session', sessionScope('acme'), scanned(byVector([1, 0]))],
  ['a list', userScope('acme'), listed(null)],
  ['a list with a filter', userScope('acme'), listed(MET_BY_NONE)],
];

describe('a read in a thread that is about to end', () => {
  it.each(READINGS)('of %s is CANCELLED and leaves no transaction', async (_, scope, read) => {
    await using opened = await openFile();
    await writeMany(opened.connection, { scope, count: COUNT, generation: GENERATION });
    const closing = createClosingFlag();
    const connection = connectForSearch({ file: opened.file, busyTimeoutMs: 10_000, closing });
    await connection.read(() => read(connection, scope));
    raiseClosing(closing);
    await expect(connection.read(() => read(connection, scope))).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(await connection.read(() => countEntries(connection, scope))).toBe(COUNT);
    connection.close();
    expect(connection.isOpen).toBe(false);
  });
});
