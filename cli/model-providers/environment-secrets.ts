/**
 * Keys of models where no Kubernetes is: a Secret that a ModelProvider names stands for one
 * variable of the process for each of its keys.
 */
import { VarveError } from '#core/errors.ts';
import type { SecretReference } from '#core/records/model-provider-spec.ts';
import type { SecretSource } from '#core/ports/secret-source.ts';

/** The value does not change while the process runs. */
const VERSION = 'environment';

/** @param environment as it was read at the start of the process */
export function environmentSecrets(
  environment: Readonly<Record<string, string | undefined>>,
): SecretSource {
  return {
    read: (reference) => {
      const variable = variableOf(reference);
      const value = environment[variable];
      if (value !== undefined && value !== '') return Promise.resolve({ value, version: VERSION });
      const message = `Outside of a cluster it is the variable ${variable}; set it for the worker.`;
      return Promise.reject(new VarveError('UNAUTHENTICATED', message));
    },
  };
}

/**
 * `VARVE_SECRET_OPENAI__API_KEY` for the key `api-key` of the Secret `openai`: a variable has
 * letters, digits and `_` alone, so that names which differ in the rest only share one.
 */
export function variableOf({ name, key }: SecretReference): string {
  return `VARVE_SECRET_${asVariable(name)}__${asVariable(key)}`;
}

function asVariable(text: string): string {
  return text.toUpperCase().replaceAll(/[^A-Z0-9]/gu, '_');
}
