import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { mongodbFixture } from './mongodb-fixture.ts';
import { readYourWritesSuite } from './read-your-writes-suite.ts';

const { uri, ownDatabase } = mongodbFixture();
const database = ownDatabase();

describeUnless(await missingForMongodb())('with a MongoDB-compatible server', () => {
  readYourWritesSuite('MongoDB', {
    settings: () => ({ mongodb: { uri: uri(), database } }),
    runs: 4,
  });
});
