import { beforeAll, describe, expect, test } from 'vitest';
import { deepestLayer, fillExampleTenant, labeledQueries } from '#bench/relevance.ts';
import { sharedLibrary } from '../unit/library/open-library.ts';

/** Of the questions about the example tenant, without a model (SUM-10). */
const RIGHT_SHARE_MIN = 0.8;

/** For a hundred contexts on a machine that is busy with other tests. */
const HALF_MS_MAX = 60_000;

/** Fails with everything beside it, so that the questions it went wrong on are told. */
const atLeast = (least: number): unknown => expect.toSatisfy((share: number) => share >= least);

const library = sharedLibrary();
const queries = await labeledQueries();

beforeAll(async () => {
  const { varve, declare } = library();
  await fillExampleTenant({
    varve,
    declare: (policy) => declare(policy.tenant, () => policy),
  });
});

describe('relevance over the example tenant', () => {
  test('has 200 different questions about six layers, and reports on about half of them', () => {
    expect(new Set(queries.map(({ query }) => query)).size).toBe(200);
    expect(new Set(queries.map(({ layer }) => layer)).size).toBe(6);
    const report = queries.filter(({ split }) => split === 'report');
    expect(Math.abs(report.length - 100)).toBeLessThanOrEqual(20);
  });

  test.each(['develop', 'report'] as const)(
    'gives the deepest text to the layer in question, in the half to %s',
    async (half) => {
      const asked = queries.filter(({ split }) => split === half);
      const wrong: string[] = [];
      for (const { id, layer, query } of asked) {
        if ((await deepestLayer(library().varve, query)) !== layer) wrong.push(id);
      }
      const rightShare = 1 - wrong.length / asked.length;
      expect({ rightShare, wrong }).toMatchObject({ rightShare: atLeast(RIGHT_SHARE_MIN) });
    },
    HALF_MS_MAX,
  );
});
