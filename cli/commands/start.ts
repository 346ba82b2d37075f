/** `varve start`: runs the whole stack until it is asked to end. */
import {
  describeProvider,
  isProviderFine,
  describeOutcome,
  needsNoAction,
} from '#operator/folder/outcome-text.ts';
import type { ReconcileOutcome } from '#operator/folder/reconcile-folder.ts';
import { DEFAULT_API_PORT } from '#api/http-server.ts';
import { count } from '../terminal-text.ts';
import { createProgress } from '../progress-bar.ts';
import { aborted, shutdownSignal } from '../shutdown.ts';
import { startStack } from '../stack/start-stack.ts';
import type { Config } from '../config.ts';

export async function startCommand(config: Config): Promise<void> {
  const report = createProgress({ stream: process.stderr });
  const signal = shutdownSignal();
  await using stack = await startStack({ config, report, signal });
  const { temporal, api, policies } = stack;
  const lines = [
    `varve runs. Ctrl-C ends it and everything it started.`,
    `  API          ${api.url}   (token in ${config.dataDir}/api-token)`,
    ...otherPort(config.apiPort, api.url),
    `  Temporal     ${temporal.address}`,
    ...(temporal.uiUrl === null ? [] : [`  Temporal UI  ${temporal.uiUrl}`]),
    `  policies     ${config.policyDir}   (${count(policies.outcomes.length, 'tenant')}, watched)`,
    ...refusalsOf(policies).map((text) => `  look at      ${text}`),
    `  data         ${config.dataDir}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  await Promise.race([aborted(signal), stack.failed]);
  report.line('ending');
}

/** Says so if the default port was taken: clients that use it reach another program. */
function otherPort(asked: number | null, url: string): readonly string[] {
  if (asked !== null || new URL(url).port === String(DEFAULT_API_PORT)) return [];
  const port = String(DEFAULT_API_PORT);
  return [
    `  look at      port ${port} is taken by another program; clients need the address above`,
  ];
}

/** Returns what of the folder did not come into force, one line for each. */
function refusalsOf({ outcomes, providers }: ReconcileOutcome): readonly string[] {
  return [
    ...providers.filter((outcome) => !isProviderFine(outcome)).map(describeProvider),
    ...outcomes.filter((outcome) => !needsNoAction(outcome)).map(describeOutcome),
  ];
}
