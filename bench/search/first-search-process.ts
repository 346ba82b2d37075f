/** Searches once in its own process, and prints what that search took (`FirstSearch`) as JSON. */
import { openVarve } from '#cli/open-varve.ts';
import type { FirstSearch } from './first-search.ts';
import { searchIn } from './own-store.ts';

const [dataDir = '', tenant = '', query = ''] = process.argv.slice(2);
const MICROSECONDS = 1_000;

await using varve = await openVarve({ dataDir });
const before = process.cpuUsage();
const begun = performance.now();
const hits = await searchIn(varve, tenant, { query, mode: 'hybrid' });
const wallMs = performance.now() - begun;
const { user, system } = process.cpuUsage(before);
if (hits === 0) throw new Error('The first search found nothing.');
const found: FirstSearch = { cpuMs: (user + system) / MICROSECONDS, wallMs };
process.stdout.write(JSON.stringify(found));
