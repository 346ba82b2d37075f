/**
 * Obtains the `temporal` program: one on PATH, else one kept from an earlier run, else a download,
 * else a build. (A server whose address is given needs no program; the caller looks at that first.)
 */
import { rename } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { VarveError } from '#core/errors.ts';

import { programEnvironment } from './child-environment.ts';
import type { LockHolder, Platform } from './server-platform.ts';
import { buildTemporal } from './server-build.ts';
import { makeWorkFolder, openServerCache } from './server-cache.ts';
import type { ServerCache } from './server-cache.ts';
import { downloadTemporal } from './server-download.ts';
import type { Archives } from './server-download.ts';
import type { Report } from './server-progress.ts';
import { SERVER_VERSION_MIN, isAtLeast, parseTemporalVersion } from './server-version.ts';

const MODULE_FOLDER = fileURLToPath(new URL('../../test/cluster/temporal', import.meta.url));
const VERSION_TIMEOUT_MS = 30_000;
/** Longer than the slowest build, so that a second process doesn't give up on the first. */
const LOCK_WAIT_MS = 90 * 60 * 1_000;

export interface TemporalProgram {
  /** Absolute path of the executable. */
  readonly path: string;
  readonly cliVersion: string;
  readonly serverVersion: string;
  readonly source: 'Path' | 'Cache' | 'Download' | 'Build';
}

export interface ObtainOptions {
  readonly platform: Platform;
  readonly report: Report;
  readonly signal?: AbortSignal | undefined;
  /** Folder of the Go module, default test/cluster/temporal. */
  readonly moduleFolder?: string | undefined;
  /** What can be downloaded, default the pinned release. */
  readonly archives?: Archives | undefined;
}

/**
 * Finds or makes the program. Two processes that need it at once make it once.
 * Guarantees: the program has run and named its version; a broken one never stays in the cache.
 * Errors: PROVIDER_ERROR naming the ways out when there is none; CANCELLED when the signal fires.
 */
export async function obtainTemporal(options: ObtainOptions): Promise<TemporalProgram> {
  const onPath = await fromPath(options);
  if (onPath !== undefined) return onPath;
  const { platform, signal, report } = options;
  const cache = await openServerCache(platform, moduleFolder(options));
  const kept = await inspect(cache.program, 'Cache', options);
  if (kept !== undefined) return kept;
  const onWait = (holder: LockHolder | undefined): void => {
    const who = `process ${holder?.pid ?? '(unknown)'}`;
    report.line(`${who} has been getting Temporal since ${holder?.since ?? 'now'}; waiting for it`);
  };
  await using held = new AsyncDisposableStack();
  held.use(await platform.acquireLock(cache.lock, { waitMs: LOCK_WAIT_MS, signal, onWait }));
  try {
    return (await inspect(cache.program, 'Cache', options)) ?? (await make(cache, options));
  } finally {
    report.finish();
  }
}

async function fromPath(options: ObtainOptions): Promise<TemporalProgram | undefined> {
  const { platform } = options;
  // Where the vendor's install script puts it, which asks the user to extend PATH by hand.
  const vendorFolder = path.join(platform.homeFolder, '.temporalio', 'bin');
  const file = await platform.findProgram('temporal', [vendorFolder]);
  return file === undefined ? undefined : await inspect(file, 'Path', options);
}

async function make(cache: ServerCache, options: ObtainOptions): Promise<TemporalProgram> {
  const { platform, report, signal, archives } = options;
  await using work = await makeWorkFolder(cache);
  const workFolder = work.path;
  const downloaded = await downloadTemporal({ platform, report, signal, workFolder, archives });
  if (downloaded !== undefined) {
    const program = await keep(downloaded, cache, { source: 'Download', options });
    if (program !== undefined) return program;
  }
  const folder = moduleFolder(options);
  const built = await buildTemporal({ platform, report, signal, workFolder, moduleFolder: folder });
  if (built !== undefined) {
    const program = await keep(built, cache, { source: 'Build', options });
    if (program !== undefined) return program;
  }
  throw noneFound(platform);
}

/** Moves a program into the cache once it has shown that it runs here. */
async function keep(
  file: string,
  cache: ServerCache,
  made: { readonly source: 'Download' | 'Build'; readonly options: ObtainOptions },
): Promise<TemporalProgram | undefined> {
  const program = await inspect(file, made.source, made.options);
  if (program === undefined) return undefined;
  await rename(file, cache.program);
  return { ...program, path: cache.program };
}

/** The program with its versions; undefined, after a line that says why, when it can't be used. */
async function inspect(
  file: string,
  source: TemporalProgram['source'],
  options: ObtainOptions,
): Promise<TemporalProgram | undefined> {
  const { platform, report, signal } = options;
  const command = { program: file, args: ['--version'], timeoutMs: VERSION_TIMEOUT_MS };
  const outcome = await platform.run({ ...command, env: programEnvironment(platform.env), signal });
  if (outcome.kind === 'Failed') {
    if (source !== 'Cache') report.line(`Temporal (${source}) does not run: ${outcome.reason}`);
    return undefined;
  }
  const version = parseTemporalVersion(outcome.output);
  const serverVersion = version?.serverVersion ?? '0.0';
  const found = `found Temporal server ${serverVersion} (${WHERE[source]})`;
  if (version === undefined || !isAtLeast(serverVersion, SERVER_VERSION_MIN)) {
    report.line(`${found}; ignored, since Varve needs ${SERVER_VERSION_MIN} or newer`);
    return undefined;
  }
  report.line(found);
  return { path: file, ...version, source };
}

const WHERE = {
  Path: 'on PATH',
  Cache: 'kept from an earlier run',
  Download: 'downloaded',
  Build: 'built',
} as const satisfies Record<TemporalProgram['source'], string>;

function noneFound({ os }: Platform): VarveError {
  const [install, go] = WAYS_OUT[os] ?? WAYS_OUT_ELSEWHERE;
  const message = [
    'Varve needs a Temporal server and found none. Any one of these is enough:',
    `  1. Install Temporal's command line:  ${install}`,
    '  2. Use a server that runs already:   export TEMPORAL_ADDRESS=127.0.0.1:7233',
    `  3. Install Go 1.26 or newer:         ${go}`,
    '     and nothing else: the next start builds the server, once, in some minutes.',
  ].join('\n');
  return new VarveError('PROVIDER_ERROR', message);
}

const WAYS_OUT_ELSEWHERE = [
  'curl -sSf https://temporal.download/cli.sh | sh',
  'see https://go.dev/doc/install',
] as const;

const WAYS_OUT: Readonly<Partial<Record<NodeJS.Platform, readonly [string, string]>>> = {
  darwin: ['brew install temporal', 'brew install go'],
  win32: ['scoop install temporal-cli', 'winget install GoLang.Go'],
};

function moduleFolder(options: ObtainOptions): string {
  return options.moduleFolder ?? MODULE_FOLDER;
}
