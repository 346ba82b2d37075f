import { afterAll, beforeAll } from 'vitest';

import { describeUnless } from '#test/cluster/needs.ts';
import {
  missingForMongodb,
  startTestMongodb,
  type TestMongodb,
} from '#test/cluster/test-mongodb.ts';

import { openMongodb } from './mongodb-adapter.ts';
import { providerConformance } from './provider-suite.ts';

/** A first build fetches its parts. */
const START_MS_MAX = 10 * 60 * 1_000;

describeUnless(await missingForMongodb())('with a server of its protocol', () => {
  let server: TestMongodb | null = null;
  beforeAll(async () => {
    server = await startTestMongodb();
  }, START_MS_MAX);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });
  providerConformance('MongoDB', () => {
    if (server === null) throw new Error('The server starts before the tests.');
    return openMongodb(server.uri);
  });
});
