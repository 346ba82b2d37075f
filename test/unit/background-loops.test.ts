/** No loop in the background ends because something failed once. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { keepPair } from '#api/tls-certificate.ts';
import { linkTemporal, type TemporalLinkOptions } from '#cli/commands/api.ts';
import { keepRefreshing } from '#cli/commands/mcp.ts';
import { startWorkerChild } from '#cli/stack/worker-child.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { issue } from '#test/cluster/control-plane/certificate.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

type Refresh = Parameters<typeof keepRefreshing>[0]['refresh'];

/** Fails the first time, and answers then; `calls` counts. */
function failingOnce<T>(answer: T) {
  const state = { calls: 0 };
  const call = (): T => {
    state.calls += 1;
    if (state.calls === 1) throw new Error('It fails once.');
    return answer;
  };
  return { state, call };
}

describe('a loop', () => {
  test('goes on if a server refuses a new certificate', async () => {
    await using held = await temporaryFolder();
    const files = {
      certFile: path.join(held.folder, 'tls.crt'),
      keyFile: path.join(held.folder, 'tls.key'),
    };
    const renew = async () => {
      const { certificate, key } = issue({ commonName: 'api' }, { kind: 'Authority' }, null);
      await writeFile(files.keyFile, key);
      await writeFile(files.certFile, certificate);
      return { cert: certificate, key };
    };
    const first = await renew();
    const { state, call } = failingOnce<undefined>(undefined);
    const server = { setSecureContext: call } as unknown as Server;
    using _keeping = keepPair(server, { files, first, log: SILENT_LOG, checkEveryMs: 5 });
    await renew();
    await vi.waitFor(() => {
      expect(state.calls).toBeGreaterThan(0);
    });
    await renew();
    await vi.waitFor(() => {
      expect(state.calls).toBeGreaterThan(1);
    });
  });

  test('goes on if Temporal cannot be reached', async () => {
    const client = { health: () => ({ ok: true, findings: [] }) };
    const { state, call } = failingOnce({ ...client, [Symbol.asyncDispose]: () => undefined });
    const connect = async () => Promise.resolve().then(call);
    const timers = { wait: () => Promise.resolve(), timer: () => 0, random: () => 0 };
    await using link = linkTemporal({
      connect: connect as unknown as TemporalLinkOptions['connect'],
      timers,
      log: SILENT_LOG,
    });
    await vi.waitFor(async () => {
      expect(await link.health()).toEqual({ ok: true, findings: [] });
    });
    expect(state.calls).toBe(2);
  });

  test('goes on if a refresh beside an MCP server fails', async () => {
    const { state, call } = failingOnce({ generated: 0, failures: [] });
    const refresh = (async () => Promise.resolve().then(call)) as unknown as Refresh;
    const rules = { tenant: 'acme', log: SILENT_LOG, everyMs: 5 };
    await using _keeping = keepRefreshing({ refresh }, rules);
    await vi.waitFor(() => {
      expect(state.calls).toBeGreaterThan(1);
    });
  });

  test('goes on if the worker cannot be started', async () => {
    await using held = await temporaryFolder();
    const module = path.join(held.folder, 'worker.mjs');
    await writeFile(module, "process.send('ready'); setInterval(() => undefined, 1_000);");
    const starts: string[] = [];
    // The second start finds no program, as where processes or memory are used up.
    const node = () => {
      starts.push(starts.length === 1 ? path.join(held.folder, randomUUID()) : process.execPath);
      return starts.at(-1) ?? '';
    };
    const warnings: string[] = [];
    const log = { ...SILENT_LOG, warn: (_: object, message: string) => warnings.push(message) };
    const program = { module, args: [], env: process.env, node };
    const worker = await startWorkerChild({ ...program, log, restartPauseMs: 5 });
    onTestFinished(() => worker[Symbol.asyncDispose]());
    const first = worker.pid() ?? 0;
    process.kill(first, 'SIGKILL');
    const again = () => starts.length === 3 && worker.pid() !== undefined;
    await vi.waitFor(() => expect(again()).toBe(true), { timeout: 20_000, interval: 10 });
    expect(worker.pid()).not.toBe(first);
    expect(warnings).toContain('worker could not be started or reached');
  });

  test('starts no worker once it was stopped while one is to be restarted', async () => {
    await using held = await temporaryFolder();
    const module = path.join(held.folder, 'worker.mjs');
    await writeFile(module, "process.send('ready'); setTimeout(() => process.exit(), 10);");
    let starts = 0;
    const node = () => {
      starts += 1;
      return process.execPath;
    };
    const { promise: exited, resolve } = Promise.withResolvers<string>();
    const log = { ...SILENT_LOG, warn: (_: object, message: string) => resolve(message) };
    const program = { module, args: [], env: process.env, node, log, restartPauseMs: 20 };
    const worker = await startWorkerChild(program);
    expect(await exited).toBe('worker exited; restarting it');
    await worker[Symbol.asyncDispose]();
    await sleep(100);
    expect(starts).toBe(1);
  });
});
