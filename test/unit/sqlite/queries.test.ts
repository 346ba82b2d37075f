import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';

import { periodOf } from '#core/budget/budget-account.ts';
import { MATCHES, matcher } from '#providers/sqlite/search/memory-list.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { changeAll, everything, fill } from '#test/conformance/isolation-suite.ts';
import { NOW } from '#test/conformance/samples.ts';
import { OPENING, temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

/** The questions of an installation: whose turn is it, who is there, and how much is kept. */
const OVER_ALL_TENANTS = new RegExp(
  [
    'AND open_since (?:IS NOT NULL|<= \\?)',
    'record IS NOT NULL AND tenant > \\? ORDER BY tenant LIMIT',
    'SELECT version, |by, version',
    'tenant > \\?\\s+ORDER BY tenant',
    'record IS NOT NULL AND look_at <= ',
    'record IS NOT NULL AND due_at <= ',
    'record IS NOT NULL AND released_at >= ',
    'record IS NOT NULL AND pending_at < ',
    'record IS NOT NULL AND cluster = ',
    'tenant NOT IN .*open_since',
    'FROM scopes WHERE record IS NOT NULL (?:AND \\(tenant, layer, scope_id\\) > |ORDER BY)',
    // Of the installation: what fences off a cluster's earlier leaders, and what was erased last.
    'policy_fences',
    'FROM (?:touches|indexes)_erased',
  ].join('|'),
);

/** Values of one JSON parameter, or the rows of an inner query, which is looked at itself. */
const IS_NO_TABLE = /^SCAN (?:.*VIRTUAL TABLE|\(subquery-\d+\))/;

interface Step {
  readonly sql: string;
  /** SQLite's word for one access to a table, e.g. `SEARCH turns USING INDEX … (tenant=?)`. */
  readonly access: string;
}

/** Every statement that a store runs for one tenant, and how SQLite finds its rows. */
async function accesses(): Promise<readonly Step[]> {
  await using temporary = await temporaryFolder();
  const file = path.join(temporary.folder, 'varve.db');
  const statements = new Set<string>();
  const faults = {
    beforeStatement: (sql: string) => void statements.add(sql),
    afterCommit: () => undefined,
  };
  {
    await using store = await openSqliteStore({ file, ...OPENING, faults });
    statements.clear();
    await fill(store, 'acme');
    await everything(store, 'acme');
    await changeAll(store, 'acme');
    await store.scopes.list('acme', 10, { layer: 'agent', scopeId: 'a' });
    await store.policies.list(10);
    await store.scopes.dueTenants({ now: NOW, limit: 10 });
    await store.accounts.unsettled({ before: NOW, limit: 10 });
    await store.accounts.used('acme', { period: periodOf(NOW), purpose: 'variant' });
  }
  using database = new DatabaseSync(file, { readOnly: true });
  database.function(
    MATCHES,
    matcher(() => {}),
  );
  const asked = [...statements].filter((sql) => /\b(FROM|UPDATE)\b/.test(sql));
  return asked.flatMap((sql) =>
    database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => ({ sql, access: String(row['detail']) }))
      .filter(({ access }) => /^(SCAN|SEARCH)/.test(access) && !IS_NO_TABLE.test(access)),
  );
}

describe('the queue of tenants', () => {
  it('a tenant that requests a refresh again keeps its place until the acknowledgment', async () => {
    await using temporary = await temporaryFolder();
    let now = NOW;
    const platform = { ...OPENING.platform, clock: () => now };
    const file = path.join(temporary.folder, 'varve.db');
    await using store = await openSqliteStore({ file, ...OPENING, platform });
    for (const tenant of ['first', 'second', 'first']) {
      await store.refreshRequests.want(tenant);
      now += 1;
    }
    const query = { now, limit: 10 };
    expect(await store.scopes.dueTenants(query)).toEqual(['first', 'second']);
    await store.refreshRequests.acknowledge('first', 2);
    await store.refreshRequests.want('first');
    expect(await store.scopes.dueTenants(query)).toEqual(['second', 'first']);
  });
});

