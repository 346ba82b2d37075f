/**
 * A control plane for another program, or a person: prints the path of the administrator's
 * kubeconfig as its only line, and ends with its standard input.
 */
import { once } from 'node:events';

import { startControlPlane } from '../control-plane.ts';

await using plane = await startControlPlane();
process.stdout.write(`${plane.kubeconfig}\n`);
process.stdin.resume();
await once(process.stdin, 'end');
