/** The life of a vector index, on the peer and on the deployment that `MONGODB_URI` names. */
import { afterAll, beforeAll, describe } from 'vitest';

import { startAtlasPeer, type AtlasPeer } from '#test/cluster/atlas-peer/atlas-peer.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import {
  missingForOwnMongodb,
  startOwnMongodb,
  type TestMongodb,
} from '#test/cluster/test-mongodb.ts';

import { indexLifeSuite } from './mongodb-atlas-life-suite.ts';

const START_MS_MAX = 10 * 60 * 1_000;
/** As often as the specification of drivers looks at an index. */
const POLL_MS = 5_000;

const GIVEN = [process.env['MONGODB_URI'] ?? ''].filter((uri) => uri !== '');
const where = GIVEN.length === 0 ? 'a peer alone; set MONGODB_URI for more' : 'MONGODB_URI too';
process.stderr.write(`the life of vector indexes is proved on ${where}\n`);

describe.each(GIVEN)('a real deployment', (uri) => {
  indexLifeSuite(() => uri, POLL_MS);
});

describeUnless(await missingForOwnMongodb())('a simulated deployment', () => {
  let server: TestMongodb | null = null;
  let peer: AtlasPeer | null = null;
  beforeAll(async () => {
    server = await startOwnMongodb();
    peer = await startAtlasPeer(server.uri);
  }, START_MS_MAX);
  afterAll(async () => {
    await peer?.[Symbol.asyncDispose]();
    await server?.[Symbol.asyncDispose]();
  });
  indexLifeSuite(() => peer?.uri ?? '', 0);
});
