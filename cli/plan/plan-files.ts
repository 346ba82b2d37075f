/** The files that `varve plan -f` names: YAML files, folders of them, and standard input. */
import { readFile, stat } from 'node:fs/promises';
import type { ResourceFile } from '#crds/read-resources.ts';
import { readPolicyFolder } from '#operator/folder/policy-folder.ts';

/** As in a policy folder. */
const FILE_BYTES_MAX = 1_048_576;
const STANDARD_INPUT = '-';

/** Files in the order in which they are named; what cannot be read is a problem of its report. */
export async function planFiles(
  names: readonly string[],
  input: AsyncIterable<Uint8Array>,
): Promise<readonly ResourceFile[]> {
  const files: ResourceFile[] = [];
  for (const name of new Set(names)) {
    if (name === STANDARD_INPUT) files.push(await readInput(input));
    else files.push(...(await readNamed(name)));
  }
  return files;
}

async function readNamed(name: string): Promise<readonly ResourceFile[]> {
  try {
    const found = await stat(name);
    if (found.isDirectory()) return await readPolicyFolder(name);
    if (found.size > FILE_BYTES_MAX) return [tooLarge(name)];
    return [{ name, bytes: await readFile(name) }];
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const isAbsent = error.code === 'ENOENT';
    const reason = isAbsent ? 'nothing of that name' : 'no way to read it';
    return [{ name, expected: 'a file or folder that can be read', found: reason }];
  }
}

async function readInput(input: AsyncIterable<Uint8Array>): Promise<ResourceFile> {
  const name = 'standard input';
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of input) {
    size += chunk.byteLength;
    if (size > FILE_BYTES_MAX) return tooLarge(name);
    chunks.push(chunk);
  }
  return { name, bytes: Buffer.concat(chunks) };
}

function tooLarge(name: string): ResourceFile {
  return { name, expected: `at most ${FILE_BYTES_MAX} bytes`, found: 'more' };
}
