/** Which of several ModelProviders declares the embedding model of an installation. */
import { describe, expect, test } from 'vitest';
import { embeddingProvider, takesDimensions } from '#core/records/model-provider.ts';
import { EMBEDDING, providerRecord } from '#test/unit/cli/model-providers/provider-samples.ts';

const declaring = (name: string, createdAt?: number) => ({
  ...providerRecord(name, { embedding: EMBEDDING }),
  ...(createdAt === undefined ? {} : { createdAt }),
});

describe('the embedding model of an installation', () => {
  test.each([
    ['none without a provider', [], null],
    ['none if no provider declares one', [providerRecord('a')], null],
    ['that of the only provider', [providerRecord('a'), declaring('b', 2)], 'b'],
    ['that of the oldest provider', [declaring('a', 3), declaring('b', 2)], 'b'],
    ['that of the first by name of one moment', [declaring('b', 2), declaring('a', 2)], 'a'],
    ['that of the first by name in a folder', [declaring('b'), declaring('a')], 'a'],
  ] as const)('is %s', (_, records, name) => {
    expect(embeddingProvider(records)?.name ?? null).toBe(name);
    expect(embeddingProvider(records.toReversed())?.name ?? null).toBe(name);
  });
});

test.each([
  ['text-embedding-3-small', true],
  ['text-embedding-ada-002', false],
  ['intfloat/multilingual-e5-small', false],
])('a model takes a number of dimensions by its name: %s', (name, isTaken) => {
  expect(takesDimensions(name)).toBe(isTaken);
});
