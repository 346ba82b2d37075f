/** A program of the measurement in its own process, which handles one message at a time. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Child<Ready, To, From> extends AsyncDisposable {
  readonly pid: number;
  readonly ready: Ready;
  ask(message: To): Promise<From>;
}

export async function startChild<Ready, To extends object, From>(
  program: URL,
  args: readonly string[],
): Promise<Child<Ready, To, From>> {
  const child = fork(fileURLToPath(program), [...args], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [ready] = (await once(child, 'message')) as [Ready];
  return {
    pid: child.pid ?? 0,
    ready,
    async ask(message) {
      const answer = once(child, 'message');
      child.send(message);
      const [answered] = (await answer) as [From];
      return answered;
    },
    [Symbol.asyncDispose]: async () => {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

/** Answers each message of the parent, and ends with the parent. */
export function answerParent<From>(handle: (message: object) => Promise<From>): void {
  process.on('message', (message: object) => {
    void handle(message).then((answer) => process.send?.(answer));
  });
  process.once('disconnect', () => {
    process.exit(0);
  });
}

const NANOSECONDS = 1_000_000;

/** Milliseconds that all threads of a process have run so far, as Linux counts them. */
export function ranMs(pid: number): number {
  const folder = `/proc/${String(pid)}/task`;
  let sum = 0;
  for (const thread of readdirSync(folder)) {
    try {
      sum += Number.parseInt(readFileSync(`${folder}/${thread}/schedstat`, 'utf8'), 10);
    } catch {
      // A thread that has just ended is left out.
    }
  }
  return sum / NANOSECONDS;
}
