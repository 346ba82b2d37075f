/** Valid providers for tests, which set only what they care about. */
import type {
  ModelProvider,
  OpenaiProvider,
  ProvidedEmbedding,
  ProvidedModel,
  ModelProviderRecord,
} from '#core/records/model-provider.ts';
import { digest, NOW } from '#test/conformance/samples.ts';

/** That of the tenants of a fixture. */
export const CLUSTER = 'folder';
export const NAMESPACE = 'team-a';
export const REFERENCE = { name: 'model-key', key: 'token' };

export function providedModel(differing: Partial<ProvidedModel> = {}): ProvidedModel {
  return {
    name: 'large',
    classes: ['standard'],
    inputMicroDollarsPerMillion: 1_000_000,
    outputMicroDollarsPerMillion: 2_000_000,
    contextTokens: 32_000,
    outputTokensMax: 8_000,
    thinkingTokens: 0,
    ...differing,
  };
}

export const EMBEDDING: ProvidedEmbedding = {
  name: 'e5',
  dimensions: 3,
  inputMicroDollarsPerMillion: 0,
  queryPrefix: '',
  passagePrefix: '',
  dimensionsSent: false,
  textsMax: null,
};

/** With one model, at an address where no server answers. */
export function endpoint(differing: Partial<OpenaiProvider> = {}): OpenaiProvider {
  return {
    baseUrl: 'http://127.0.0.1:9/v1',
    secretRef: null,
    models: [providedModel()],
    requestsPerMinute: null,
    ...differing,
  };
}

/** Open to the tenants of one namespace; its hash follows what it is. */
export function providerRecord(
  name: string,
  differing: Partial<OpenaiProvider> = {},
  allowedNamespaces: readonly string[] = [NAMESPACE],
): ModelProviderRecord {
  const provider: ModelProvider = {
    openai: endpoint(differing),
    allowedNamespaces: [...allowedNamespaces],
  };
  return {
    name,
    owner: { cluster: CLUSTER, namespace: 'varve', name, uid: `uid-of-${name}` },
    generation: 1,
    hash: digest(JSON.stringify(provider)),
    provider,
    appliedAt: NOW,
    epoch: 0,
    check: null,
  };
}
