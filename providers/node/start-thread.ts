/**
 * Starts a thread on one of Varve's own programs.
 *
 * A program of the package is JavaScript. In a clone it is TypeScript, and each thread would strip
 * the types itself, by a WebAssembly program of Node that it starts and drops. V8's registry of
 * pages with machine code, one for all threads of a process, does not survive that
 * (docs/decisions/0067). So this thread strips the types, once, and hands the sources over.
 */
import { readFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** Maximum sources of a program; a cycle of imports ends on its own. */
const SOURCES_MAX = 1_000;
/** Of the project; packages are imported by other names and load normally. */
const OWN_IMPORT = /\b(?:from|import)\s*['"]([#.][^'"]+\.ts)['"]/gu;

/** The first source of each program that was started, made once. */
const starters = new Map<string, string>();

/**
 * @param program the file of a program that stands beside the caller, by its address
 * @throws Error where a source can't be read
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

/** Each source of a program by its address, without types. */
function sourcesOf(program: URL): [string, string][] {
  const sources = new Map<string, string>();
  const unread = [program.href];
  for (let url = unread.pop(); url !== undefined; url = unread.pop()) {
    if (sources.has(url)) continue;
    if (sources.size === SOURCES_MAX) {
      throw new Error(`${program.href} imports more than ${String(SOURCES_MAX)} sources.`);
    }
    const source = withoutTypes(readFileSync(fileURLToPath(url), 'utf8'));
    sources.set(url, source);
    const { resolve } = createRequire(url);
    for (const [, name = ''] of source.matchAll(OWN_IMPORT)) {
      unread.push(pathToFileURL(resolve(name)).href);
    }
  }
  return [...sources];
}

/** Node warns, once a process, that its function may change; there is nothing to do about that. */
function withoutTypes(source: string): string {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
