/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  MemoryEraseFile,
  MemoryEraseOf,
} from './shared.generated.ts';

export interface ErasureListInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** `nextAfter` of the previous page. @default 0 */
  readonly after?: number | null | undefined;
  /** @default 20 */
  readonly limit?: number | undefined;
}

export interface ErasureListErased {
  readonly kind:
    | 'Memory'
    | 'Turn'
    | 'Session'
    | 'User'
    | 'Document'
    | 'Line'
    | 'Proposal'
    | 'ApiKey'
    | 'Call'
    | 'AuditEntry'
    | 'Record';
  readonly count: number;
  /**
   * The first 32 digits of SHA-256 over `id` of the receipt, `kind` and the erased id, with a line
   * feed between them.
   */
  readonly fingerprints: string[];
}

export interface ErasureListReceipt {
  /** Number of the receipt, from 1 and without gaps. */
  readonly sequence: number;
  readonly id: string;
  readonly of: MemoryEraseOf;
  /**
   * Who requested it: `local`, `mcp`, `key:<name>`, `jwt:<sub>` or `account:<namespace>/<name>`.
   */
  readonly by: string;
  /**
   * The receipt of the erasure that a restore had undone and that this one repeats; otherwise null.
   */
  readonly again: string | null;
  /** Milliseconds since the epoch. */
  readonly requestedAt: number;
  /** Milliseconds since the epoch. */
  readonly erasedAt: number;
  readonly erased: ErasureListErased[];
  /** What the files of the database may still contain. */
  readonly files: MemoryEraseFile;
  /** `hash` of the previous receipt. */
  readonly previousHash: string;
  /** SHA-256 over the whole receipt with `previousHash`. */
  readonly hash: string;
}

export interface ErasureListPending {
  readonly id: string;
  readonly of: MemoryEraseOf;
  readonly by: string;
  readonly requestedAt: number;
}

export interface ErasureListOutput {
  /** Oldest first. */
  readonly receipts: ErasureListReceipt[];
  /** The first receipt of the page that was changed or is missing; null if none is. */
  readonly brokenAt: number | null;
  /** Unfinished erasures; repeating the call continues one. */
  readonly pending: ErasureListPending[];
  /** Null on the last page. */
  readonly nextAfter: number | null;
}

export interface ErasureReapplyErased {
  readonly kind:
    | 'Memory'
    | 'Turn'
    | 'Session'
    | 'User'
    | 'Document'
    | 'Line'
    | 'Proposal'
    | 'ApiKey'
    | 'Call'
    | 'AuditEntry'
    | 'Record';
  readonly count: number;
  readonly fingerprints: readonly string[];
}

export interface ErasureReapplyFile {
  readonly engine: 'sqlite' | 'mongodb';
  readonly rewritten: boolean;
  readonly remains: readonly ('FreedBlocks' | 'Journal' | 'Oplog')[];
}

export interface ErasureReapplyReceipt {
  readonly sequence: number;
  readonly id: string;
  readonly of: MemoryEraseOf;
  readonly by: string;
  readonly again: string | null;
  readonly requestedAt: number;
  readonly erasedAt: number;
  readonly erased: readonly ErasureReapplyErased[];
  readonly files: ErasureReapplyFile;
  readonly previousHash: string;
  readonly hash: string;
}

export interface ErasureReapplyInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** The receipts that `erasure.list` returned before the restore, in their order. */
  readonly receipts: readonly ErasureReapplyReceipt[];
  /** Only reports what would be erased. @default false */
  readonly dryRun?: boolean | undefined;
}

export interface ErasureReapplyOutcome {
  /** Id of the receipt. */
  readonly id: string;
  /**
   * `Known`: the restored data includes the erasure, or it was repeated before. `Absent`: there is
   * no data to erase. `Present`: there is such data, and `dryRun` left it.
   */
  readonly outcome: 'Known' | 'Absent' | 'Present' | 'Erased';
}

export interface ErasureReapplyOutput {
  readonly outcomes: ErasureReapplyOutcome[];
}

/** Calls of `erasure`. */
export interface ErasureCalls {
  /** Lists the receipts of erasures, and says whether their chain of hashes is intact. */
  readonly list: (input: ErasureListInput) => Promise<ErasureListOutput>;
  /**
   * Erases again what a restored backup brought back, using receipts that were stored outside the
   * database. Receipts contain no names: Varve compares every name of the tenant with them. Call it
   * before any caller writes; a second call does nothing.
   */
  readonly reapply: (input: ErasureReapplyInput) => Promise<ErasureReapplyOutput>;
}
