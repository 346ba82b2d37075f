import { openSqlite } from './sqlite-adapter.ts';
import { storeConformance } from './store-conformance.ts';

storeConformance('SQLite', openSqlite);
