/**
 * A Kubernetes control plane for tests, with an authority, ports and a folder of its own: etcd, the
 * API server and the controller manager, each a process that can be killed, frozen and started
 * again. No nodes, so no pod ever runs. Its parts end with the process that started it.
 */
import { mkdtemp, rm, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createAuthority, issueCertificate, writeKubeconfig } from './control-plane/authority.ts';
import { LOCALHOST, type Places, type Ports, flagsOf, healthOf } from './control-plane/flags.ts';
import { PARTS, type Part, obtainProgram } from './control-plane/programs.ts';
import { createCluster, type Cluster } from './control-plane/cluster.ts';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { spawnServer, type ServerProcess } from '#providers/temporal/server-process.ts';

export interface ControlPlane extends Cluster, AsyncDisposable {
  /** Logs, keys and etcd's files; gone with the control plane. */
  readonly folder: string;
  /** Address of etcd's own API, which only its keeper uses. */
  readonly etcd: string;
  /** SIGKILL waits until the part is gone; any other signal is only sent. */
  kill(part: Part, signal?: NodeJS.Signals): Promise<void>;
  /** Starts a part that was killed, on its old port, and waits until it is ready. */
  start(part: Part): Promise<void>;
}

/** Another program may take a port between its choice and the start. */
const ATTEMPTS_MAX = 3;
/** The group that every control plane lets do everything. */
const ADMINISTRATORS = 'system:masters';

/** Builds the programs where it must, starts all parts, and waits until they are ready. */
export async function startControlPlane(): Promise<ControlPlane> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce();
    } catch (error) {
      const isTaken = error instanceof Error && /address already in use/u.test(error.message);
      if (!isTaken || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

async function startOnce(): Promise<ControlPlane> {
  await using held = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-control-plane-'));
  held.defer(() => rm(folder, { recursive: true, force: true }));
  const places = await prepare(folder);
  const running = new Map<Part, RunningPart>();
  held.defer(async () => {
    await Promise.all([...running.values()].map(endPart));
  });
  // One after the other: each has what it needs when it starts.
  for (const part of PARTS) running.set(part, await startPart(part, places));
  const kept = held.move();
  return {
    ...createCluster(places.adminKubeconfig, places.keys),
    folder,
    etcd: `http://${LOCALHOST}:${places.ports.etcd}`,
    kill: async (part, signal = 'SIGKILL') => {
      const found = running.get(part);
      if (found === undefined) throw new Error(`${part} does not run.`);
      if (signal !== 'SIGKILL') {
        signalPart(found, signal);
        return;
      }
      await endPart(found);
      running.delete(part);
    },
    start: async (part) => {
      if (running.has(part)) throw new Error(`${part} runs; kill it first.`);
      running.set(part, await startPart(part, places));
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function prepare(folder: string): Promise<Places> {
  const keys = path.join(folder, 'keys');
  await createAuthority(keys);
  const ports = await chooseFreePorts();
  const address = { server: `https://${LOCALHOST}:${ports.apiserver}`, keys };
  const administrator = await issueCertificate(keys, 'administrator', [ADMINISTRATORS]);
  const adminKubeconfig = await writeKubeconfig(address, 'administrator', administrator);
  return { folder, keys, adminKubeconfig, ports };
}

/** All stay bound until the last is chosen, or the kernel could offer one twice. */
async function chooseFreePorts(): Promise<Ports> {
  await using held = new AsyncDisposableStack();
  const choose = async (): Promise<number> => {
    const server = held.use(createServer());
    server.listen({ host: LOCALHOST, port: 0, exclusive: true });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  return {
    etcd: await choose(),
    etcdPeer: await choose(),
    apiserver: await choose(),
    controllerManager: await choose(),
  };
}

/** Five seconds on two idle cores; tests share them with others. */
const READY_MS_MAX = 120_000;
const READY_POLL_MS = 50;
const ANSWER_MS_MAX = 2_000;
const REASON_LINES_MAX = 15;

interface RunningPart {
  readonly process: ServerProcess;
}

/** Starts a part and waits until it is ready. Errors: with the last lines of its log. */
async function startPart(part: Part, places: Places): Promise<RunningPart> {
  const child = await spawnServer(
    {
      program: await obtainProgram(part),
      args: flagsOf(part, places),
      env: { PATH: process.env['PATH'], HOME: places.folder },
      logFile: path.join(places.folder, `${part}.log`),
    },
    () => undefined,
  );
  try {
    await waitUntilReady(part, places, child);
  } catch (cause) {
    await endPart({ process: child });
    const lines = child.logTail().split('\n').slice(-REASON_LINES_MAX).join('\n');
    throw new Error(`${part} did not start:\n${lines}`, { cause });
  }
  return { process: child };
}

/** Ends a part at once: what it holds is thrown away, or is to be lost as in a crash. */
export async function endPart(part: RunningPart): Promise<void> {
  signalPart(part, 'SIGKILL');
  await part.process.exited;
}

/** SIGSTOP and SIGCONT freeze and resume. A process that has ended needs no signal. */
function signalPart(part: RunningPart, signal: NodeJS.Signals): void {
  try {
    process.kill(part.process.pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function waitUntilReady(part: Part, places: Places, child: ServerProcess): Promise<void> {
  const authority = await readFile(path.join(places.keys, 'authority.crt'));
  const address = new URL(healthOf(part, places));
  const deadline = performance.now() + READY_MS_MAX;
  let hasEnded = false;
  void child.exited.then(() => {
    hasEnded = true;
  });
  while (!(await isHealthy(address, authority))) {
    if (hasEnded) throw new Error(`${part} ended while it started.`);
    if (performance.now() > deadline) throw new Error(`${part} was not ready in time.`);
    await pause(READY_POLL_MS);
  }
}

function isHealthy(address: URL, authority: Buffer): Promise<boolean> {
  const request = address.protocol === 'https:' ? requestSecure : requestPlain;
  return new Promise((resolve) => {
    const sent = request(address, { ca: authority, agent: false, timeout: ANSWER_MS_MAX });
    sent.once('response', (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    sent.once('timeout', () => sent.destroy());
    // No answer is an answer: it is not ready.
    sent.once('error', () => {
      resolve(false);
    });
    sent.end();
  });
}
