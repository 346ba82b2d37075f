/** Which ModelProviders count for tenants: resources beside what the store has of them. Pure. */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { ModelProvider as CompiledProvider } from '#core/records/model-provider-spec.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { ModelProvider } from '#crds/model-provider.ts';
import type { Reading } from '#crds/read-object.ts';
import { isPaused } from './annotations.ts';
import type { AcceptedProvider } from './compile-policy.ts';

/**
 * Those of the release namespace. One that can't be read, or is paused, counts as it was last
 * applied; one whose name another installation has in the store does not count.
 */
export function providersInUse(
  objects: readonly { object: KubernetesObject; reading: Reading<ModelProvider> }[],
  records: readonly ModelProviderRecord[],
  { cluster, namespace }: { cluster: string; namespace: string },
): readonly AcceptedProvider[] {
  return objects.flatMap(({ object, reading }): AcceptedProvider[] => {
    const { name, uid = '', creationTimestamp: createdAt = '' } = object.metadata;
    const record = records.find((one) => one.name === name);
    const isOthers =
      record !== undefined &&
      (record.owner.cluster !== cluster || record.owner.namespace !== namespace);
    if (isOthers) return [];
    const isHeard = reading.kind === 'Valid' && !isPaused(object.metadata);
    const provider = isHeard ? compileProvider(reading.resource) : record?.provider;
    return provider === undefined ? [] : [{ name, uid, createdAt, provider }];
  });
}

/** Prices are micro-dollars already; absent parts become null. */
export function compileProvider({ spec }: ModelProvider): CompiledProvider {
  const { allowedNamespaces, openai, extractive } = spec;
  if (openai === undefined) return { allowedNamespaces, extractive: extractive ?? {} };
  const { baseUrl, secretRef, models, rate, embedding } = openai;
  return {
    allowedNamespaces,
    openai: {
      baseUrl,
      secretRef: secretRef ?? null,
      models: models.map(({ inputPrice, outputPrice, ...model }) => ({
        ...model,
        inputMicroDollarsPerMillion: inputPrice,
        outputMicroDollarsPerMillion: outputPrice,
      })),
      requestsPerMinute: rate?.requestsPerMinute ?? null,
      embedding:
        embedding === undefined
          ? null
          : {
              model: embedding.model,
              dimensions: embedding.dimensions,
              inputMicroDollarsPerMillion: embedding.inputPrice,
            },
    },
  };
}
