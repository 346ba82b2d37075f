/**
 * Varve as a library: one folder, no server. Reads and writes work at once; `refresh()` runs the
 * activities of the workflows in this process. With a Temporal address, refreshing is durable
 * instead.
 */
import { VarveError } from '#core/errors.ts';
import type { OpenVarveOptions, Varve } from './library-options.ts';
import { nodeVersionProblem } from './check-node-version.ts';
import { explainMissingPackage } from './optional-packages.ts';

export { VarveError } from '#core/errors.ts';
export { type ErrorCode } from '#core/error-codes.ts';
export type * from '#api/calls/library.generated.ts';
export type * from './policy-types.generated.ts';
export type { RefreshFailure, RefreshReport } from '#core/refresh/refresh-contract.ts';
export type {
  EmbeddingInput,
  LocalModelInput,
  ModelInput,
  ModelsInput,
  OpenVarveOptions,
  PolicyInput,
  TemporalPlace,
  TenantPolicyInput,
  Varve,
} from './library-options.ts';

/**
 * Opens Varve.
 * @throws VarveError INVALID_INPUT if an option, a variable or the policy is wrong;
 * PROVIDER_REJECTED, CORRUPT, TIMEOUT if the folder cannot be used; PROVIDER_REJECTED if Node is
 * too old; MISSING_PACKAGE if a package that an option needs is not installed
 */
export async function openVarve(options: OpenVarveOptions = {}): Promise<Varve> {
  const problem = nodeVersionProblem(process.versions.node);
  if (problem !== null) throw new VarveError('PROVIDER_REJECTED', problem);
  try {
    // This loads nearly all code, so importing the library without opening it costs almost nothing.
    const { composeLibrary } = await import('./compose-library.ts');
    return await composeLibrary(options);
  } catch (error) {
    throw explainMissingPackage(error);
  }
}
