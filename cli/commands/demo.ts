/** `varve demo`: shows the main job end to end on a real Temporal server, in one screen. */
import path from 'node:path';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { VarveError } from '#core/errors.ts';
import { scopePages } from '#core/refresh/record-pages.ts';
import { HORIZON_MS } from '#core/refresh/refresh-contract.ts';
import { describeOutcome } from '#operator/folder/outcome-text.ts';
import { makeFolder } from '#providers/node/make-folder.ts';
import type { Report } from '#providers/temporal/server-progress.ts';
import { connectApi, type ApiClient } from '../api-client.ts';
import type { Config } from '../config.ts';
import { makeChanges, readScopes } from '../demo/make-changes.ts';
import { printChanges, printFooter, printSummaries } from '../demo/print-demo.ts';
import { chooseScenario, type Scenario } from '../demo/scenario.ts';
import { twoSessions } from '../demo/two-sessions.ts';
import type { Progress } from '../import/import-item.ts';
import {
  type ImportReport,
  countMemory,
  writeImportedItems,
} from '../import/write-imported-items.ts';
import { createProgress, inputStep } from '../progress-bar.ts';
import { aborted, shutdownSignal } from '../shutdown.ts';
import { lockDataFolder, makeDataFolder } from '../installation-files.ts';
import { startStack, type Stack } from '../stack/start-stack.ts';
import { count, framed, heading } from '../terminal-text.ts';
import { renderReceipt } from './context.ts';

/** Undated turns get the date of yesterday, so that a long session does not end in the future. */
const UNDATED_AGE_MS = 86_400_000;

export interface DemoOptions {
  readonly input?: readonly string[];
  readonly question?: string;
  readonly keep?: boolean;
  readonly dataDir?: string;
}

interface Demo {
  readonly stack: Stack;
  readonly api: ApiClient;
  readonly scenario: Scenario;
  readonly report: Report;
  readonly signal: AbortSignal;
}

export async function demoCommand(config: Config, options: DemoOptions): Promise<void> {
  const startedAt = performance.now();
  const report = createProgress({ stream: process.stderr });
  const signal = shutdownSignal();
  const scenario = await chooseScenario({ ...options, endTime: Date.now() - UNDATED_AGE_MS });
  const dataDir =
    options.dataDir === undefined ? path.join(config.dataDir, 'demo') : config.dataDir;
  await begin(dataDir, options);
  if (signal.aborted) throw new VarveError('CANCELLED', 'Stopped before a server was started.');
  const demoConfig = { ...config, dataDir, policyDir: scenario.policyDir };
  await using stack = await startStack({ config: demoConfig, report, signal });
  for (const outcome of stack.policies.outcomes) report.line(`policy ${describeOutcome(outcome)}`);
  const api = connectApi({ url: stack.api.url, token: stack.apiToken });
  const demo: Demo = { stack, api, scenario, report, signal };

  const imported = await fill(demo);
  await showSummaries(demo, imported);
  await showChanges(demo, imported);
  await showContext(demo, imported);
  const seconds = (performance.now() - startedAt) / 1_000;
  const isKept = options.keep ?? false;
  say(await printFooter({ stack, tenant: scenario.tenant, dataDir, seconds, isKept }));
  if (!isKept) return;
  say('It keeps running. Ctrl-C ends it and everything it started.');
  await Promise.race([aborted(signal), stack.failed]);
}

/**
 * Empties the data folder and shows two sessions in it, unless the demo is about own files. Holds
 * the lock of the folder, so that no other demo empties it meanwhile.
 */
async function begin(dataDir: string, { input }: DemoOptions): Promise<void> {
  await makeDataFolder(dataDir);
  const taken = 'A demo runs on this data folder. End it, or choose another with --data-dir.';
  await using _lock = await lockDataFolder(dataDir, taken);
  await freshFolder(dataDir);
  if (input !== undefined) return;
  say(heading('Two sessions: what was said is there later, corrected, and gone once deleted'));
  say(await twoSessions(path.join(dataDir, 'two-sessions'), Date.now()));
}

async function fill({ stack, api, scenario, report, signal }: Demo): Promise<ImportReport> {
  const onProgress = (read: Progress): void => {
    report.step(inputStep('reading', read));
  };
  const { tenant, projectId } = scenario;
  const items = scenario.items({ onProgress, signal });
  const imported = await writeImportedItems(items, api, { tenant, identifiers: { projectId } });
  if (imported.added === 0) await addNotes(api, scenario, imported);
  report.finish();
  await waitUntilIdle(stack, scenario.tenant, { report, signal });
  report.finish();
  return imported;
}

