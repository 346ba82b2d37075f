/** A real language model of a test run, far too small to write well: what it says is the test. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { VarveError } from '#core/errors.ts';
import { acquireExclusiveLock } from '#providers/node/exclusive-lock.ts';
import { nodePlatform, type Platform } from '#providers/temporal/platform.ts';
import { obtainLanguageModel, type LanguageModelFiles, type TinyModel } from './install.ts';
import { CONTEXT_TOKENS } from './llama.ts';

const PROGRAM = new URL('chat-program.ts', import.meta.url);
/** Some seconds; much more where both cores are busy. */
const START_MS_MAX = 120_000;

export interface LanguageModel extends AsyncDisposable {
  /** The base that `/chat/completions` is added to. */
  readonly baseUrl: string;
  readonly contextTokens: number;
}

/**
 * What this machine lacks, in words for a person; null where it lacks nothing. Installs the model
 * into the tool cache: whether that works is only known by doing it.
 */
export async function missingForLanguageModel(): Promise<string | null> {
  try {
    await obtainLanguageModel(platform());
    return null;
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    return `a language model (${error.message})`;
  }
}

/** @throws VarveError PROVIDER_ERROR where the program ends or hangs at its start */
export async function startLanguageModel(model?: TinyModel): Promise<LanguageModel> {
  const files = await obtainLanguageModel(platform(), model);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', scriptOf(files)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.stdin.end();
    child.kill('SIGKILL');
    await ended;
  };
  const said = once(createInterface({ input: child.stdout }), 'line', {
    signal: AbortSignal.timeout(START_MS_MAX),
  });
  const [port] = (await Promise.race([said, ended]).catch(() => [])) as readonly unknown[];
  if (typeof port === 'string') {
    const baseUrl = `http://127.0.0.1:${port}/v1`;
    return { baseUrl, contextTokens: CONTEXT_TOKENS, [Symbol.asyncDispose]: stop };
  }
  await stop();
  throw new VarveError('PROVIDER_ERROR', 'The language model ended or hung at its start.');
}

/**
 * The module that runs models lies outside of the project, so only a script can import it. It
 * starts a process of its own with the arguments of this one, which are not meant for that.
 */
function scriptOf({ weights, runtime }: LanguageModelFiles): string {
  return [
    `import * as runtime from ${JSON.stringify(pathToFileURL(runtime).href)};`,
    `import { serve } from ${JSON.stringify(PROGRAM.href)};`,
    'process.execArgv.length = 0;',
    `await serve(runtime, ${JSON.stringify(weights)});`,
  ].join('\n');
}

function platform(): Platform {
  return nodePlatform({ env: process.env, acquireLock: acquireExclusiveLock });
}
