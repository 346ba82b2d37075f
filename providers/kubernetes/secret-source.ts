/** Reads keys from Secrets of one namespace by name; it never lists or watches them. */
import { fieldOf } from '#core/is-record.ts';
import type { KubernetesApi, ResourceType } from '#core/ports/kubernetes-api.ts';
import type { SecretSource } from '#core/ports/secret-source.ts';

const SECRET: ResourceType = {
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  isNamespaced: true,
};

/**
 * Needs the verb `get` on the Secrets that ModelProviders name, and no other permission. Removes
 * line breaks after a key, which Secrets made from files have.
 */
export function createSecretSource(
  api: Pick<KubernetesApi, 'get'>,
  namespace: string,
): SecretSource {
  return {
    read: async ({ name, key }, signal) => {
      const found = await api.get(SECRET, { namespace, name }, signal);
      if (found === null) return null;
      const encoded = fieldOf(found['data'], key);
      if (typeof encoded !== 'string') return null;
      const value = Buffer.from(encoded, 'base64').toString('utf8').trimEnd();
      return { value, version: found.metadata.resourceVersion ?? '' };
    },
  };
}
