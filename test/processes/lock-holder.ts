/** Takes the lock named by its argument, prints that it has it, and holds it until it is killed. */
import { acquireExclusiveLock } from '#providers/node/exclusive-lock.ts';

const [lockPath = ''] = process.argv.slice(2);
await acquireExclusiveLock(lockPath);
process.stdout.write('held\n');
setInterval(() => undefined, 60_000);
