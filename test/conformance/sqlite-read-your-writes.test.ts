import { readYourWritesSuite } from './read-your-writes-suite.ts';

readYourWritesSuite('SQLite', { settings: () => ({}), runs: 12 });
