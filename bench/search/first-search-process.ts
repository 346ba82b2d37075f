/** A process that searches once, and prints the milliseconds of CPU of that search alone. */
import { openVarve } from '#cli/open-varve.ts';
import { searchIn } from './own-store.ts';

const [dataDir = '', tenant = '', query = ''] = process.argv.slice(2);
const MICROSECONDS = 1_000;

await using varve = await openVarve({ dataDir });
const before = process.cpuUsage();
const hits = await searchIn(varve, tenant, { query, mode: 'hybrid' });
const { user, system } = process.cpuUsage(before);
if (hits === 0) throw new Error('The first search found nothing.');
process.stdout.write(String((user + system) / MICROSECONDS));