describe('queries', () => {
  let steps: readonly Step[] = [];
  beforeAll(async () => {
    steps = await accesses();
  });

  it('every access to a table begins with the tenant', () => {
    expect(steps.length).toBeGreaterThan(25);
    const ofTenant = steps.filter(({ sql }) => !OVER_ALL_TENANTS.test(sql));
    expect(ofTenant.filter(({ access }) => !access.includes('(tenant=?'))).toEqual([]);
  });

  it('the sum of a purpose in a month reads no other month', () => {
    const ofLedger = steps.filter(({ sql }) => sql.includes('AND purpose = ?'));
    expect(ofLedger.map(({ access }) => access)).toEqual([
      expect.stringMatching(/ledger_by_purpose \(tenant=\? AND purpose=\? AND period=\?/),
    ]);
  });

  it('a page of scopes begins where the previous one ended', () => {
    const ofScopes = steps.filter(({ sql }) => sql.includes('AND (layer, scope_id) > '));
    expect(ofScopes.map(({ access }) => access)).toEqual([
      expect.stringContaining('(tenant=? AND (layer,scope_id)>(?,?))'),
    ]);
  });

  it('STORE-19: due scopes are found through an index, for one tenant and for all', () => {
    const found = steps.map(({ access }) => access);
    expect(found).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/scopes_by_due \(tenant=\? AND urgent=\? AND look_at<\?\)/),
        expect.stringMatching(/scopes_by_due_of_all \(look_at>\? AND look_at<\?\)/),
        expect.stringMatching(/refresh_requests .*INDEX refresh_requests_by_open/),
        expect.stringMatching(/ledger_by_open \(open_since<\?\)/),
      ]),
    );
  });

  it('STORE-19: the records of a claim or a batch are found through their own index', () => {
    const found = steps.map(({ access }) => access);
    for (const index of ['answers_by_batch', 'scopes_by_claim', 'scopes_by_batch']) {
      expect(found).toContainEqual(expect.stringContaining(index));
    }
  });

  it.each([
    [
      'the schedules that are due, of all tenants',
      /FROM dream_schedules WHERE .*due_at <= /u,
      /dream_schedules_by_due \(due_at<\?\)/,
    ],
    [
      'the approved proposals of all tenants',
      /FROM proposals WHERE .*pending_at < /u,
      /proposals_by_pending \(pending_at<\?\)/,
    ],
    [
      'subjects with something new',
      /FROM subjects WHERE .*has_new = \?/u,
      /subjects_by_new \(tenant=\? AND has_new=\? AND subject>\?\)/,
    ],
    [
      'subjects of one kind',
      /FROM subjects WHERE .* subject < \?/u,
      /\(tenant=\? AND subject>\? AND subject<\?\)/,
    ],
    [
      'proposals of a subject',
      /FROM proposals WHERE .* subject = \?/u,
      /proposals_by_subject \(tenant=\? AND subject=\?/,
    ],
    [
      'proposals in a state',
      /FROM proposals WHERE .*state = \?/u,
      /proposals_by_state \(tenant=\? AND state=\?/,
    ],
    [
      'the reviews of a memory',
      /FROM reviews .*source_id = \?/u,
      /reviews_by_source \(tenant=\? AND source_id=\?/,
    ],
    [
      'reviews in a state',
      /FROM reviews WHERE .*state = \?/u,
      /reviews_by_state \(tenant=\? AND state=\?/,
    ],
    [
      'the files of a subject',
      /FROM documents WHERE .*path > \?/u,
      /documents USING INDEX .*\(tenant=\? AND subject=\? AND path>\?\)/,
    ],
  ])('%s are found through an index', (_, sql, access) => {
    const asked = steps.filter((step) => sql.test(step.sql));
    expect(asked.map((step) => step.access)).toEqual([expect.stringMatching(access)]);
  });
});
