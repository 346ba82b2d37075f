/**
 * Builds Temporal with Go from the module in test/cluster/temporal. It takes about six minutes and
 * 2 GB of memory on two cores, once per version.
 */
import path from 'node:path';

import { VarveError } from '#core/errors.ts';

import { goBuildEnvironment } from './child-environment.ts';
import { programFile } from './server-platform.ts';
import type { Platform } from './server-platform.ts';
import type { Report } from './server-progress.ts';
import { TEMPORAL_CLI_VERSION, isAtLeast } from './server-version.ts';

const GO_VERSION_MIN = '1.26';
const PACKAGE = 'github.com/temporalio/cli/cmd/temporal';
/** What `go list -deps` counts for the package on Linux; only the progress bar rests on it. */
const PACKAGES = 1_717;
/** Modules that hold those packages. */
const MODULES = 205;
const VERSION_TIMEOUT_MS = 30_000;
const BUILD_TIMEOUT_MS = 60 * 60 * 1_000;
const REASON_LINES_MAX = 15;

export interface BuildOptions {
  readonly platform: Platform;
  readonly report: Report;
  readonly signal?: AbortSignal | undefined;
  /** Where go.mod and go.sum are; nothing is written there. */
  readonly moduleFolder: string;
  /** Where to put the program; the caller removes it. */
  readonly workFolder: string;
}

/**
 * Builds; answers the program's path, or undefined when there is no Go that is new enough.
 * Errors: PROVIDER_ERROR with the compiler's last lines when the build fails; CANCELLED.
 */
export async function buildTemporal(options: BuildOptions): Promise<string | undefined> {
  const { platform, report, workFolder } = options;
  const go = await findGo(platform, report);
  if (go === undefined) return undefined;
  report.line(`building Temporal ${TEMPORAL_CLI_VERSION}; this takes some minutes, once`);
  const target = path.join(workFolder, programFile('temporal', platform.os));
  const outcome = await platform.run({
    program: go,
    args: buildArguments(target),
    timeoutMs: BUILD_TIMEOUT_MS,
    cwd: options.moduleFolder,
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
