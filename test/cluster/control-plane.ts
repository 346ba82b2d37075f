/**
 * A Kubernetes control plane for tests, with an authority, ports and a folder of its own: etcd, the
 * API server and the controller manager, each a process that can be killed, frozen and started
 * again. No nodes, so no pod ever runs. Its parts end with the process that started it.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { createAuthority, issueCertificate, writeKubeconfig } from './control-plane/authority.ts';
import { LOCALHOST, type Places } from './control-plane/flags.ts';
import { chooseFreePorts } from './control-plane/free-ports.ts';
import { PARTS, type Part } from './control-plane/programs.ts';
import { endPart, signalPart, startPart, type RunningPart } from './control-plane/running-part.ts';
import { createCluster, type Cluster } from './control-plane/cluster.ts';

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
