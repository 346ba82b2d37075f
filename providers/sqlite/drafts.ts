/**
 * Scope records that several writes of one transaction change: each is read once and written once,
 * at the end. Thirty writers of one scope would else read and write its record thirty times.
 */
import type { ScopeRecord } from '#core/records/scope-record.ts';

export interface Draft {
  readonly record: ScopeRecord;
  readonly write: () => void;
}

/** Bounded by the writes of one transaction. */
export interface Drafts {
  /** The record as the transaction left it, by its scope's key; null where its table has it. */
  get(key: string): ScopeRecord | null;
  put(key: string, draft: Draft): void;
  write(): void;
  /** For a transaction that was rolled back. */
  forget(): void;
}

export function createDrafts(): Drafts {
  const drafts = new Map<string, Draft>();
  return {
    get: (key) => drafts.get(key)?.record ?? null,
    put(key, draft) {
      drafts.set(key, draft);
    },
    write() {
      for (const draft of drafts.values()) draft.write();
      drafts.clear();
    },
    forget() {
      drafts.clear();
    },
  };
}
