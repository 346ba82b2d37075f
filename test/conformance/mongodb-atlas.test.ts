/**
 * The store over a server with vector search, as a peer of its rules plays it: once with an index
 * that follows at once, once with one that never hears of what was written after it was built.
 */
import { describe, expect, it } from 'vitest';

import { CHECK_MS } from '#providers/mongodb/vector-index/vector-indexes.ts';
import type { GenerationInUse } from '#providers/mongodb/vector-index/vector-search.ts';
import { startAtlasPeer } from '#test/cluster/atlas-peer/atlas-peer.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import { missingForOwnMongodb, startOwnMongodb } from '#test/cluster/test-mongodb.ts';

import type { Open } from './adapter.ts';
import { embeddingSuite } from './embedding-suite.ts';
import { filterSuite } from './filter-suite.ts';
import { isolationSuite } from './isolation-suite.ts';
import { listSuite } from './list-suite.ts';
import { memorySuite } from './memory-suite.ts';
import { openMongodb } from './mongodb-adapter.ts';
import { searchOracleSuite } from './search-oracle-suite.ts';
import { GENERATION } from './search-samples.ts';
import { searchSuite } from './search-suite.ts';
import { shared } from '#test/shared-fixture.ts';

/** A first build fetches its parts. */
const START_MS_MAX = 10 * 60 * 1_000;

/** Every search looks at the listing first, so that an index is used as soon as it is there. */
function tickingClock(): () => number {
  let now = 0;
  return () => {
    now += CHECK_MS;
    return now;
  };
}

/** No scope is kept in memory, so that every search asks the index. */
const BOUNDS = { wholeMax: 0 };

/** Fewer would mean that the suites went another way. */
const SEARCHES_MIN = 30;

const FRESH = [
  ['that is always up to date', 'AtOnce'],
  ['that never hears of later writes', 'WhenTold'],
] as const;

describeUnless(await missingForOwnMongodb())('with vector search', () => {
  const server = shared(startOwnMongodb, START_MS_MAX);

  describe.each(FRESH)('an index %s', (_, refreshes) => {
    const started = shared(() => startAtlasPeer(server().uri, { refreshes }));
    const openWith = (generations: readonly GenerationInUse[]) => {
      const pause = () => Promise.resolve();
      const vectorSearch = { clock: tickingClock(), generations, pause };
      return openMongodb(started().uri, { bounds: BOUNDS, vectorSearch });
    };
    const open: Open = () => openWith([]);
    memorySuite(open);
    listSuite(open);
    filterSuite(open);
    searchSuite(open);
    searchOracleSuite(open);
    embeddingSuite(open);
    // Made before anything is searched, so that both tenants are searched in the same way.
    isolationSuite(() => openWith([{ generation: GENERATION, dimensions: 2 }]));

    it('VEC-37: the searches of these suites used the index', () => {
      expect(started().searchCount()).toBeGreaterThan(SEARCHES_MIN);
    });
  });
});
