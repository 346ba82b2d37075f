/** Helm for the chart's tests, built from the module in `helm/`. */
import path from 'node:path';

import { missingForGo, obtainGoProgram, type GoProgram } from './go-program.ts';
import { runProgram, type ProgramResult } from './program.ts';

const HELM: GoProgram = {
  name: 'helm',
  moduleFolder: path.join(import.meta.dirname, 'helm'),
  sources: [],
  package: 'helm.sh/helm/v4/cmd/helm',
  // A program that was not built by its own release says only `v4.2`.
  variables: { 'helm.sh/helm/v4/internal/version.version': 'v4.2.4' },
  packages: 1_022,
};

export interface HelmOptions {
  /** The cluster to talk to; most commands need none. */
  readonly kubeconfig?: string;
  readonly input?: string;
}

/** What this machine lacks to build it, in words for a person; null where it lacks nothing. */
export function missingForHelm(): Promise<string | null> {
  return missingForGo();
}

/** Builds it where it is not there yet: minutes, which no test has. */
export async function buildHelm(): Promise<void> {
  if ((await missingForHelm()) === null) await obtainGoProgram(HELM);
}

/** Runs Helm to its end; a status that is not 0 is a result, not an error. */
export async function helm(
  args: readonly string[],
  { kubeconfig, input }: HelmOptions = {},
): Promise<ProgramResult> {
  const program = await obtainGoProgram(HELM);
  // Without an address it must not find the person's own cluster.
  const env = { ...process.env, KUBECONFIG: kubeconfig ?? '' };
  return runProgram(program, args, { env, input });
}
