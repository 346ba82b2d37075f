import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { mongodbStand } from './mongodb-stand.ts';
import { truthSuite } from './truth-suite.ts';

const { uri, ownDatabase } = mongodbStand();
const database = ownDatabase();

describeUnless(await missingForMongodb())('with a server of its protocol', () => {
  truthSuite('MongoDB', { settings: () => ({ mongodb: { uri: uri(), database } }), runs: 4 });
});
