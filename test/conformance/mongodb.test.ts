import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { openMongodb } from './mongodb-adapter.ts';
import { mongodbStand } from './mongodb-stand.ts';
import { storeConformance } from './store-conformance.ts';

const { uri } = mongodbStand();

describeUnless(await missingForMongodb())('with a server of its protocol', () => {
  storeConformance('MongoDB', () => openMongodb(uri()));
});
