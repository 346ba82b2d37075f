/** Erasures: what goes with one, taking it, and the chain of receipts. */
import type {
  ErasedIds,
  ErasureEntry,
  ErasureHead,
  ErasureLedger,
  ErasureReceipt,
  ErasureTarget,
  FileTraces,
  PendingErasure,
} from '../records/erasure.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Layer } from '../layer.ts';
import type { WriteRules } from './write-rules.ts';

/** An erasure of less than a tenant. */
export type PartTarget = Exclude<ErasureTarget, { readonly kind: 'Tenant' }>;

export interface ErasurePass {
  /** What was there; empty where nothing was, and then nothing was done. */
  readonly found: ErasedIds;
  /** Scopes of others that lost sources, and have to be summarized again. */
  readonly scopes: readonly ScopeRecord[];
}

export interface ErasureRecords {
  /** Names what an erasure would take now; the store is read through. */
  find(tenant: string, target: PartTarget): Promise<ErasedIds>;
  /**
   * Deletes what was found, for good. A write that is under way may bring some of it back, so
   * callers repeat this until nothing is found. Repeatable after a crash at any point.
   */
  remove(
    tenant: string,
    target: PartTarget,
    taking: {
      readonly rules: (layer: Layer) => WriteRules;
      /** Called before any of it is taken; false where it is not to be taken any more. */
      readonly foundFirst: (found: ErasedIds) => Promise<boolean>;
    },
  ): Promise<ErasurePass>;
  /** Memories, sessions or users that records of the tenant name, each at least once. */
  candidates(tenant: string, kind: PartTarget['kind']): AsyncIterable<string>;
  /** How many receipts there are, the hash of the last, and what is not done. */
  ledger(tenant: string): Promise<ErasureLedger>;
  /** Of all tenants: those with an erasure asked for by then and not done, the oldest first. */
  unfinished(query: {
    readonly before: number;
    readonly limit: number;
  }): Promise<readonly ErasureLedger[]>;
  /**
   * Writes down an erasure before it begins.
   * @throws VarveError CONFLICT beyond `PENDING_ERASURES_MAX`
   */
  note(tenant: string, pending: PendingErasure): Promise<void>;
  /** Notes what became of a pending erasure; false where it has ended. */
  advance(
    tenant: string,
    id: string,
    change: (before: PendingErasure) => PendingErasure,
  ): Promise<boolean>;
  /** Ends a pending erasure with the next receipt; null where it has ended before. */
  finish(
    tenant: string,
    id: string,
    ending: { readonly erasedAt: number; readonly files: FileTraces },
  ): Promise<ErasureReceipt | null>;
  /** In their order, a page after one. */
  receipts(
    tenant: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly ErasureReceipt[]>;
  /** How far the store has come; null before anybody said so. */
  head(): Promise<ErasureHead | null>;
  /** Answers what `move` makes of it. */
  moveHead(move: (head: ErasureHead | null) => ErasureHead): Promise<ErasureHead>;
}

// A ledger of erasures that no backup of the database has.

export interface ErasureJournal {
  /** The one with the highest number; null where there is none. */
  last(): Promise<ErasureEntry | null>;
  /** By their numbers, those above one. */
  after(number: number): AsyncIterable<ErasureEntry>;
  /** Durable once it resolves. Repeatable. */
  write(entry: ErasureEntry): Promise<void>;
}
