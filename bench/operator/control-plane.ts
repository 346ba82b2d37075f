/** An API server of the measurement's own: the one that the tests build, in a process beside. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface BenchControlPlane extends AsyncDisposable {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
}

const SERVE = path.resolve(import.meta.dirname, '../../test/cluster/control-plane/serve.ts');

/** Builds it where that was not done yet, which takes minutes. */
export async function startBenchControlPlane(): Promise<BenchControlPlane> {
  const server = spawn(process.execPath, [SERVE], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(server, 'exit');
  for await (const kubeconfig of createInterface({ input: server.stdout })) {
    return {
      kubeconfig,
      [Symbol.asyncDispose]: async () => {
        server.stdin.end();
        await ended;
      },
    };
  }
  throw new Error('The control plane did not start.');
}
