/** `varve demo`: the main job from end to end on a real Temporal server, in one screen. */
import path from 'node:path';
import { VarveError } from '#core/errors.ts';
import { acquireExclusiveLock } from '#providers/node/exclusive-lock.ts';
import { describeOutcome } from '#operator/folder/outcome.ts';
import type { Report } from '#providers/temporal/server-progress.ts';
import { connectApi, type ApiClient } from '../api-client.ts';
import type { Config } from '../config.ts';
import { makeChanges } from '../demo/changes.ts';
import { addNotes } from '../demo/notes.ts';
import { freshFolder } from '../demo/folder.ts';
import { printChanges } from '../demo/print-changes.ts';
import { printFooter } from '../demo/print-footer.ts';
import { printSummaries } from '../demo/print-summaries.ts';
import { renderReceipt } from '../demo/receipt.ts';
import { chooseScenario, type Scenario } from '../demo/scenario.ts';
import { readScopes } from '../demo/scopes.ts';
import { makeSessions, printSessions } from '../demo/sessions.ts';
import { settle } from '../demo/settle.ts';
import { count, framed, heading } from '../demo/text.ts';
import type { Progress } from '../import/item.ts';
import { ingest } from '../ingest.ts';
import type { IngestReport } from '../ingest-report.ts';
import { createProgress } from '../progress.ts';
import { aborted, shutdownSignal } from '../shutdown.ts';
import { makeDataFolder } from '../stack/installation-folder.ts';
import { stackPaths } from '../stack/paths.ts';
import { startStack, type Stack } from '../stack/start-stack.ts';

/** Turns without a time count as yesterday's, so that a long session does not end tomorrow. */
const UNDATED_AGE_MS = 86_400_000;

export interface DemoOptions {
  readonly input?: readonly string[];
  readonly meeting?: readonly string[];
  readonly question?: string;
  readonly full?: boolean;
  readonly keep?: boolean;
  readonly dataDir?: string;
}

interface Demo {
  readonly stack: Stack;
  readonly api: ApiClient;
  readonly scenario: Scenario;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly full: boolean;
}

export async function demoCommand(config: Config, options: DemoOptions): Promise<void> {
  const startedAt = performance.now();
  const report = createProgress({ stream: process.stderr });
  const signal = shutdownSignal();
  const scenario = await chooseScenario({ ...options, baseTime: Date.now() - UNDATED_AGE_MS });
  const dataDir =
    options.dataDir === undefined ? path.join(config.dataDir, 'demo') : config.dataDir;
  await emptied(dataDir);
  const demoConfig = { ...config, dataDir, policyDir: scenario.policyDir };
  await using stack = await startStack({ config: demoConfig, report, signal });
  for (const outcome of stack.policies.outcomes) report.line(`policy ${describeOutcome(outcome)}`);
  const api = connectApi({ url: stack.api.url, token: stack.apiToken });
  const demo: Demo = { stack, api, scenario, report, signal, full: options.full ?? false };

  if (options.input === undefined) await showSessions(demo);
  const ingested = await fill(demo);
  await showSummaries(demo, ingested);
  await showChanges(demo, ingested);
  await showContext(demo, ingested);
  const seconds = (performance.now() - startedAt) / 1_000;
  say(await printFooter({ stack, tenant: scenario.tenant, dataDir, seconds }));
  if (options.keep !== true) return;
  say('It keeps running. Ctrl-C ends it and everything it started.');
  await Promise.race([aborted(signal), stack.failed]);
}

/** Taken before anything is removed, so that a running demo keeps its files. */
async function emptied(dataDir: string): Promise<void> {
  try {
    await makeDataFolder(dataDir);
    await using _lock = await acquireExclusiveLock(stackPaths(dataDir).lock);
    await freshFolder(dataDir);
  } catch (error) {
    if (!(error instanceof VarveError && error.code === 'CONFLICT')) throw error;
    const message = 'A demo runs on this data folder. End it, or choose another with --data-dir.';
    throw new VarveError('CONFLICT', message, { details: error.details, cause: error });
  }
}

async function fill({ stack, api, scenario, report, signal }: Demo): Promise<IngestReport> {
  const onProgress = ({ bytesRead, bytesTotal }: Progress): void => {
    report.step({ label: 'ingesting', done: bytesRead, total: bytesTotal, unit: 'bytes' });
  };
  const ingested = await ingest(scenario.items({ onProgress, signal }), api, scenario);
  if (ingested.scopes.size === 0) {
    const message = 'The input has no meeting of this number; they count from 0.';
    throw new VarveError('INVALID_INPUT', message);
  }
  if (ingested.added === 0) await addNotes(api, scenario, ingested);
  report.finish();
  await settle(stack, scenario.tenant, { report, signal });
  report.finish();
  return ingested;
}

async function showSessions({ api }: Demo): Promise<void> {
  say(heading('Two sessions: what was said is there later, corrected, and gone once deleted'));
  say(printSessions(await makeSessions(api, Date.now())));
}

async function showSummaries({ api, scenario, full }: Demo, ingested: IngestReport): Promise<void> {
  const scopes = await readScopes(api, scenario.tenant, ingested);
  const { added, turns } = ingested;
  const what = [count(added, 'memory'), count(turns, 'turn')].join(' and ');
  say(heading(`1. ${what}, summarized layer by layer (the more specific first)`));
  say(printSummaries(scopes, { full }));
}

async function showChanges(demo: Demo, ingested: IngestReport): Promise<void> {
  const { stack, api, scenario, report, signal } = demo;
  const { tenant } = scenario;
  const before = await readScopes(api, tenant, ingested);
  const changes = await makeChanges({ api, tenant, ingested, before, texts: scenario.texts });
  const changed = await readScopes(api, tenant, ingested);
  await settle(stack, tenant, { report, signal });
  report.finish();
  const after = await readScopes(api, tenant, ingested);
  say(heading('2. Changes: what became stale, what was due, what the refresh did'));
  say(printChanges(changes, { before, changed, after }));
}

async function showContext({ api, scenario }: Demo, ingested: IngestReport): Promise<void> {
  const { tenant, question, maxTokens } = scenario;
  const seen = [...ingested.scopes.values()].map((scope) => scope.identifiers);
  const identifiers = scenario.identifiers ?? Object.assign({}, ...seen.toReversed());
  const context = await api.context.assemble({
    tenant,
    identifiers,
    query: question,
    maxTokens,
    layerSummaries: true,
  });
  say(heading(`3. The context for "${question}"`));
  say(framed(context.text));
  say(`\n${renderReceipt(context)}`);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
