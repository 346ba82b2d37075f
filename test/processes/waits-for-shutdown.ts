/** Prints its process id, waits until it is asked to end, and says why it ends. */
import { aborted, shutdownSignal } from '#cli/shutdown.ts';

const signal = shutdownSignal();
const alive = setInterval(() => undefined, 60_000);
process.stdout.write(`${process.pid}\n`);
await aborted(signal);
clearInterval(alive);
process.stdout.write(`ends: ${String(signal.reason)}\n`);
