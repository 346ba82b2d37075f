/** The files of an installation, all under its data folder: addresses, logs, its token, policy. */
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rm,
  writeFile,
  link,
  open,
  rename,
  stat,
} from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import { createLog, type LogOptions } from '#providers/node/log.ts';
import { TOKEN_FILE } from './store-and-model-settings.ts';

interface StackPaths {
  readonly lock: string;
  readonly temporalFolder: string;
  readonly temporalLog: string;
  readonly workerLog: string;
  readonly serviceLog: string;
  readonly token: string;
  /** Addresses of the running stack, for other commands on this machine. */
  readonly addresses: string;
}

export function stackPaths(dataDir: string): StackPaths {
  return {
    lock: path.join(dataDir, 'lock', 'stack.lock'),
    temporalFolder: path.join(dataDir, 'temporal'),
    temporalLog: path.join(dataDir, 'logs', 'temporal.log'),
    workerLog: path.join(dataDir, 'logs', 'worker.log'),
    serviceLog: path.join(dataDir, 'logs', 'varve.log'),
    token: path.join(dataDir, TOKEN_FILE),
    addresses: path.join(dataDir, 'addresses.json'),
  };
}

/**
 * Makes the folder where it does not exist. Only its owner may look into it: it holds what people
 * said. A folder that holds something keeps its mode, since others may need what is there.
 * @throws VarveError PROVIDER_REJECTED where it cannot be made or is not ours
 */
export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    await mkdir(dataDir, { recursive: true });
    if ((await readdir(dataDir)).length === 0) await chmod(dataDir, 0o700);
  } catch (cause) {
    const message = 'The data folder cannot be made or written; choose another with --data-dir.';
    throw new VarveError('PROVIDER_REJECTED', message, { cause });
  }
}

const Addresses = z.object({
  pid: z.int(),
  apiUrl: z.string(),
  temporalAddress: z.string(),
  temporalNamespace: z.string(),
  uiUrl: z.string().nullable(),
});
export type Addresses = z.infer<typeof Addresses>;

/** What other commands know of a running stack, in a file that goes with it. */
export async function writeAddresses(file: string, addresses: Addresses): Promise<AsyncDisposable> {
  await writeFile(file, `${JSON.stringify(addresses, null, 2)}\n`);
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}

/** Null where no stack runs; a file left behind by a killed one does not count. */
export async function readAddresses(file: string): Promise<Addresses | null> {
  const parsed = Addresses.safeParse(await readJson(file));
  return parsed.success && isRunning(parsed.data.pid) ? parsed.data : null;
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return null;
    throw error;
  }
}

/** A path that leads through a file has no file at its end either. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error && 'code' in error)) return false;
  return error.code === 'ENOENT' || error.code === 'ENOTDIR';
}

/** Signal 0 only asks; another user's process answers EPERM, which also means that it runs. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A file that is as large becomes the one before, `<name>.1`; what was there goes. */
export const LOG_BYTES_MAX = 20 * 1024 * 1024;

/** A log file of an installation: JSON lines, with the one before it kept beside it. */
export function openLogFile(file: string, level: LogOptions['level']): Log & Disposable {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  let descriptor: number | null = openSync(file, 'a', 0o600);
  let bytes = statSync(file).size;
  const write = (line: string): void => {
    // What ends last may still say something.
    if (descriptor === null) return;
    if (bytes >= LOG_BYTES_MAX) {
      closeSync(descriptor);
      renameSync(file, `${file}.1`);
      descriptor = openSync(file, 'a', 0o600);
      bytes = 0;
    }
    bytes += writeSync(descriptor, line);
  };
  return {
    ...createLog({ level, destination: { write } }),
    [Symbol.dispose]: () => {
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
  };
}

/** What can be guessed by trying is no secret. */
export const API_TOKEN_LENGTH_MIN = 16;
/** What a header of HTTP carries whole. */
export const API_TOKEN = /^[!-~\u00a1-\u00ff]+$/u;
const TOKEN_BYTES = 32;
const SUFFIX_BYTES = 6;
const OWNER_ONLY = 0o600;
/** Permissions of anybody but the owner. */
const OTHERS = 0o077;

/**
 * The token that the file holds, or a new one, written whole or not at all.
 * @throws VarveError INVALID_INPUT for a file with a broken or too short a token,
 * PROVIDER_REJECTED for one that others can read and whose mode cannot be changed
 */
export async function localToken(file: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  return (await keptToken(file)) ?? newToken(file);
}

/** Null where there is no file. */
async function keptToken(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  const token = text.trim();
  if (token.length < API_TOKEN_LENGTH_MIN) {
    const message =
      `The token in ${file} has ${String(token.length)} characters; a token has at least ` +
      `${String(API_TOKEN_LENGTH_MIN)}. Remove the file, and the next start makes a new one.`;
    throw new VarveError('INVALID_INPUT', message);
  }
  if (!API_TOKEN.test(token)) {
    const message =
      `The token in ${file} has a space, a line break or a letter that no token has. Remove the ` +
      'file, and the next start makes a new one.';
    throw new VarveError('INVALID_INPUT', message);
  }
  await keepFromOthers(file);
  return token;
}

async function keepFromOthers(file: string): Promise<void> {
  const { mode } = await stat(file);
  if ((mode & OTHERS) === 0) return;
  try {
    await chmod(file, OWNER_ONLY);
  } catch (cause) {
    const message = `Others can read the token in ${file}. Its owner must set its mode to 0600.`;
    throw new VarveError('PROVIDER_REJECTED', message, { cause });
  }
}

/** If two processes create one at the same time, both return the token of the first. */
async function newToken(file: string): Promise<string> {
  const fresh = randomBytes(TOKEN_BYTES).toString('base64url');
  const temporary = `${file}.${randomBytes(SUFFIX_BYTES).toString('hex')}.tmp`;
  try {
    await using handle = await open(temporary, 'wx', OWNER_ONLY);
    await handle.writeFile(fresh);
    await handle.sync();
    if (await isFirst(temporary, file)) return fresh;
  } finally {
    await rm(temporary, { force: true });
  }
  return (await keptToken(file)) ?? fresh;
}

/** Gives the file its name, unless there is one of that name already. */
async function isFirst(temporary: string, file: string): Promise<boolean> {
  try {
    await link(temporary, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // A file system without hard links: the name is taken over at once.
    await rename(temporary, file);
    return true;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}

/** A first policy for an installation that has none: the defaults, written out to be changed. */
export const STARTER_FILE = 'tenant.yaml';

export function starterPolicy(tenant: string): string {
  return `# The policy of this installation. Varve watches this folder: save, and it holds.
# Everything that is left out has its default; \`varve doctor\` checks the files.
apiVersion: memory.varve.dev/v1alpha1
kind: MemoryTenant
metadata:
  name: ${JSON.stringify(tenant)}
spec:
  # What models may cost in a calendar month. Without a model nothing is spent.
  budget:
    dollars: "10.00"
    onExhausted: ServeStale
  refresh:
    # How long due summaries wait for each other, to share one model call.
    batchWindow: 5m
`;
}

/** Makes the folder with a starter where it does not exist; an existing one is left as it is. */
export async function ensurePolicyFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true });
  if (made === undefined) return;
  await writeFile(path.join(folder, STARTER_FILE), starterPolicy('default'), { flag: 'wx' });
}
