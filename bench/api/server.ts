/** A server of the measurement in a process of its own. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface BenchServer extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  /** The plain server in the same process, with the fair scheduler; null if there is none. */
  readonly plainUrl: string | null;
  /** The same without the scheduler: calls start at once. */
  readonly atOnceUrl: string | null;
  /** Resolves once the message was handled, with the CPU milliseconds that the process has used. */
  ask(message: ToServer): Promise<number>;
}

export async function startServer(program: URL, args: readonly string[]): Promise<BenchServer> {
  const child = fork(fileURLToPath(program), [...args], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ready = await heard(child);
  if (ready.kind !== 'Ready') throw new Error(`${program.href} began with ${ready.kind}.`);
  const { url, key, plainUrl, atOnceUrl } = ready;
  return {
    url,
    key,
    plainUrl,
    atOnceUrl,
    ask: async (message) => {
      const answer = heard(child);
      child.send(message);
      const done = await answer;
      return done.kind === 'Done' ? done.cpuMs : Number.NaN;
    },
    [Symbol.asyncDispose]: async () => {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}

/** @throws Error if the process ends instead */
async function heard(child: ChildProcess): Promise<FromServer> {
  const given = new AbortController();
  const { signal } = given;
  try {
    const ended = once(child, 'exit', { signal }).then(() => {
      throw new Error('A server of the measurement ended.');
    });
    const [message] = await Promise.race([once(child, 'message', { signal }), ended]);
    return message as FromServer;
  } finally {
    given.abort();
  }
}

/** The messages between the measurement and its servers, one at a time. */
type ToServer =
  | { readonly kind: 'Cpu' }
  /** The answers to all calls from now on. */
  | { readonly kind: 'Answers'; readonly answers: Readonly<Record<string, unknown>> };

export type FromServer =
  | {
      readonly kind: 'Ready';
      readonly url: string;
      readonly key: string;
      readonly plainUrl: string | null;
      readonly atOnceUrl: string | null;
    }
  | { readonly kind: 'Done'; readonly cpuMs: number };

const MICROSECONDS = 1_000;

/** Answers each message once it is handled, with the CPU time that the process has used so far. */
export function answerParent(handle: (message: ToServer) => Promise<void>): void {
  process.on('message', (message: ToServer) => {
    void handle(message).then(() => {
      const { user, system } = process.cpuUsage();
      process.send?.({ kind: 'Done', cpuMs: (user + system) / MICROSECONDS });
    });
  });
  process.once('disconnect', () => {
    process.exit(0);
  });
}
