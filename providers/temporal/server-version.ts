/** The Temporal version that Varve builds or downloads, and those that it accepts. */

/** The pinned Temporal CLI; it contains server 1.31.2 and UI 2.50.1. */
export const TEMPORAL_CLI_VERSION = '1.8.2';

/** Below 1.31 the server's priority matcher is off and standalone activities are missing. */
export const SERVER_VERSION_MIN = '1.31';

interface TemporalVersion {
  readonly cliVersion: string;
  readonly serverVersion: string;
}

/** Parses the output of `temporal --version`; undefined if it names no server. */
export function parseTemporalVersion(output: string): TemporalVersion | undefined {
  const match = /version (\S+) \(Server (\d+\.\d+[\w.+-]*)/.exec(output);
  const [, cliVersion, serverVersion] = match ?? [];
  if (cliVersion === undefined || serverVersion === undefined) return undefined;
  return { cliVersion, serverVersion };
}

/** Whether a version is at least another one, by major and minor number; the rest is ignored. */
export function isAtLeast(version: string, least: string): boolean {
  const [major, minor] = majorMinor(version);
  const [leastMajor, leastMinor] = majorMinor(least);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}

function majorMinor(version: string): readonly [number, number] {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return [major, minor];
}
