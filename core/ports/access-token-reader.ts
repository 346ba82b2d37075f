/** Reads the sender out of tokens of other issuers. */
import type { Identifiers } from '../identifiers.ts';
import type { Role } from '../role.ts';

export interface TokenCaller {
  /** Stands beside what it writes, such as `jwt:ann`. */
  readonly name: string;
  readonly tenant: string;
  readonly role: Role;
  /** Identifiers that it speaks for alone; empty where it may speak for anybody of the tenant. */
  readonly bound: Identifiers;
}

export interface TokenReader {
  /**
   * Null for what is no token of this issuer, and for one that does not hold.
   * @throws VarveError PROVIDER_ERROR where that cannot be checked now
   */
  read(token: string): Promise<TokenCaller | null>;
}
