/** Reads the sender from tokens that other issuers signed. */
import type { Identifiers } from '../identifiers.ts';
import type { Role } from '../role.ts';

export interface TokenCaller {
  /** Name of the sender in what it writes, such as `jwt:ann`. */
  readonly name: string;
  readonly tenant: string;
  readonly role: Role;
  /** The only identifiers that it speaks for; empty if it may speak for anybody of the tenant. */
  readonly bound: Identifiers;
}

export interface TokenReader {
  /**
   * Returns null for a token that this issuer did not make, and for one that is not valid.
   * @throws VarveError PROVIDER_ERROR if that cannot be checked now
   */
  read(token: string): Promise<TokenCaller | null>;
}
