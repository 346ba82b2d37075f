/**
 * Builds the package: `dist/` with declarations, and JavaScript that every Node of `engines` runs.
 *
 * `exports` of package.json lists the entries: `dist/types/X.d.ts` and the file that `default`
 * names are both built from `X.ts`. Rolldown makes the JavaScript, in chunks that load on demand;
 * the compiler makes the declarations. Packages are not bundled.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { ensureInstalled } from './install.mjs';

const ROOT = path.dirname(import.meta.dirname);
// `npm pack` in a fresh clone has no packages yet.
await ensureInstalled(ROOT);
const { rolldown } = await import('rolldown');

const DIST = path.join(ROOT, 'dist');
const TYPES = path.join(DIST, 'types');
const RUNTIME = path.join(import.meta.dirname, 'node-22-polyfill.mjs');
const TARGET = 'node22.16';

/** Sources that are started by file name: from `bin`, as a thread or process, or by Temporal. */
const PROGRAMS = {
  'cli/bin.ts': 'varve.js',
  'cli/main.ts': 'main.js',
  'providers/sqlite/search/search-thread-program.ts': 'search-thread-program.js',
  'providers/sqlite/rewrite-thread-program.ts': 'rewrite-thread-program.js',
  'providers/onnx/embedding-thread-program.ts': 'embedding-thread-program.js',
};
/** Temporal bundles this again for its sandbox, so it shares no chunk with code for Node. */
const WORKFLOWS = { 'workflows/index.ts': 'workflows.js' };
/** Folders that the sources read, and their places in the package. */
const FOLDERS = { 'examples/acme': 'examples/acme', 'test/cluster/temporal': 'temporal-module' };
/** `new URL('…', import.meta.url)`, with which a source names a file relative to itself. */
const PLACE = /new URL\(\s*'([^']+)',\s*import\.meta\.url\s*,?\s*\)/gu;
/** Module specifiers in declarations: of an import statement, or of an inline `import()` type. */
const SPECIFIER = /(\bfrom |\bimport\(|\bimport )(['"])((?:#|\.{1,2}\/)[^'"]+)\.ts\2/gu;
const PACKAGE = /(?:\bfrom |\bimport\(|\bimport )['"]((?:@[^/'"]+\/)?[^#./'"][^/'"]*)[^'"]*['"]/gu;

const manifest = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));

rmSync(DIST, { recursive: true, force: true });
const entries = entriesOf(manifest.exports);
const sources = { ...Object.fromEntries(entries.map((e) => [e.source, e.file])), ...PROGRAMS };
await bundle(sources);
await bundle(WORKFLOWS);
chmodSync(path.join(DIST, 'varve.js'), 0o755);
for (const [from, to] of Object.entries(FOLDERS)) {
  cpSync(path.join(ROOT, from), path.join(DIST, to), { recursive: true });
}
const declared = declare(entries);
const { files, bytes } = sizeOf(DIST);
process.stdout.write(
  `dist: ${files} files, ${(bytes / 1e6).toFixed(1)} MB, ${declared} of them declarations\n`,
);

/** Returns the entries of the package: import name, source, file and declarations. */
function entriesOf(exports) {
  return Object.entries(exports).flatMap(([name, target]) => {
    if (typeof target === 'string') return [];
    const source = target.types.replace('./dist/types/', '').replace(/\.d\.ts$/u, '.ts');
    const file = target.default.replace('./dist/', '');
    if (!existsSync(path.join(ROOT, source)) || file.includes('/')) {
      throw new Error(
        `exports["${name}"] of package.json names ${target.types} and ${target.default}. ` +
          'Expected ./dist/types/X.d.ts with a source X.ts, and ./dist/NAME.js.',
      );
    }
    return [{ name, source, file, types: target.types }];
  });
}

async function bundle(wanted) {
  const names = Object.fromEntries(
    Object.entries(wanted).map(([source, file]) => [file.replace(/\.js$/u, ''), source]),
  );
  const build = await rolldown({
    cwd: ROOT,
    input: names,
    platform: 'node',
    external: (id) => /^(?:@(?!oxc-project\/)|[a-z])/iu.test(id) && !path.isAbsolute(id),
    transform: {
      target: TARGET,
      inject: {
        AsyncDisposableStack: [RUNTIME, 'AsyncDisposableStack'],
        SuppressedError: [RUNTIME, 'SuppressedError'],
      },
    },
    plugins: [{ name: 'places', transform: placed }],
    onLog: (level, log) => {
      if (level !== 'debug' && level !== 'info') throw new Error(log.message);
    },
  });
  // Put all files in one folder, so that relative names work from every chunk.
  await build.write({
    dir: DIST,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name]-[hash].js',
  });
  await build.close();
}

/** Replaces file names relative to a source by their places in the package. */
function placed(code, id) {
  if (!code.includes('import.meta.url')) return null;
  return code.replaceAll(PLACE, (_, relative) => {
    const wanted = path.relative(ROOT, path.resolve(path.dirname(id), relative));
    const place = placeOf(wanted.split(path.sep).join('/'));
    if (place === undefined) {
      throw new Error(
        `${id} names ${relative}. Add it to PROGRAMS or FOLDERS of scripts/build-package.mjs.`,
      );
    }
    return `new URL('./${place}', import.meta.url)`;
  });
}

function placeOf(wanted) {
  const file = { ...PROGRAMS, ...WORKFLOWS, ...FOLDERS }[wanted];
  if (file !== undefined) return file;
  const inside = Object.entries(FOLDERS).find(([from]) => from.startsWith(`${wanted}/`));
  return inside === undefined ? undefined : `${wanted}/`;
}

/**
 * Writes the declarations that entries reach; returns how many. Declarations of `.` may import only
 * packages that are always installed; those of other entries also packages that users add.
 */
function declare(entries) {
  const config = path.join(DIST, 'tsconfig.json');
  const files = entries.map(({ source }) => path.join(ROOT, source));
  // Types for packages that have none are beside the source that imports the package.
  const folders = new Set(Object.values(manifest.imports).map((place) => place.split('/')[1]));
  const include = [...folders].map((folder) => path.join(ROOT, folder, '**', '*.d.ts'));
  const base = path.join(ROOT, 'tsconfig.build.json');
  writeFileSync(config, JSON.stringify({ extends: base, files, include }));
  const compiler = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  // More threads would check many of the same types again.
  const args = [compiler, '-p', config, '--singleThreaded'];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  rmSync(config);
  if (status !== 0) throw new Error(`The compiler refused the sources:\n${stdout}`);
  const installed = Object.keys(manifest.dependencies);
  const brought = [...installed, ...Object.keys(manifest.peerDependencies)];
  const reached = new Set();
  for (const { name, types } of entries) {
    followDeclarations(
      path.join(ROOT, types),
      new Set(name === '.' ? installed : brought),
      reached,
    );
  }
  for (const file of filesIn(TYPES)) if (!reached.has(file)) rmSync(file);
  return reached.size;
}

/** Rewrites the imports of a declaration and of all that it reaches, and adds them to `reached`. */
function followDeclarations(entry, allowed, reached) {
  const open = [entry];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue;
    reached.add(file);
    const text = readFileSync(file, 'utf8').replaceAll(SPECIFIER, (_, keyword, quote, name) => {
      const target = name.startsWith('#')
        ? path.join(TYPES, name.slice(1))
        : path.resolve(path.dirname(file), name);
      open.push(`${target}.d.ts`);
      return keyword + quote + relativeTo(file, `${target}.js`) + quote;
    });
    for (const [, name] of text.matchAll(PACKAGE)) {
      if (name.startsWith('node:') || allowed.has(name)) continue;
      const place = path.relative(TYPES, file);
      throw new Error(`${place} declares types of ${name}, which its users may not have.`);
    }
    writeFileSync(file, text);
  }
}

function relativeTo(file, target) {
  const relative = path.relative(path.dirname(file), target).split(path.sep).join('/');
  return relative.startsWith('.') ? relative : `./${relative}`;
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile());
}

function sizeOf(folder) {
  const files = filesIn(folder);
  return { files: files.length, bytes: files.reduce((sum, file) => sum + statSync(file).size, 0) };
}
