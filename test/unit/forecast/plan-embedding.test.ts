/** What a plan says about the embedding model that ModelProviders declare. */
import { describe, expect, test } from 'vitest';
import { embeddingLines, forecastEmbedding } from '#cli/plan/plan-embedding.ts';
import { planText } from '#cli/plan/plan-text.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import { FOLDER_CLUSTER } from '#core/records/policy.ts';
import { ModelProvider } from '#crds/model-provider.ts';
import { readObject } from '#crds/read-object.ts';
import { PAUSED_ANNOTATION } from '#operator/tenant/metadata-and-conditions.ts';
import { EMBEDDING, providerRecord } from '../cli/model-providers/provider-samples.ts';
import { providerObject } from '../operator/cluster/resources.ts';
import { openStore, stillPlatform } from '../operator/policy-store.ts';
import { forecast } from './plan-fixture.ts';

const CLUSTER = { cluster: 'c', namespace: 'varve' };
const FOLDER = { cluster: FOLDER_CLUSTER, namespace: 'varve' };
const KEPT = 'tenants that have memories keep their model until varve embeddings migrate';

function declaring(name: string, model: string | null, annotations = {}): ModelProvider {
  const endpoint = { baseUrl: 'https://models.example.com/v1' };
  const embedding = { name: model, dimensions: 3, inputPrice: '0' };
  const served = { name: 'small', classes: ['economy'], inputPrice: '1', outputPrice: '1' };
  const openai = { ...endpoint, ...(model === null ? { models: [served] } : { embedding }) };
  const spec = { allowedNamespaces: ['*'], openai };
  const object = providerObject(spec, { name, namespace: 'varve', annotations });
  const reading = readObject(object, ModelProvider);
  if (reading.kind === 'Invalid') throw new Error(reading.report);
  return reading.resource;
}

function stored(name: string, cluster = 'c', createdAt = 1): ModelProviderRecord {
  const record = providerRecord(name, { models: [], embedding: EMBEDDING });
  return { ...record, owner: { ...record.owner, cluster }, createdAt };
}

const E5 = 'e5 (3 dimensions, ModelProvider a)';

describe('a plan', () => {
  test.each([
    ['is silent if no file declares an embedding model', [declaring('a', null)], [], CLUSTER, []],
    [
      'names the model that new tenants would get',
      [declaring('a', 'e5')],
      [],
      CLUSTER,
      [`embedding model of the settings → ${E5}; ${KEPT}`],
    ],
    ['is silent if the model stays the same', [declaring('a', 'e5')], [stored('a')], CLUSTER, []],
    [
      'names both models of a change',
      [declaring('a', 'bge')],
      [stored('a')],
      CLUSTER,
      [`embedding model ${E5} → bge (3 dimensions, ModelProvider a); ${KEPT}`],
    ],
    [
      'says that a newer provider would not be used',
      [declaring('0', 'bge')],
      [stored('a')],
      CLUSTER,
      [
        'ModelProvider 0: its embedding model is not used, since ModelProvider a is older, or ' +
          'first by name',
      ],
    ],
    [
      'is silent about a paused provider, which stays as applied',
      [declaring('a', 'bge', { [PAUSED_ANNOTATION]: 'true' })],
      [stored('a')],
      CLUSTER,
      [],
    ],
    [
      'of a folder drops the model of a provider without a file',
      [declaring('b', null)],
      [stored('a', FOLDER_CLUSTER)],
      FOLDER,
      [`embedding model ${E5} → of the settings; ${KEPT}`],
    ],
  ] as const)('%s', (_, files, records, installation, lines) => {
    expect(embeddingLines(forecastEmbedding(files, records, installation))).toEqual(lines);
  });

  test('takes a file with ModelProviders alone', async () => {
    const text = [
      'apiVersion: memory.varve.dev/v1alpha1',
      'kind: ModelProvider',
      'metadata: { name: a }',
      'spec: { allowedNamespaces: ["*"], extractive: {} }',
    ];
    expect(await forecast(text.join('\n'), await openStore(stillPlatform()))).toEqual([]);
  });

  test('that changes only the embedding model does not say that nothing would change', () => {
    const embedding = forecastEmbedding([declaring('a', 'e5')], [], CLUSTER);
    expect(planText([], true, embedding)).toMatch(
      /\nNo tenant would change\. Nothing was applied\.$/u,
    );
  });
});
