/** Controls the process of the API server from outside. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FromServer } from './server-program.ts';
import type { Harness } from './harness.ts';

const PROGRAM = fileURLToPath(new URL('server-program.ts', import.meta.url));
/** More failures of the server's own say nothing new. */
const ERRORS_KEPT_MAX = 1_000;

export interface FuzzedServer extends AsyncDisposable {
  readonly url: URL;
  readonly harness: Harness;
  /** Where its store lies. */
  readonly folder: string;
  /** What it logged as errors. */
  readonly errors: readonly string[];
  isAlive(): boolean;
  /** Bytes of its heap and of buffers after a pause and a collection. */
  heldBytes(): Promise<number>;
}

export async function startFuzzedServer(token: string): Promise<FuzzedServer> {
  await using held = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-fuzz-'));
  held.defer(() => rm(folder, { recursive: true, force: true }));
  const child = fork(PROGRAM, [folder, token], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  held.defer(() => ended(child));
  const errors: string[] = [];
  child.on('message', (message: FromServer) => {
    if (message.kind === 'Error' && errors.length < ERRORS_KEPT_MAX) errors.push(message.words);
  });
  const { url, harness } = await answerOf(child, 'Ready');
  const running = held.move();
  return {
    url: new URL(url),
    harness,
    folder,
    errors,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    heldBytes: async () => {
      const answer = answerOf(child, 'Memory');
      child.send('memory');
      return (await answer).bytes;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type Told<K> = Extract<FromServer, { readonly kind: K }>;

/** @throws Error where the process ends before it answers */
async function answerOf<K extends FromServer['kind']>(
  child: ChildProcess,
  kind: K,
): Promise<Told<K>> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      child.off('message', hear);
      child.off('exit', fail);
    };
    const hear = (message: FromServer): void => {
      if (message.kind !== kind) return;
      leave();
      resolve(message as Told<K>);
    };
    const fail = (code: number | null): void => {
      leave();
      reject(new Error(`The server ended with status ${String(code)}.`));
    };
    child.on('message', hear);
    child.once('exit', fail);
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.disconnect();
  await exit;
}
