/**
 * Where keys are stored: only workers that call models have a source. Its values are never logged.
 */
import { VarveError } from '../errors.ts';
import type { SecretReference } from '../records/model-provider.ts';

export interface Secret {
  readonly value: string;
  /** Changes with every change of the Secret. */
  readonly version: string;
}

export interface SecretSource {
  /**
   * Returns null if there is no such Secret, or no such key in it.
   * @throws VarveError FORBIDDEN if the process may not read it; PROVIDER_ERROR if the server does
   * not answer
   */
  read(reference: SecretReference, signal?: AbortSignal): Promise<Secret | null>;
}

const NONE =
  'This process reads no keys. Workers that call models read them: from Secrets in the namespace ' +
  'VARVE_POD_NAMESPACE or, if it is not set, from the variables VARVE_SECRET_….';

/** For processes that call no models. */
export const NO_SECRETS: SecretSource = {
  read: () => Promise.reject(new VarveError('FORBIDDEN', NONE)),
};
