/** The package that npm makes, installed into a folder of its own. */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { readProjectFile, ROOT } from '../tidy/source-file.ts';

/** Through a slow registry, on a busy machine. */
const NPM_MS_MAX = 240_000;
const RUN_MS_MAX = 60_000;
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024;

/** What projects that use Varve bring along; versions of the day this was written. */
const TSX = 'tsx@4.23.15';
const ESBUILD = 'esbuild@0.28.2';
/** The newest of the oldest line that `engines` allows; a binary without install scripts. */
const NODE_22 = '22.23.3';
/** One that `engines` refuses. */
const NODE_20 = '20.20.2';

/** What the samples of the pages import, in the versions of this repository. */
const BROUGHT = [
  ...['@types/node', 'ai', '@modelcontextprotocol/sdk'],
  ...['@langchain/core', '@langchain/langgraph', 'langchain'],
];

const Manifest = z.object({ devDependencies: z.record(z.string(), z.string()) });

export interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Installed extends AsyncDisposable {
  /** Bytes of the packed file. */
  readonly packedBytes: number;
  /** Files of the package, relative to it. */
  readonly files: readonly string[];
  readonly folder: string;
  /** Programs by the major version of Node. */
  readonly nodes: Readonly<Record<'20' | '22' | '24', string>>;
  /** A project beside the others, which finds the same packages; its manifest and its files. */
  project(name: string, manifest: object, files: Readonly<Record<string, string>>): Promise<string>;
  /** A folder of its own with the package and others beside it. */
  separately(name: string, packages: readonly string[]): Promise<string>;
}

/** Builds, packs and installs once; the folder goes with the result. */
export async function installPackage(): Promise<Installed> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'varve-package-')));
  const { devDependencies } = Manifest.parse(JSON.parse(readProjectFile('package.json').text));
  await npm(ROOT, ['pack', '--pack-destination', folder]);
  const [packed = ''] = await readdir(folder);
  const tarball = path.join(folder, packed);
  await writeFile(path.join(folder, 'package.json'), '{"name":"uses-varve","version":"1.0.0"}');
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const node22 = `node-${platform}-${process.arch}`;
  const node20 = 'node-20';
  await npm(folder, [
    ...INSTALL,
    ...[tarball, TSX, ESBUILD, `${node22}@${NODE_22}`, `${node20}@npm:${node22}@${NODE_20}`],
    ...BROUGHT.map((name) => `${name}@${devDependencies[name] ?? ''}`),
  ]);
  const modules = path.join(folder, 'node_modules');
  const program = process.platform === 'win32' ? 'node.exe' : 'node';
  return {
    packedBytes: (await stat(tarball)).size,
    files: await filesOf(path.join(modules, 'varve')),
    folder,
    nodes: {
      '20': path.join(modules, node20, 'bin', program),
      '22': path.join(modules, node22, 'bin', program),
      '24': process.execPath,
    },
    async project(name, manifest, files) {
      const place = path.join(folder, name);
      await mkdir(place, { recursive: true });
      const all = { 'package.json': JSON.stringify({ name, ...manifest }), ...files };
      for (const [file, text] of Object.entries(all)) await writeFile(path.join(place, file), text);
      return place;
    },
    async separately(name, packages) {
      const place = path.join(folder, name);
      await mkdir(place, { recursive: true });
      await writeFile(path.join(place, 'package.json'), JSON.stringify({ name }));
      await npm(place, [...INSTALL, tarball, ...packages]);
      return place;
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Runs a program to its end; a status other than 0 is for the caller to judge. */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  timeout = RUN_MS_MAX,
): Promise<Ended> {
  const child = spawn(program, args, { cwd, timeout });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (said.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (said.stderr += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve({ status, ...said }));
  });
}

async function npm(cwd: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)('npm', args, {
    cwd,
    timeout: NPM_MS_MAX,
    maxBuffer: OUTPUT_BYTES_MAX,
    shell: process.platform === 'win32',
  });
}

async function filesOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.relative(folder, path.join(parentPath, name)))
    .map((file) => file.split(path.sep).join('/'));
}
