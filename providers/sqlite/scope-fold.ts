/** What the writes of one transaction do to their scopes, folded into each scope once. */
import type { WriteRules } from '#core/ports/write-rules.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { scopeKey, type Scope } from '#core/scope.ts';
import { applyChange, type ScopeChange } from '#core/scope-change.ts';

import type { Connection } from './connection.ts';
import { scopeOrEmpty, type ScopeTable } from './scope-table.ts';

export interface ScopeFold {
  /** Adds what one write does to its scope; null where the scope does not see it. */
  add(scope: Scope, change: ScopeChange | null): void;
  /** Computes the records; to be called once, after every `add` and before `recordOf`. */
  compute(): void;
  recordOf(scope: Scope): ScopeRecord;
  /** Leaves the records to the end of the transaction; to be called last, for it can't fail. */
  keep(): void;
}

/** To be used within one transaction. All changes happen at `rules.now`, so their order is free. */
export function scopeFold(
  { connection, scopes }: { readonly connection: Connection; readonly scopes: ScopeTable },
  rules: WriteRules,
): ScopeFold {
  const { drafts } = connection;
  const waiting = new Map<string, { readonly scope: Scope; readonly changes: ScopeChange[] }>();
  const records = new Map<string, ScopeRecord>();
  const current = (key: string, scope: Scope): ScopeRecord =>
    drafts.get(key) ?? scopeOrEmpty(scopes, scope);
  return {
    add(scope, change) {
      if (change === null) return;
      const key = scopeKey(scope);
      const known = waiting.get(key);
      if (known === undefined) waiting.set(key, { scope, changes: [change] });
      else known.changes.push(change);
    },
    compute() {
      for (const [key, { scope, changes }] of waiting) {
        records.set(key, applyChange(current(key, scope), sumOf(changes), rules));
      }
    },
    recordOf(scope) {
      const key = scopeKey(scope);
      return records.get(key) ?? current(key, scope);
    },
    keep() {
      for (const [key, record] of records) {
        drafts.put(key, {
          record,
          write: () => {
            scopes.put(record);
          },
        });
      }
    },
  };
}

function sumOf(changes: readonly ScopeChange[]): ScopeChange {
  const [only] = changes;
  if (only !== undefined && changes.length === 1) return only;
  const sum = (count: (change: ScopeChange) => number): number =>
    changes.reduce((total, change) => total + count(change), 0);
  const ends = changes.flatMap(({ expiresAt }) => (expiresAt === null ? [] : [expiresAt]));
  return {
    lanes: changes.flatMap(({ lanes }) => lanes),
    sources: sum(({ sources }) => sources),
    tokens: sum(({ tokens }) => tokens),
    bytes: sum(({ bytes }) => bytes),
    dropped: changes.flatMap(({ dropped }) => dropped),
    expiresAt: ends.length === 0 ? null : Math.min(...ends),
    changes: sum((change) => change.changes ?? 1),
  };
}
