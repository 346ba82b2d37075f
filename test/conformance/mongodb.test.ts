import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { openMongodb } from './mongodb-adapter.ts';
import { mongodbFixture } from './mongodb-fixture.ts';
import { storeConformance } from './store-conformance.ts';

const { uri } = mongodbFixture();

describeUnless(await missingForMongodb())('with a MongoDB-compatible server', () => {
  storeConformance('MongoDB', () => openMongodb(uri()));
});
