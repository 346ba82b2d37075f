/** What other commands know of a running stack, in a file that goes with it. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { z } from 'zod';

const Addresses = z.object({
  pid: z.int(),
  apiUrl: z.string(),
  temporalAddress: z.string(),
  temporalNamespace: z.string(),
  uiUrl: z.string().nullable(),
});
export type Addresses = z.infer<typeof Addresses>;

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
