/**
 * Obtains the `temporal` program: from PATH, else from the cache, else by download, else by a
 * build. (A server whose address is given needs no program; the caller checks that first.)
 */
import { createHash } from 'node:crypto';
import { rename, open } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { VarveError } from '#core/errors.ts';
import { createStallTimeout } from '#providers/node/stall-timeout.ts';
import type { LockHolder } from '#providers/node/exclusive-lock.ts';
import { programEnvironment, goBuildEnvironment } from './child-environment.ts';
import { type Platform, programFile } from './server-platform.ts';
import { makeWorkFolder, openServerCache, type ServerCache } from './server-cache.ts';
import type { Report } from './server-progress.ts';
import {
  SERVER_VERSION_MIN,
  isAtLeast,
  parseTemporalVersion,
  TEMPORAL_CLI_VERSION,
} from './server-version.ts';

const MODULE_FOLDER = fileURLToPath(new URL('../../test/cluster/temporal', import.meta.url));
const VERSION_TIMEOUT_MS = 30_000;
/** Longer than the slowest build, so that a second process does not give up on the first. */
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
  /** Folder of the Go module, which is only read; default test/cluster/temporal. */
  readonly moduleFolder?: string | undefined;
  /** What can be downloaded; default the pinned release. */
  readonly archives?: Archives | undefined;
}

/**
 * Finds or makes the program. If two processes need it at once, only one makes it.
 * Guarantees: the program has run and printed its version; a broken one never stays in the cache.
 * Errors: PROVIDER_ERROR with advice if there is none; CANCELLED if the signal fires.
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
  // The vendor's install script puts it here, and asks the user to extend PATH by hand.
  const vendorFolder = path.join(platform.homeFolder, '.temporalio', 'bin');
  const file = await platform.findProgram('temporal', [vendorFolder]);
  return file === undefined ? undefined : await inspect(file, 'Path', options);
}

interface MakeOptions extends ObtainOptions {
  /** Where to put the program; the caller removes it. */
  readonly workFolder: string;
}

async function make(cache: ServerCache, options: ObtainOptions): Promise<TemporalProgram> {
  await using work = await makeWorkFolder(cache);
  const making = { ...options, workFolder: work.path };
  const downloaded = await downloadTemporal(making);
  if (downloaded !== undefined) {
    const program = await keep(downloaded, cache, { source: 'Download', options });
    if (program !== undefined) return program;
  }
  const built = await buildTemporal(making);
  if (built !== undefined) {
    const program = await keep(built, cache, { source: 'Build', options });
    if (program !== undefined) return program;
  }
  throw noneFound(options.platform);
}

/** Moves a program into the cache after a test run. */
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

/** Returns the program with its versions; undefined, after a line with the reason, if unusable. */
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

// Builds Temporal with Go from the module in test/cluster/temporal. It takes about six minutes and
// 2 GB of memory on two cores, once per version.

const GO_VERSION_MIN = '1.26';
const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
/** Packages that `go list -deps` counts on Linux; only the progress bar uses this number. */
const PACKAGES = 1_717;
/** Modules of those packages. */
const MODULES = 205;
const BUILD_TIMEOUT_MS = 60 * 60 * 1_000;
const REASON_LINES_MAX = 15;

/**
 * Builds the program; returns its path, or undefined if there is no Go that is new enough. Errors:
 * PROVIDER_ERROR with the compiler's last lines when the build fails; CANCELLED.
 */
async function buildTemporal(options: MakeOptions): Promise<string | undefined> {
  const { platform, report, workFolder } = options;
  const go = await findGo(platform, report);
  if (go === undefined) return undefined;
  report.line(`building Temporal ${TEMPORAL_CLI_VERSION}; this takes some minutes, once`);
  const target = path.join(workFolder, programFile('temporal', platform.os));
  const outcome = await platform.run({
    program: go,
    args: buildArguments(target),
    timeoutMs: BUILD_TIMEOUT_MS,
    cwd: moduleFolder(options),
    env: goBuildEnvironment(platform.env),
    signal: options.signal,
    onLine: createLineCounter(report),
  });
  if (outcome.kind === 'Succeeded') return target;
  const lines = outcome.output.split('\n').slice(-REASON_LINES_MAX).join('\n');
  throw new VarveError('PROVIDER_ERROR', `Building Temporal failed (${outcome.reason}):\n${lines}`);
}

async function findGo(platform: Platform, report: Report): Promise<string | undefined> {
  const go = await platform.findProgram('go', ['/usr/local/go/bin']);
  if (go === undefined) return undefined;
  const outcome = await platform.run({
    program: go,
    args: ['version'],
    timeoutMs: VERSION_TIMEOUT_MS,
    env: goBuildEnvironment(platform.env),
  });
  const version = /\bgo(\d+\.\d+\S*)/.exec(outcome.output)?.[1];
  if (outcome.kind === 'Succeeded' && version !== undefined && isAtLeast(version, GO_VERSION_MIN)) {
    return go;
  }
  report.line(`Go ${version ?? 'of an unknown version'} is too old to build Temporal`);
  return undefined;
}

function buildArguments(target: string): readonly string[] {
  const version = `github.com/temporalio/cli/internal/temporalcli.Version=${TEMPORAL_CLI_VERSION}`;
  const flags = ['-mod=readonly', '-trimpath', '-buildvcs=false', '-v'];
  return ['build', ...flags, '-ldflags', `-s -w -X ${version}`, '-o', target, PACKAGE];
}

