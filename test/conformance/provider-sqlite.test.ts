import { providerConformance } from './provider-suite.ts';
import { openSqlite } from './sqlite-adapter.ts';

providerConformance('SQLite', openSqlite);
