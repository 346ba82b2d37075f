import { truthSuite } from './truth-suite.ts';

truthSuite('SQLite', { settings: () => ({}), runs: 12 });