async function showSummaries({ api, scenario }: Demo, imported: ImportReport): Promise<void> {
  const scopes = await readScopes(api, scenario.tenant, imported);
  const { added, turns } = imported;
  const what = [count(added, 'memory'), count(turns, 'turn')].join(' and ');
  say(heading(`1. ${what}, summarized layer by layer (the more specific first)`));
  say(printSummaries(scopes));
}

async function showChanges(demo: Demo, imported: ImportReport): Promise<void> {
  const { stack, api, scenario, report, signal } = demo;
  const { tenant } = scenario;
  const before = await readScopes(api, tenant, imported);
  const changes = await makeChanges({ api, tenant, imported, before, texts: scenario.texts });
  const changed = await readScopes(api, tenant, imported);
  await waitUntilIdle(stack, tenant, { report, signal });
  report.finish();
  const after = await readScopes(api, tenant, imported);
  say(heading('2. Changes: what became stale, what was due, what the refresh did'));
  say(printChanges(changes, { before, changed, after }));
}

async function showContext({ api, scenario }: Demo, imported: ImportReport): Promise<void> {
  const { tenant, question, maxTokens } = scenario;
  const seen = [...imported.scopes.values()].map((scope) => scope.identifiers);
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

const MARK = '.varve-demo';
const LOCK_FOLDER = 'lock';

/** @throws VarveError INVALID_INPUT for a folder that was not made by a demo */
async function freshFolder(folder: string): Promise<void> {
  makeFolder(folder);
  // The lock stays: it prevents emptying the folder of a running demo.
  const entries = (await readdir(folder)).filter((entry) => entry !== LOCK_FOLDER);
  if (entries.length > 0 && !entries.includes(MARK)) {
    throw new VarveError(
      'INVALID_INPUT',
      'The demo empties its data folder, and this one holds something else. ' +
        'Choose an empty one with --data-dir.',
    );
  }
  const removable = entries.filter((entry) => entry !== MARK);
  await Promise.all(
    removable.map((entry) => rm(path.join(folder, entry), { recursive: true, force: true })),
  );
  await writeFile(path.join(folder, MARK), '');
}

/** Adds two memories if the input has only turns, to show a change and a deletion too. */
async function addNotes(
  api: ApiClient,
  { tenant, projectId }: Pick<Scenario, 'tenant' | 'projectId'>,
  imported: ImportReport,
): Promise<void> {
  const sessions = count(imported.scopes.size, 'session');
  const notes = [
    `The input of this demo is ${count(imported.turns, 'turn')} of ${sessions}.`,
    'Each sentence of a summary names the turns or memories that it rests on.',
  ];
  const identifiers = { projectId };
  for (const content of notes) {
    const added = await api.memory.add({ tenant, layer: 'project', identifiers, content });
    countMemory(imported, { layer: 'project', identifiers }, added.memory);
  }
}

const SETTLE_TIMEOUT_MS = 10 * 60_000;
const POLL_MS = 200;

/** @throws VarveError TIMEOUT if work is still pending after ten minutes */
export async function waitUntilIdle(
  { parts, client }: Pick<Stack, 'parts' | 'client'>,
  tenant: string,
  { report, signal }: { report: Report; signal: AbortSignal },
): Promise<void> {
  const { store, platform } = parts;
  const deadline = platform.clock() + SETTLE_TIMEOUT_MS;
  while (platform.clock() < deadline) {
    if (signal.aborted) throw new VarveError('CANCELLED', 'Stopped while summarizing.');
    const soon = platform.clock() + HORIZON_MS;
    let [open, total] = [0, 0];
    for await (const page of scopePages(store.scopes, tenant)) {
      total += page.length;
      open += page.filter(({ dueAt }) => dueAt !== null && dueAt <= soon).length;
    }
    report.step({ label: 'summarizing', done: total - open, total, unit: 'scopes' });
    if (open === 0) {
      // A run acknowledges as its last step; its history is complete only after that.
      await client.settled(tenant);
      return;
    }
    await sleep(POLL_MS);
  }
  throw new VarveError(
    'TIMEOUT',
    'The refresh did not finish; look at its run in the Temporal UI.',
  );
}
