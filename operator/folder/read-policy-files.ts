/** Reads the policy folder on disk: which files count, and the errors of reading them. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { codeOf, VarveError } from '#core/errors.ts';
import { invalidResources } from '#crds/problem-report.ts';
import { noResources, type ResourceFile } from '#crds/read-resources.ts';

const FILE_BYTES_MAX = 1_048_576;
/** Limit of files; a folder with more is probably the wrong folder. */
const FILES_MAX = 1_000;

/**
 * Reads the YAML files of a folder, ordered by name. As with `kubectl apply -f`, subfolders are not
 * entered; hidden files, such as those of a mounted ConfigMap, are skipped.
 * @throws VarveError INVALID_INPUT if there is no such folder
 */
export async function readPolicyFolder(dir: string): Promise<readonly ResourceFile[]> {
  const names = (await listFolder(dir)).filter(isYaml).toSorted();
  const read = await Promise.all(names.slice(0, FILES_MAX).map((name) => readOne(dir, name)));
  const files = read.filter((file) => file !== null);
  if (names.length <= FILES_MAX) return files;
  const expected = `at most ${FILES_MAX} YAML files`;
  return [...files, { name: 'the policy folder', expected, found: `${names.length} files` }];
}

/** Reads one YAML file; null if it is a folder or does not exist. */
export async function readPolicyFile(file: string): Promise<ResourceFile | null> {
  const read = await readOne(path.dirname(file), path.basename(file));
  return read !== null && 'found' in read && read.found === REASONS['ENOENT'] ? null : read;
}

async function listFolder(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw unreadable(dir, error);
    throw invalidResources([noResources(reason)]);
  }
}

/**
 * Returns null if it is not a file: a folder with such a name, or a device that would never end.
 */
async function readOne(dir: string, name: string): Promise<ResourceFile | null> {
  try {
    const file = path.join(dir, name);
    const { size, ...kind } = await fileKind(file);
    if (!kind.isFile) return null;
    if (size > FILE_BYTES_MAX) {
      return { name, expected: `at most ${FILE_BYTES_MAX} bytes`, found: `${size} bytes` };
    }
    return { name, bytes: await readFile(file) };
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === null) throw unreadable(name, error);
    return { name, expected: 'a file that can be read', found: reason };
  }
}

async function fileKind(file: string): Promise<{ size: number; isFile: boolean }> {
  const stats = await stat(file);
  return { size: stats.size, isFile: stats.isFile() };
}

function isYaml(name: string): boolean {
  return !name.startsWith('.') && /\.ya?ml$/i.test(name);
}

/** Causes that the owner of the folder can fix. */
const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no file or folder of that name',
  ENOTDIR: 'a file where a folder is expected',
  EACCES: 'no permission to read it',
  EPERM: 'no permission to read it',
  ELOOP: 'links that lead back to themselves',
};

/**
 * Makes the error for causes that pass, such as too many open files, or that the administrator of
 * the machine must fix.
 */
function unreadable(name: string, cause: unknown): VarveError {
  const code = String(codeOf(cause) ?? 'no code');
  const message = `${name} cannot be read now (${code}); Varve reads it again later.`;
  return new VarveError('PROVIDER_ERROR', message, { cause });
}

function reasonOf(error: unknown): string | null {
  return REASONS[String(codeOf(error))] ?? null;
}
