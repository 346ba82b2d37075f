/** One run of a program that ends by itself: its outcome as a value, its output bounded. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { VarveError } from '#core/errors.ts';

import { watchOver } from './watchdog.ts';

/** What is kept of the output, from its end: enough for a version or a failure's reason. */
const OUTPUT_LINES_MAX = 60;
const LINE_CHARACTERS_MAX = 2_000;

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Sees each line of standard output and standard error as it comes. */
  readonly onLine?: ((line: string) => void) | undefined;
}

export type CommandOutcome =
  | { readonly kind: 'Succeeded'; readonly output: string }
  | { readonly kind: 'Failed'; readonly reason: string; readonly output: string };

/**
 * Runs a program to its end. A program that is missing, fails or takes too long is an outcome.
 * Errors: CANCELLED when the signal fires; the program is stopped first.
 */
export async function runCommand(command: Command): Promise<CommandOutcome> {
  const { program, args, timeoutMs, cwd, env } = command;
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = (): void => {
    child.kill('SIGTERM');
  };
  const lines: string[] = [];
  const keep = (line: string): void => {
    if (lines.push(line.slice(0, LINE_CHARACTERS_MAX)) > OUTPUT_LINES_MAX) lines.shift();
    command.onLine?.(line);
  };
  createInterface({ input: child.stdout }).on('line', keep);
  createInterface({ input: child.stderr }).on('line', keep);
  command.signal?.addEventListener('abort', stop, { once: true });
  // A timer of our own: the one of spawn outlives a program that could not be started.
  const timer = setTimeout(stop, timeoutMs);
  const release = child.pid === undefined ? undefined : watchOver(child.pid);
  try {
    const reason = await ending(child);
    if (command.signal?.aborted) throw new VarveError('CANCELLED', `Stopped ${args.join(' ')}.`);
    const output = lines.join('\n');
    if (reason !== undefined) return { kind: 'Failed', reason, output };
    return { kind: 'Succeeded', output };
  } finally {
    clearTimeout(timer);
    release?.();
    command.signal?.removeEventListener('abort', stop);
  }
}

/** Why the program failed, or undefined; settles when its output is read to the end. */
function ending(child: ReturnType<typeof spawn>): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.once('error', (error) => {
      resolve(error.message);
    });
    child.once('close', (code, signal) => {
      if (code === 0) resolve(undefined);
      else resolve(code === null ? `ended by ${signal ?? 'a signal'}` : `exit status ${code}`);
    });
  });
}
