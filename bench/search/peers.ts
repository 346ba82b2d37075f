/**
 * Stores that other projects ship for memory, installed into the tool cache on first use. They are
 * only for comparison; nothing in Varve needs them.
 */
import { existsSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import readline from 'node:readline';
import { nodePlatform, type Environment } from '#providers/temporal/server-platform.ts';
import { cacheFolder } from '#providers/temporal/server-cache.ts';
import type { Contender } from '../rounds.ts';

const PACKAGES = {
  mem0ai: '3.3.1',
  '@langchain/langgraph-checkpoint': '1.2.2',
  '@langchain/core': '1.4.0',
};
export const PEERS = ['LangGraph InMemoryStore', 'mem0 in memory'] as const;
const PROGRAM = path.join(import.meta.dirname, 'peer-process.mjs');
/** Installing may compile one of the packages. */
const INSTALL_MS_MAX = 15 * 60 * 1_000;
const VERSION_MS_MAX = 10_000;
const LOAD_MS_MAX = 60_000;
const HASH_CHARACTERS = 8;
const OF_NPM_RUN = /[\\/]node_modules[\\/]\.bin[\\/]?$|[\\/]node-gyp-bin[\\/]?$/u;

export interface Peers extends AsyncDisposable {
  /** Reads texts with their vectors: memories first, then every question that will be asked. */
  learn(file: string): Promise<void>;
  add(texts: readonly string[]): Promise<void>;
  contender(peer: (typeof PEERS)[number], questionOf: (at: number) => string): Contender;
}

/** Starts the peers in a process of their own, or returns why they can't run here. */
export async function openPeers(
  dimensions: number,
  limit: number,
  given: Environment = process.env,
): Promise<Peers | string> {
  const env = peerEnvironment(given);
  const { folder, problem } = await install(env, dimensions);
  if (problem !== null) return problem;
  const child = spawn('node', [PROGRAM, folder, String(dimensions)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  });
  const answers = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let cpuMs = 0;
  const ask = async (question: object): Promise<void> => {
    child.stdin.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await answers.next();
    if (done === true) throw new Error('The process of the peers ended.');
    ({ cpuMs } = JSON.parse(value) as { cpuMs: number });
  };
  return {
    learn: (file) => ask({ action: 'learn', file }),
    add: (texts) => ask({ action: 'add', texts }),
    contender: (peer, questionOf) => ({
      name: peer,
      run: (at) => ask({ action: 'search', peer, question: questionOf(at), limit }),
      cpuMs: () => cpuMs,
    }),
    [Symbol.asyncDispose]: async () => {
      child.stdin.end();
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

/**
 * Removes the folders that `npm run` puts at the front of PATH. They contain the Node of this
 * project, but npm compiles for the Node that it belongs to.
 */
function peerEnvironment(env: Environment): Environment {
  const folders = (env['PATH'] ?? '').split(path.delimiter);
  const others = folders.filter((folder) => !OF_NPM_RUN.test(folder));
  // Peers must not send data to other machines.
  return { ...env, PATH: others.join(path.delimiter), MEM0_TELEMETRY: 'false' };
}

interface Installed {
  readonly folder: string;
  /** Null if the peers can be run from there. */
  readonly problem: string | null;
}

/** Installs what is missing, and reinstalls what does not load. */
async function install(env: Environment, dimensions: number): Promise<Installed> {
  const platform = nodePlatform(env);
  const succeeds = async (program: 'node' | 'npm', args: readonly string[], timeoutMs: number) => {
    const outcome = await platform.run({ program, args: [...args], timeoutMs, env });
    return outcome.kind === 'Succeeded' ? outcome.output.trim() : null;
  };
  const version = await succeeds('node', ['--version'], VERSION_MS_MAX);
  if (version === null) return { folder: '', problem: 'no Node is on the PATH' };
  // Packages compiled for one Node do not run on another.
  const manifest = JSON.stringify({ private: true, dependencies: PACKAGES });
  const made = createHash('sha256').update(manifest).update(version);
  const key = made.digest('hex').slice(0, HASH_CHARACTERS);
  const folder = path.join(cacheFolder(platform), `bench-peers-${key}`);
  const done = path.join(folder, 'installed');
  // Without input, the program loads the peers and ends.
  const doesLoad = async (): Promise<boolean> =>
    (await succeeds('node', [PROGRAM, folder, String(dimensions)], LOAD_MS_MAX)) !== null;
  if (existsSync(done)) {
    if (await doesLoad()) return { folder, problem: null };
    process.stderr.write('the installed peers do not load; installing them again\n');
    await rm(folder, { recursive: true, force: true });
  }
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'package.json'), manifest);
  process.stderr.write('installing the peers of this measurement; this happens once\n');
  const args = ['install', '--no-audit', '--no-fund', '--prefix', folder];
  if ((await succeeds('npm', args, INSTALL_MS_MAX)) === null) {
    return { folder, problem: 'the packages of the peers could not be installed' };
  }
  if (!(await doesLoad())) {
    return { folder, problem: `the packages of the peers in ${folder} do not load` };
  }
  await writeFile(done, '');
  return { folder, problem: null };
}
