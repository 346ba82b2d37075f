/**
 * Starts a thread on one of Varve's own programs.
 *
 * In the package a program is JavaScript. In a clone it is TypeScript, and each thread would strip
 * the types itself with a WebAssembly program of Node, started and dropped each time. V8's registry
 * of code pages, shared by all threads of a process, does not survive that (docs/decisions/0067).
 * So this thread strips the types once and passes the sources on. Starting that program takes
 * longer than the rest of a start, so stripped sources are kept beside the code that Node keeps.
 */
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, getCompileCacheDir, stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Maximum sources of a program; a cycle of imports ends on its own. */
const SOURCES_MAX = 1_000;
/** Imports of the project; packages have other names and load normally. */
const OWN_IMPORT = /\b(?:from|import)\s*['"]([#.][^'"]+\.ts)['"]/gu;

/** The first source of each started program, made once. */
const starters = new Map<string, string>();

/**
 * Starts a thread.
 * @param program URL of a program's file beside the caller
 * @throws Error if a source cannot be read
 */
export function startThread(program: URL, options: WorkerOptions): Worker {
  if (!program.pathname.endsWith('.ts')) return new Worker(program, options);
  const starter = starters.get(program.href) ?? starterOf(program);
  starters.set(program.href, starter);
  return new Worker(starter, { ...options, eval: true });
}

function starterOf(program: URL): string {
  const sources = JSON.stringify(sourcesOf(program));
  return `
    const sources = new Map(${sources});
    require('node:module').registerHooks({
      load(url, context, nextLoad) {
        const source = sources.get(url);
        if (source === undefined) return nextLoad(url, context);
        return { format: 'module', source, shortCircuit: true };
      },
    });
    import(${JSON.stringify(program.href)});
  `;
}

/** Returns each source of a program, by its URL, without types. */
function sourcesOf(program: URL): [string, string][] {
  const sources = new Map<string, string>();
  const unread = [program.href];
  for (let url = unread.pop(); url !== undefined; url = unread.pop()) {
    if (sources.has(url)) continue;
    if (sources.size === SOURCES_MAX) {
      throw new Error(`${program.href} imports more than ${String(SOURCES_MAX)} sources.`);
    }
    const source = keptWithoutTypes(url);
    sources.set(url, source);
    const { resolve } = createRequire(url);
    for (const [, name = ''] of source.matchAll(OWN_IMPORT)) {
      unread.push(pathToFileURL(resolve(name)).href);
    }
  }
  return [...sources];
}

/**
 * Returns a source without types: a kept one if it is of this source and whole, in one file for
 * each URL.
 */
function keptWithoutTypes(url: string): string {
  const source = readFileSync(fileURLToPath(url), 'utf8');
  const folder = getCompileCacheDir();
  if (folder === undefined) return withoutTypes(source);
  const file = path.join(folder, `stripped-${digestOf(url)}`);
  const kept = readIfThere(file);
  const known = kept.slice(DIGEST_UNITS);
  if (kept.slice(0, DIGEST_UNITS) === digestOf(source + known)) return known;
  const stripped = withoutTypes(source);
  keep(file, digestOf(source + stripped) + stripped);
  return stripped;
}

/** Before each kept source: the digest of what it was made of and of itself, in hexadecimal. */
const DIGEST_UNITS = 64;

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Writes a whole file, or none: without one, the next process strips the source again. */
function keep(file: string, text: string): void {
  const unfinished = `${file}.${randomUUID()}`;
  try {
    writeFileSync(unfinished, text);
    renameSync(unfinished, file);
  } catch {
    // Such as a folder that is read-only, or a full disk.
    removeIfThere(unfinished);
  }
}

function removeIfThere(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // A folder that is read-only has none.
  }
}

/** Strips types without Node's warning that the function may change. */
function withoutTypes(source: string): string {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
