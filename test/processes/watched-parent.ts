/** Starts a long sleep under the watchdog, prints its process id, and waits to be killed. */
import { spawn } from 'node:child_process';

import { endChildWithParent } from '#providers/temporal/end-child-with-parent.ts';

const sleeper = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
endChildWithParent(sleeper.pid ?? 0);
process.stdout.write(`${sleeper.pid}\n`);
setInterval(() => undefined, 60_000);
