/** One run of a command-line program with all of its output, for tests. */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface ProgramResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number;
}

export interface ProgramOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string | undefined;
}

/** No command of the tests waits for more than a minute by itself. */
const RUN_MS_MAX = 2 * 60_000;

/**
 * Runs a program to its end; a status that is not 0 is a result, one that a signal ended has -1.
 * Errors: the system's own when the program can't be started.
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { env, input }: ProgramOptions,
): Promise<ProgramResult> {
  const child = spawn(program, args, { env, timeout: RUN_MS_MAX, killSignal: 'SIGKILL' });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve(code ?? -1);
    });
  });
  // A program that ends without reading its input must not end the test.
  child.stdin.on('error', () => child.stdin.destroy());
  child.stdin.end(input ?? '');
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ]);
  return { stdout, stderr, status };
}
