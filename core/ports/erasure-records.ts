/** Erasures: what an erasure deletes, how it runs, and the chain of receipts. */
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
import type { WriteRules } from './write-rules-and-outcomes.ts';

/** The target of an erasure that is smaller than a tenant. */
export type PartTarget = Exclude<ErasureTarget, { readonly kind: 'Tenant' }>;

interface ErasurePass {
  /** What was there; empty if nothing was, in which case nothing was done. */
  readonly found: ErasedIds;
  /** Scopes of others that lost sources and must be summarized again. */
  readonly scopes: readonly ScopeRecord[];
}

export interface ErasureRecords {
  /** Returns what an erasure would delete now; reads the whole store. */
  find(tenant: string, target: PartTarget): Promise<ErasedIds>;
  /**
   * Deletes what was found, for good. A concurrent write may bring some of it back, so callers
   * repeat this until nothing is found. Can be repeated after a crash at any point.
   */
  remove(
    tenant: string,
    target: PartTarget,
    taking: {
      readonly rules: (layer: Layer) => WriteRules;
      /** Called before anything is deleted; false cancels the deletion. */
      readonly foundFirst: (found: ErasedIds) => Promise<boolean>;
    },
  ): Promise<ErasurePass>;
  /** Yields the targets of a kind that the tenant's records name, each at least once. */
  candidates(tenant: string, kind: PartTarget['kind']): AsyncIterable<PartTarget>;
  /** Returns the number of receipts, the hash of the last one, and pending erasures. */
  ledger(tenant: string): Promise<ErasureLedger>;
  /** Lists tenants with a pending erasure that was requested by then, oldest first. */
  unfinished(query: {
    readonly before: number;
    readonly limit: number;
  }): Promise<readonly ErasureLedger[]>;
  /**
   * Records an erasure before it begins.
   * @throws VarveError CONFLICT beyond `PENDING_ERASURES_MAX`
   */
  note(tenant: string, pending: PendingErasure): Promise<void>;
  /** Records the progress of a pending erasure; false if it has ended. */
  advance(
    tenant: string,
    id: string,
    change: (before: PendingErasure) => PendingErasure,
  ): Promise<boolean>;
  /** Ends a pending erasure with the next receipt; null if it ended before. */
  finish(
    tenant: string,
    id: string,
    ending: { readonly erasedAt: number; readonly files: FileTraces },
  ): Promise<ErasureReceipt | null>;
  /** In order, the page after a given receipt. */
  receipts(
    tenant: string,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly ErasureReceipt[]>;
  /** Returns the progress of the store; null before it is first recorded. */
  head(): Promise<ErasureHead | null>;
  /** Writes and returns what `move` makes of the head. */
  moveHead(move: (head: ErasureHead | null) => ErasureHead): Promise<ErasureHead>;
}

// A ledger of erasures outside the database, and in none of its backups.

export interface OutsideLedger {
  /** Returns the entry with the highest number; null if there is none. */
  last(): Promise<ErasureEntry | null>;
  /** Yields the entries above a number, in order. */
  after(number: number): AsyncIterable<ErasureEntry>;
  /** The entry is durable once this resolves. Can be repeated. */
  write(entry: ErasureEntry): Promise<void>;
}
