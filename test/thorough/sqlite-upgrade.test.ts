import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';

import { openAccount } from '#core/budget.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { Store } from '#core/ports/store.ts';
import { ACCOUNT_DEFAULTS } from '#core/records/account.ts';
import { POLICY_RECORD_DEFAULTS, PolicyRecord } from '#core/records/policy-record.ts';
import type { Memory } from '#core/records/memory.ts';
import { emptyScopeRecord, SCOPE_RECORD_DEFAULTS } from '#core/records/scope-record.ts';
import type { Turn } from '#core/records/turn.ts';
import type { Scope } from '#core/scope.ts';
import { utf8Bytes } from '#core/text.ts';
import { INITIAL } from '#providers/sqlite/migrations/0001-initial.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import {
  idOf,
  memoryOf,
  newContent,
  NOW,
  ownerOf,
  policyOf,
  rulesAt,
  sessionScope,
  turnOf,
  userScope,
} from '#test/conformance/samples.ts';
import { byVector, byWords, conditionsOf, found } from '#test/conformance/search-samples.ts';
import { OPENING, temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

/** "VARV" */
const APPLICATION_ID = 0x56_41_52_56;
const BUDGET = { limitTokens: 9, limitMicroDollars: null, onExhausted: 'Reject' } as const;
const SCOPE = userScope('acme');
const SESSION = sessionScope('acme');
/** More than are analysed in one transaction. */
const MANY = 450;

type Row = Readonly<Record<string, string | number | Uint8Array | null>>;

function insert(database: DatabaseSync, table: string, row: Row): void {
  const columns = Object.keys(row);
  const places = columns.map(() => '?').join(', ');
  const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`;
  database.prepare(sql).run(...Object.values(row));
}

/** A memory as the first schema kept it. */
function insertMemory(database: DatabaseSync, memory: Memory): void {
  const { content, tags, metadata, origin, trust, supersededBy, vector } = memory;
  insert(database, 'memories', {
    tenant: memory.tenant,
    id: memory.id,
    layer: memory.layer,
    scope_id: memory.scopeId,
    kind: memory.kind,
    key: memory.key,
    state: memory.state,
    content_hash: memory.contentHash,
    valid_from: memory.validFrom,
    valid_to: memory.validTo,
    expires_at: memory.expiresAt,
    ends_at: memory.expiresAt,
    counted: memory.state === 'active' ? 1 : 0,
    version: memory.version,
    created_at: memory.createdAt,
    updated_at: memory.updatedAt,
    token_count: memory.tokenCount,
    embedding_generation: memory.embeddingGeneration,
    record: JSON.stringify({ content, tags, metadata, origin, trust, supersededBy }),
  });
  if (vector === null) return;
  insert(database, 'memory_vectors', {
    tenant: memory.tenant,
    generation: memory.embeddingGeneration,
    layer: memory.layer,
    scope_id: memory.scopeId,
    memory_id: memory.id,
    vector: new Uint8Array(new Float32Array(vector).buffer),
  });
}

function insertTurn(database: DatabaseSync, turn: Turn): void {
  const { role, speaker, content, trust, toolCalls, quotes } = turn;
  insert(database, 'turns', {
    tenant: turn.tenant,
    session_id: turn.sessionId,
    sequence: turn.sequence,
    id: turn.id,
    content_hash: turn.contentHash,
    at: turn.at,
    token_count: turn.tokenCount,
    flush_id: turn.flushId,
    compacted_at: turn.compactedAt,
    record: JSON.stringify({ role, speaker, content, trust, toolCalls, quotes }),
  });
}

function insertScope(database: DatabaseSync, scope: Scope, sourceCount: number): void {
  const { hold, recipeHash, ...known } = emptyScopeRecord(scope);
  expect({ hold, recipeHash }).toEqual(SCOPE_RECORD_DEFAULTS);
  const { tenant, layer, scopeId, version, sourceTokens, sourceHash, sourceBytes, ...rest } = known;
  expect(sourceBytes).toBe(0);
  insert(database, 'scopes', {
    tenant,
    layer,
    scope_id: scopeId,
    version,
    source_count: sourceCount,
    source_tokens: sourceTokens,
    source_hash: sourceHash,
    changes: rest.changes,
    due_at: null,
    urgent: 0,
    record: JSON.stringify(rest),
  });
}

const EMBEDDED = { embeddingGeneration: 'hash-1', vector: [0.5, 0.25] };
const MEMORIES = [
  memoryOf('acme', 1, { content: 'Tea with lemon in the garden, 3 €.', key: 'tea', ...EMBEDDED }),
  memoryOf('acme', 2, { content: 'Coffee, formerly.', state: 'superseded' }),
  memoryOf('acme', 3, { ...SESSION, content: 'Said in the call: 🌱.' }),
  memoryOf('bravo', 1, { content: 'Tea of another tenant.' }),
];
const TURN: Turn = { ...turnOf('acme', 1, { content: 'Grüße.' }), sequence: 1 };

/** A file as version 0.1.0 left it, with what `fill` inserts. */
function makeOldFile(file: string, fill: (database: DatabaseSync) => void): void {
  using database = new DatabaseSync(file);
  database.exec(`PRAGMA application_id = ${APPLICATION_ID}; BEGIN; ${INITIAL}`);
  database.exec('INSERT INTO schema_version VALUES (1, 0)');
  fill(database);
  database.exec('COMMIT');
}

function fillOld(database: DatabaseSync): void {
  for (const memory of MEMORIES) insertMemory(database, memory);
  insertTurn(database, TURN);
  insertScope(database, SCOPE, 1);
  insertScope(database, SESSION, 2);
  insertScope(database, userScope('bravo'), 1);
}

async function withOldFile(
  fill: (database: DatabaseSync) => void,
  use: (file: string) => Promise<void>,
): Promise<void> {
  await using temporary = await temporaryFolder();
  const file = path.join(temporary.folder, 'varve.db');
  makeOldFile(file, fill);
  await use(file);
}

function contentBytes(...numbers: number[]): number {
  const contents = numbers.map((n) => MEMORIES[n - 1]?.content ?? '');
  return contents.reduce((sum, content) => sum + utf8Bytes(content), 0);
}

async function idsFound(store: Store, query: string): Promise<number> {
  const found = await store.memories.search(SCOPE, byWords(query, { limit: MANY }));
  return found.candidates.length;
}

describe('a file of the first schema', () => {
  it('SCHEMA-7: keeps every memory, and finds each by its words and vector', () =>
    withOldFile(fillOld, async (file) => {
      await using store = await openSqliteStore({ file, ...OPENING });
      for (const memory of MEMORIES) {
        expect(await store.memories.get(memory.tenant, memory.id)).toEqual(memory);
      }
      expect(await found(store, SCOPE, byWords('lemon tea'))).toEqual([idOf(1)]);
      expect(await found(store, SCOPE, byVector([0.5, 0.25]))).toEqual([idOf(1)]);
      const conditions = { latestOnly: false };
      expect(await found(store, SCOPE, byWords('coffee', { conditions }))).toEqual([idOf(2)]);
      expect(await found(store, SESSION, byWords('call'))).toEqual([idOf(3)]);
      const query = { order: 'oldest', after: null, limit: 10 } as const;
      const scopes = [SCOPE, SESSION];
      const page = await store.memories.list('acme', {
        ...query,
        scopes,
        conditions: conditionsOf(),
      });
      expect(page).toMatchObject({ total: 2, more: false });
      expect(await store.health()).toMatchObject({ ok: true, findings: [] });
    }));

  it('SCHEMA-7: reads scopes and accounts without the fields that came later', () =>
    withOldFile(
      (database) => {
        fillOld(database);
        const opened = openAccount('acme', '2026-11', BUDGET);
        const { tenant, period, limitTokens, limitMicroDollars, version, ...known } = opened;
        const { grants, policyGeneration, ...rest } = known;
        expect({ grants, policyGeneration }).toEqual(ACCOUNT_DEFAULTS);
        insert(database, 'accounts', {
          tenant,
          period,
          limit_tokens: limitTokens,
          limit_micro_dollars: limitMicroDollars,
          version,
          record: JSON.stringify(rest),
        });
      },
      async (file) => {
        await using store = await openSqliteStore({ file, ...OPENING });
        expect(await store.scopes.get(SCOPE)).toMatchObject(SCOPE_RECORD_DEFAULTS);
        await store.memories.add(memoryOf('acme', 7), rulesAt(NOW));
        expect(await store.scopes.get(SCOPE)).toMatchObject({ hold: null, changes: 1 });
        const account = await store.accounts.get('acme', '2026-11', BUDGET);
        expect(account).toEqual(openAccount('acme', '2026-11', BUDGET));
      },
    ));

  it('SCHEMA-7: a policy of before has no leader and an owner, who may write it and let it go', () =>
    withOldFile(
      (database) => {
        fillOld(database);
        const [owner, policy] = [ownerOf('a'), policyOf('acme')];
        insert(database, 'policies', {
          tenant: 'acme',
          generation: 3,
          hash: 'hash-3',
          applied_at: NOW,
          record: JSON.stringify({ owner, policy }),
        });
      },
      async (file) => {
        await using store = await openSqliteStore({ file, ...OPENING });
        const before = await store.policies.get('acme');
        expect(before).toMatchObject({ ...POLICY_RECORD_DEFAULTS, generation: 3 });
        expect(PolicyRecord.parse(before)).toEqual(before);
        const next = { hash: 'hash-4', now: NOW, epoch: 2, expectedGeneration: 3 };
        const put = await store.policies.put(ownerOf('a'), policyOf('acme', 5), next);
        expect(put).toMatchObject({ kind: 'Applied', record: { generation: 4, epoch: 2 } });
        const released = await store.policies.release('acme', ownerOf('a'), { now: NOW, epoch: 2 });
        expect(released).toMatchObject({ kind: 'Released', record: { releasedAt: NOW } });
      },
    ));

  it('SCHEMA-7: knows the bytes of each scope, of what is live and of turns', () =>
    withOldFile(fillOld, async (file) => {
      await using store = await openSqliteStore({ file, ...OPENING });
      const ofSession = contentBytes(3) + utf8Bytes(TURN.content);
      expect(await store.scopes.get(SCOPE)).toMatchObject({ sourceBytes: contentBytes(1) });
      expect(await store.scopes.get(SESSION)).toMatchObject({ sourceBytes: ofSession });
      expect(await store.storageSizes(10)).toEqual([
        { tenant: 'acme', layer: 'session', bytes: ofSession, sources: 2 },
        { tenant: 'acme', layer: 'user', bytes: contentBytes(1), sources: 1 },
        { tenant: 'bravo', layer: 'user', bytes: contentBytes(4), sources: 1 },
      ]);
    }));

  it('SCHEMA-7: is written on like any other, and its vectors are known by content', () =>
    withOldFile(fillOld, async (file) => {
      await using store = await openSqliteStore({ file, ...OPENING });
      const [tea] = MEMORIES;
      const contentHashes = [tea?.contentHash ?? ''];
      const query = { generation: 'hash-1', contentHashes };
      const cached = await store.embeddings.cached('acme', query);
      expect([...cached.values()]).toEqual([[0.5, 0.25]]);
      const key = { tenant: 'acme', id: idOf(1) };
      await store.memories.update(key, { content: newContent('Cocoa.') }, rulesAt(NOW));
      expect(await found(store, SCOPE, byWords('lemon'))).toEqual([]);
      expect(await found(store, SCOPE, byWords('cocoa'))).toEqual([idOf(1)]);
      const [change] = await store.memories.history(key, { beforeVersion: null, limit: 9 });
      expect(change).toMatchObject({ action: 'Updated', before: { content: tea?.content } });
      const bytes = { sourceBytes: utf8Bytes('Cocoa.') };
      expect(await store.scopes.get(SCOPE)).toMatchObject(bytes);
      expect([...(await store.embeddings.cached('acme', query)).values()]).toEqual([[0.5, 0.25]]);
    }));

  const manyMemories = (database: DatabaseSync): void => {
    for (let n = 0; n < MANY; n += 1) insertMemory(database, memoryOf('acme', n));
  };

  it('SCHEMA-8: is analysed in chunks, and goes on where a process died', () =>
    withOldFile(manyMemories, async (file) => {
      let commits = 0;
      const faults = {
        beforeStatement: () => undefined,
        afterCommit() {
          commits += 1;
          // The first is the migration's, the second that of the first chunk.
          if (commits > 1) throw new Error('The process died here.');
        },
      };
      await expect(openSqliteStore({ file, ...OPENING, faults })).rejects.toThrow('died here');
      await using store = await openSqliteStore({ file, ...OPENING });
      expect(commits).toBe(2);
      expect(await idsFound(store, 'garden')).toBe(MANY);
    }));

  it('SCHEMA-8: what another analyzer wrote is analysed anew, once', () =>
    withOldFile(manyMemories, async (file) => {
      const terms = OPENING.analyzer.terms('garden');
      {
        await using store = await openSqliteStore({ file, ...OPENING });
        expect(await idsFound(store, 'garden')).toBe(MANY);
      }
      let analysed = 0;
      const analyzer: TextAnalyzer = {
        revision: 'another',
        terms() {
          analysed += 1;
          return terms;
        },
      };
      for (const expected of [MANY, 0]) {
        analysed = 0;
        await using store = await openSqliteStore({ file, ...OPENING, analyzer });
        expect(analysed).toBe(expected);
        expect(await idsFound(store, 'garden')).toBe(MANY);
      }
    }));
});
