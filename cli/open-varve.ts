/**
 * Varve as a library: one folder, no server. Reads and writes work at once; `refresh()` runs the
 * activities of the workflows inline. A Temporal address makes refreshing durable instead.
 */
import type { Library } from '#api/library.ts';
import type { Principal } from '#api/principal.ts';
import type { Log } from '#core/ports/platform.ts';
import type { LibraryOptions } from './library-options.ts';
import { VarveError } from '#core/errors.ts';
import { oldNode } from './node-version.ts';
import { explainMissingPackage } from './optional-packages.ts';

export { VarveError, type ErrorCode } from '#core/errors.ts';
export type { RefreshFailure, RefreshReport } from '#core/refresh/refresh-contract.ts';
export type {
  EmbeddingInput,
  LocalModelInput,
  ModelInput,
  ModelsInput,
  PolicyInput,
  TenantPolicyInput,
} from './library-options.ts';

export interface TemporalPlace {
  readonly address: string;
  readonly namespace?: string;
  /** `TEMPORAL_API_KEY`, `TEMPORAL_TLS_…` by name; a plain connection where absent. */
  readonly security?: Readonly<Record<string, string>> | null;
}

export interface OpenVarveOptions extends LibraryOptions {
  /** A Temporal server: writes then start its workflows, and a `varve` worker refreshes. */
  readonly temporal?: TemporalPlace;
  readonly principal?: Principal;
  readonly log?: Log;
}

/** Every operation of the API as a method. */
export interface Varve extends Library, AsyncDisposable {
  /** What `await using` does at the end of a block; a second call does nothing. */
  close(): Promise<void>;
}

/**
 * @throws VarveError INVALID_INPUT where an option, a variable or the policy is wrong;
 * PROVIDER_REJECTED, CORRUPT, TIMEOUT where the folder cannot be used; PROVIDER_REJECTED on a Node
 * that is too old
 */
export async function openVarve(options: OpenVarveOptions = {}): Promise<Varve> {
  const problem = oldNode(process.versions.node);
  if (problem !== null) throw new VarveError('PROVIDER_REJECTED', problem);
  try {
    // Nearly all code: who imports the library and opens none pays nothing for it.
    const { openLibrary } = await import('./library.ts');
    return await openLibrary(options);
  } catch (error) {
    throw explainMissingPackage(error);
  }
}