/** Go names each module as it is fetched and, with -v, each package as it is compiled. */
function createLineCounter(report: Report): (line: string) => void {
  let modules = 0;
  let packages = 0;
  return (line) => {
    if (line.startsWith('go: downloading ')) {
      const done = Math.min((modules += 1), MODULES);
      report.step({ label: 'fetching Go modules', done, total: MODULES, unit: 'modules' });
    } else if (/^[\w.~/-]+$/.test(line)) {
      const done = Math.min((packages += 1), PACKAGES);
      report.step({ label: 'building Temporal', done, total: PACKAGES, unit: 'packages' });
    }
  };
}

const HOST = 'temporal.download';
/** Machines that cannot reach the vendor's host must continue quickly. */
const TIMEOUTS = { connectMs: 3_000, stallMs: 30_000 };
const UNPACK_TIMEOUT_MS = 120_000;
/** The archives are about 60 MB. */
const ARCHIVE_BYTES_MAX = 400_000_000;
const MEGABYTE = 1_000_000;

export interface Archive {
  readonly query: string;
  readonly sha256: string;
}

/** Archives by Node's names of operating system and CPU: `linux-x64`. */
export type Archives = Readonly<Record<string, Archive>>;

const ARCHIVES: Archives = {
  'linux-x64': {
    query: 'platform=linux&arch=amd64',
    sha256: 'd8421bda989e6514b4bdb4d63a9012a8a05a806892e881a5aad8510496349a94',
  },
  'linux-arm64': {
    query: 'platform=linux&arch=arm64',
    sha256: '83600a8fac6e3da54093e5da6918d399f501532b9f1172235603f9606f4ac6e4',
  },
  'darwin-x64': {
    query: 'platform=darwin&arch=amd64',
    sha256: '489d7f5420cae02b559774ac23df035141954c33a51dba96f5759a0ddccdf1b6',
  },
  'darwin-arm64': {
    query: 'platform=darwin&arch=arm64',
    sha256: 'dacdc3587682c04cf27e67c8878ca2d755230b6ad63c0c6ebddd7348ae90ed94',
  },
};

/**
 * Downloads and unpacks; returns the program's path, or undefined after a line with the reason.
 * Errors: CANCELLED when the signal fires.
 */
async function downloadTemporal(options: MakeOptions): Promise<string | undefined> {
  const { platform, report, workFolder } = options;
  const archive = (options.archives ?? ARCHIVES)[`${platform.os}-${platform.arch}`];
  if (archive === undefined) {
    report.line(`no download of Temporal is known for ${platform.os} on ${platform.arch}`);
    return undefined;
  }
  const file = path.join(workFolder, 'temporal.tar.gz');
  try {
    const sha256 = await fetchArchive(archiveUrl(archive), file, options);
    if (sha256 !== archive.sha256) throw new Error('the archive is not the one that was released');
    return await unpack(file, options);
  } catch (error) {
    if (options.signal?.aborted) {
      throw new VarveError('CANCELLED', 'Stopped while downloading Temporal.', { cause: error });
    }
    report.line(`no download of Temporal from ${HOST}: ${rootReason(error)}`);
    return undefined;
  }
}

function archiveUrl(archive: Archive): string {
  return `https://${HOST}/cli/archive/v${TEMPORAL_CLI_VERSION}?${archive.query}`;
}

/** Writes the archive to the file and returns its SHA-256 in hexadecimal digits. */
async function fetchArchive(url: string, file: string, options: MakeOptions): Promise<string> {
  const stall = createStallTimeout(options.signal, TIMEOUTS);
  try {
    const response = await options.platform.fetch(url, { signal: stall.signal });
    stall.restart();
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
    const totalBytes = Number(response.headers.get('content-length') ?? 0);
    const hash = createHash('sha256');
    let bytes = 0;
    await using target = await open(file, 'w');
    for await (const chunk of response.body) {
      stall.restart();
      bytes += chunk.length;
      if (bytes > ARCHIVE_BYTES_MAX) throw new Error('the archive is too large');
      hash.update(chunk);
      await target.write(chunk);
      reportBytes(options.report, bytes, totalBytes);
    }
    return hash.digest('hex');
  } finally {
    stall.end();
  }
}

async function unpack(file: string, options: MakeOptions): Promise<string> {
  const { platform, workFolder, signal } = options;
  const program = programFile('temporal', platform.os);
  const outcome = await platform.run({
    program: 'tar',
    args: ['-xzf', file, '-C', workFolder, program],
    timeoutMs: UNPACK_TIMEOUT_MS,
    env: programEnvironment(platform.env),
    signal,
  });
  if (outcome.kind === 'Failed') throw new Error(`tar: ${outcome.reason}`);
  return path.join(workFolder, program);
}

function reportBytes(report: Report, bytes: number, totalBytes: number): void {
  const done = Math.floor(bytes / MEGABYTE);
  const total = Math.max(done, Math.floor(totalBytes / MEGABYTE));
  report.step({ label: 'downloading Temporal', done, total, unit: 'MB' });
}

/** `fetch` wraps the reason in "fetch failed"; the cause is what helps. */
function rootReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? rootReason(error.cause) : error.message;
}
