/** A ModelProvider as its resource has it, compiled to what a worker needs. Pure. */
import type { ModelProvider as CompiledProvider } from '#core/records/model-provider-spec.ts';
import type { ModelProvider } from '#crds/model-provider.ts';

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
