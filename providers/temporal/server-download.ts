/**
 * Temporal's released program from the vendor's own download address.
 *
 * The version is pinned and so is each archive's SHA-256, as published with the release v1.8.2 at
 * github.com/temporalio/cli; an archive that differs is not unpacked.
 */
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import path from 'node:path';

import { VarveError } from '#core/errors.ts';

import { programEnvironment } from './child-environment.ts';
import { programFile } from './server-platform.ts';
import type { Platform } from './server-platform.ts';
import type { Report } from './server-progress.ts';
import { TEMPORAL_CLI_VERSION } from './server-version.ts';

const HOST = 'temporal.download';
/** Machines without a way to the vendor's host must go on at once. */
const CONNECT_TIMEOUT_MS = 3_000;
const STALL_TIMEOUT_MS = 30_000;
const UNPACK_TIMEOUT_MS = 120_000;
/** The archives are about 60 MB. */
const ARCHIVE_BYTES_MAX = 400_000_000;
const MEGABYTE = 1_000_000;

export interface Archive {
  readonly query: string;
  readonly sha256: string;
}

/** By Node's names of operating system and CPU: `linux-x64`. */
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

export interface DownloadOptions {
  readonly platform: Platform;
  readonly report: Report;
  readonly signal?: AbortSignal | undefined;
  /** Where to unpack; the caller removes it. */
  readonly workFolder: string;
  /** Default: the pinned release's. */
  readonly archives?: Archives | undefined;
}

/**
 * Downloads and unpacks; answers the program's path, or undefined after a line that says why not.
 * Errors: CANCELLED when the signal fires.
 */
export async function downloadTemporal(options: DownloadOptions): Promise<string | undefined> {
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

/** Writes the archive to the file and answers its SHA-256 in hexadecimal digits. */
async function fetchArchive(url: string, file: string, options: DownloadOptions): Promise<string> {
  const patience = createPatience(options.signal);
  try {
    const response = await options.platform.fetch(url, { signal: patience.signal });
    patience.extend(STALL_TIMEOUT_MS);
    if (!response.ok || response.body === null) throw new Error(`HTTP ${response.status}`);
    const totalBytes = Number(response.headers.get('content-length') ?? 0);
    const hash = createHash('sha256');
    let bytes = 0;
    await using target = await open(file, 'w');
    for await (const chunk of response.body) {
      patience.extend(STALL_TIMEOUT_MS);
      bytes += chunk.length;
      if (bytes > ARCHIVE_BYTES_MAX) throw new Error('the archive is too large');
      hash.update(chunk);
      await target.write(chunk);
      reportBytes(options.report, bytes, totalBytes);
    }
    return hash.digest('hex');
  } finally {
    patience.end();
  }
}

interface Patience {
  readonly signal: AbortSignal;
  /** Restarts the timeout. */
  extend(ms: number): void;
  end(): void;
}

/** A signal that fires with the caller's, or when nothing has happened for too long. */
function createPatience(outer: AbortSignal | undefined): Patience {
  const controller = new AbortController();
  const arm = (ms: number): NodeJS.Timeout =>
    setTimeout(() => {
      controller.abort(new Error(`no answer within ${ms / 1_000} s`));
    }, ms);
  let timer = arm(CONNECT_TIMEOUT_MS);
  return {
    signal: outer === undefined ? controller.signal : AbortSignal.any([controller.signal, outer]),
    extend(ms) {
      clearTimeout(timer);
      timer = arm(ms);
    },
    end() {
      clearTimeout(timer);
    },
  };
}

async function unpack(file: string, options: DownloadOptions): Promise<string> {
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

/** `fetch` wraps what went wrong in "fetch failed"; the cause is what helps. */
function rootReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? rootReason(error.cause) : error.message;
}
