/** The files of an installation, all under its data folder: addresses, logs, token, policy. */
import { acquireExclusiveLock, type ExclusiveLock } from '#providers/node/exclusive-lock.ts';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, renameSync, statSync, writeSync } from 'node:fs';
import {
  chmod,
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
import { codeOf, VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import { makeFolder } from '#providers/node/make-folder.ts';
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
 * Takes the lock of a data folder, which only one installation may run on.
 * @param refusal what to say if another process has it
 * @throws VarveError CONFLICT
 */
export async function lockDataFolder(dataDir: string, refusal: string): Promise<ExclusiveLock> {
  try {
    return await acquireExclusiveLock(stackPaths(dataDir).lock);
  } catch (error) {
    if (!(error instanceof VarveError && error.code === 'CONFLICT')) throw error;
    throw new VarveError('CONFLICT', refusal, { details: error.details, cause: error });
  }
}

/**
 * Creates the folder if it does not exist. Only its owner may read it, since it holds what people
 * said. A folder that is not empty keeps its mode, since others may need its content.
 * @throws VarveError PROVIDER_REJECTED if it cannot be created or belongs to another user
 */
export async function makeDataFolder(dataDir: string): Promise<void> {
  try {
    makeFolder(dataDir);
    if ((await readdir(dataDir)).length === 0) await chmod(dataDir, 0o700);
  } catch (cause) {
    const message =
      `The data folder ${JSON.stringify(dataDir)} cannot be created or written; choose another ` +
      'with --data-dir.';
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

/** Writes the addresses of a running stack, to a file that is removed with it. */
export async function writeAddresses(file: string, addresses: Addresses): Promise<AsyncDisposable> {
  await writeFile(file, `${JSON.stringify(addresses, null, 2)}\n`);
  return { [Symbol.asyncDispose]: () => rm(file, { force: true }) };
}

/** Returns null if no stack runs; a file left behind by a killed stack does not count. */
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

/** Whether a path does not exist; it also does not if a file is where a folder should be. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

/** Signal 0 only asks; another user's process answers EPERM, which also means that it runs. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}

/** A file of this size is renamed to `<name>.1`, which replaces an earlier one. */
export const LOG_BYTES_MAX = 20 * 1024 * 1024;

/** Opens a log file of an installation: JSON lines, with the previous file kept next to it. */
export function openLogFile(file: string, level: LogOptions['level']): Log & Disposable {
  makeFolder(path.dirname(file), 0o700);
  let descriptor: number | null = openSync(file, 'a', 0o600);
  let bytes = statSync(file).size;
  const write = (line: string): void => {
    // The last parts to end may still log after the file is closed.
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

/** A shorter token could be guessed. */
export const API_TOKEN_LENGTH_MIN = 16;
/** Characters that an HTTP header transmits unchanged. */
export const API_TOKEN = /^[!-~\u00a1-\u00ff]+$/u;
const TOKEN_BYTES = 32;
const SUFFIX_BYTES = 6;
const OWNER_ONLY = 0o600;
/** Permissions of anybody but the owner. */
const OTHERS = 0o077;

/**
 * Returns the token in the file, or creates one; the file is written as a whole or not at all.
 * @throws VarveError INVALID_INPUT for a file with a broken or too short token, PROVIDER_REJECTED
 * for one that others can read and whose mode cannot be changed
 */
export async function localToken(file: string): Promise<string> {
  makeFolder(path.dirname(file), 0o700);
  return (await keptToken(file)) ?? newToken(file);
}

/** Returns null if there is no file. */
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

/** Gives the file its name, unless that name already exists. Returns whether it did. */
async function isFirst(temporary: string, file: string): Promise<boolean> {
  try {
    await link(temporary, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    // A file system without hard links: rename it, which replaces an existing file.
    await rename(temporary, file);
    return true;
  }
}

/** A first policy for an installation that has none: the defaults, written out to be changed. */
export const STARTER_FILE = 'tenant.yaml';

export function starterPolicy(tenant: string): string {
  return `# The policy of this installation. Varve watches this folder and applies what you save.
# Everything that you leave out has its default; \`varve doctor\` checks the files.
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

/** Creates the folder with a starter policy, unless it exists. */
export async function ensurePolicyFolder(folder: string): Promise<void> {
  const made = makeFolder(folder);
  if (made === undefined) return;
  await writeFile(path.join(folder, STARTER_FILE), starterPolicy('default'), { flag: 'wx' });
}
