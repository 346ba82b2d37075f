/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  Identifiers,
  Layer,
} from './shared.generated.ts';

export interface KeyCreateInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** The name of the key. Records that the key writes show it as `key:<name>`. */
  readonly name: string;
  /**
   * What the key may do; each role includes those before it. operate: budgets, dreams, reviews,
   * dead letters; admin: grants, keys.
   */
  readonly role: 'read' | 'write' | 'operate' | 'admin';
  /**
   * The only identifiers that the key may name, such as one user; empty for all of the tenant.
   * @default {}
   */
  readonly identifiers?: Identifiers | undefined;
  /** If omitted, all. */
  readonly layers?: readonly Layer[] | undefined;
  /** When the key expires; by default, never. */
  readonly expiresAt?: number | string | undefined;
}

export interface KeyCreateOutput {
  readonly id: string;
  readonly name: string;
  readonly role: 'read' | 'write' | 'operate' | 'admin';
  readonly identifiers: Identifiers;
  /** Null for all layers. */
  readonly layers: Layer[] | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly createdBy: string;
  readonly expiresAt: number | null;
  readonly hasExpired: boolean;
  /** The bearer token for callers. Varve shows it only this once. */
  readonly key: string;
}

export interface KeyListInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
}

export interface KeyListKey {
  readonly id: string;
  readonly name: string;
  readonly role: 'read' | 'write' | 'operate' | 'admin';
  readonly identifiers: Identifiers;
  /** Null for all layers. */
  readonly layers: Layer[] | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly createdBy: string;
  readonly expiresAt: number | null;
  readonly hasExpired: boolean;
}

export interface KeyListOutput {
  /** Oldest first. */
  readonly keys: KeyListKey[];
}

export interface KeyRevokeInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Id of the key, as in the list. */
  readonly id: string;
}

export interface KeyRevokeOutput {
  readonly revoked: true;
}

/** Calls of `key`. */
export interface KeyCalls {
  /** Creates an API key of a tenant. Varve stores only a hash of its secret. */
  readonly create: (input: KeyCreateInput) => Promise<KeyCreateOutput>;
  /** Lists the API keys of a tenant, without their secrets. */
  readonly list: (input: KeyListInput) => Promise<KeyListOutput>;
  /** Revokes an API key at once, in every process, and deletes its record. */
  readonly revoke: (input: KeyRevokeInput) => Promise<KeyRevokeOutput>;
}
