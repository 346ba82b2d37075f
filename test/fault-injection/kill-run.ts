/**
 * One run of the corpus from its first refresh request to its last summary, with or without a
 * crash.
 */
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { requestDueRefreshes } from '#activities/request-due-refreshes.ts';
import { openParts, type Parts } from '#cli/composition-root.ts';
import { freeLeases } from '#cli/stack/start-stack.ts';
import { startWorkerChild, type WorkerChild } from '#cli/stack/worker-child.ts';
import { REFRESH_SETTINGS, refreshWorkflowId } from '#core/refresh/refresh-contract.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { connectTemporal, type TemporalClient } from '#providers/temporal/client.ts';
import { newNamespace } from '../workflows/namespace.ts';
import type { KillCase } from './kill-cases.ts';
import { copyCorpus, TENANT, writeChanges } from './kill-corpus.ts';
import { endPauses, finalState, isSettled, type FinalState } from './kill-state.ts';
import { startKillableServer, type KillableServer } from './killable-server.ts';
import { KILLED_FILE, type WorkerUnderKill } from './worker-under-kill.ts';

const WORKER = fileURLToPath(new URL('worker-under-kill.ts', import.meta.url));
/** Short, so that a death is noticed soon; the worker beats every second. */
const SETTINGS = { ...REFRESH_SETTINGS, heartbeatTimeoutMs: 4_000, startToCloseTimeoutMs: 60_000 };
const SETTLED_TIMEOUT_MS = 120_000;
const POLL_MS = 100;
/** Longer than the pause before an urgent scope, so that all that changed is due at once. */
const CHANGES_DUE_MS = 200;
/** Slow enough to come in between two answers. */
const SLOW_ANSWER_MS = 400;

export interface RunResult {
  readonly state: FinalState;
  /** Whether the death of the case took place. */
  readonly disturbed: boolean;
}

interface Run extends AsyncDisposable {
  readonly parts: Parts;
  readonly client: TemporalClient;
  readonly worker: WorkerUnderKill;
  readonly server: KillableServer | null;
  child: WorkerChild;
}

/** `corpus` is a folder of `writeCorpus`; `address` a server that outlives the case. */
export async function runCase(
  given: KillCase,
  { corpus, address }: { corpus: string; address: string },
): Promise<RunResult> {
  await using run = await startRun(given, { corpus, address });
  await run.parts.store.refreshRequests.want(TENANT);
  await run.client.notify(TENANT, { urgent: false });
  const disturbed = await disturb(run, given);
  await untilSettled(run, 'the corpus');
  await writeChanges(run.parts);
  await sleep(CHANGES_DUE_MS);
  await run.client.notify(TENANT, { urgent: true });
  await untilSettled(run, 'the changes');
  const state = await finalState(run.parts);
  return { state, disturbed: disturbed || (await wasKilled(run)) };
}

async function startRun(
  { disturbance, atOnce, refusals }: KillCase,
  { corpus, address: shared }: { corpus: string; address: string },
): Promise<Run> {
  await using held = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-kill-'));
  held.defer(() => rm(folder, { recursive: true, force: true }));
  const dataDir = path.join(folder, 'data');
  await mkdir(path.join(folder, 'marks'));
  await copyCorpus(corpus, dataDir);
  const parts = held.use(await openParts({ dataDir, log: SILENT_LOG }));
  const ownServer = disturbance.kind === 'ServerKilled' || disturbance.kind === 'DatabaseDeleted';
  const server = ownServer ? held.use(await startKillableServer()) : null;
  const address = server?.address ?? shared;
  const namespace = server?.namespace ?? (await newNamespace(address));
  const client = held.use(await connectTemporal({ address, namespace, settings: SETTINGS }));
  const worker: WorkerUnderKill = {
    dataDir,
    markDir: path.join(folder, 'marks'),
    address,
    namespace,
    kill: disturbance.kind === 'WorkerKilled' ? disturbance.kill : null,
    atOnce,
    refusals,
    answerMs: ownServer ? SLOW_ANSWER_MS : 0,
  };
  const state = { child: await startChild(worker) };
  held.defer(() => state.child[Symbol.asyncDispose]());
  const running = held.move();
  return {
    parts,
    client,
    worker,
    server,
    get child() {
      return state.child;
    },
    set child(child) {
      state.child = child;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function startChild(worker: WorkerUnderKill): Promise<WorkerChild> {
  const args = [JSON.stringify(worker)];
  return startWorkerChild({ module: WORKER, args, env: process.env, log: SILENT_LOG });
}

/** What happens to the server; a worker kills itself. Answers whether anything was done. */
async function disturb(run: Run, { disturbance }: KillCase): Promise<boolean> {
  const { parts, server, client } = run;
  if (server === null) return false;
  await until(run, 'a first summary', async () => {
    return (await parts.store.summaries.list(TENANT, 1)).length > 0;
  });
  const fresh = disturbance.kind === 'DatabaseDeleted';
  if (fresh) await killChild(run);
  await server.kill();
  await server.revive({ fresh });
  if (!fresh) return true;
  // What a stack does that finds a server without its runs.
  await freeLeases(parts);
  run.child = await startChild(run.worker);
  await requestDueRefreshes(parts, client);
  return true;
}

/** Ends the worker at once, and its supervisor with it. */
async function killChild(run: Run): Promise<void> {
  const pid = run.child.pid();
  const disposed = run.child[Symbol.asyncDispose]();
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
  await disposed;
}

async function untilSettled(run: Run, what: string): Promise<void> {
  const { parts, client } = run;
  await until(run, `${what} to be summarized`, async () => {
    if (await endPauses(parts)) await client.notify(TENANT, { urgent: false });
    return (await isSettled(parts)) && !(await isOpen(client));
  });
}

async function isOpen({ client }: TemporalClient): Promise<boolean> {
  const { status } = await client.workflow.getHandle(refreshWorkflowId(TENANT)).describe();
  return status.name === 'RUNNING';
}

async function until(run: Run, what: string, look: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + SETTLED_TIMEOUT_MS;
  while (Date.now() < end) {
    if (await Promise.race([look(), run.child.failed])) return;
    await sleep(POLL_MS);
  }
  throw new Error(`Waited ${String(SETTLED_TIMEOUT_MS / 1_000)} s in vain for ${what}.`);
}

async function wasKilled({ worker: { markDir } }: Run): Promise<boolean> {
  return (await stat(path.join(markDir, KILLED_FILE)).catch(() => null)) !== null;
}
