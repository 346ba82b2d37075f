/** No loop in the background ends because something failed once. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import type { Server } from 'node:https';
import path from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { keepPair } from '#api/tls-certificate.ts';
import { linkTemporal, type TemporalLinkOptions } from '#cli/commands/api.ts';
import { keepRefreshing } from '#cli/commands/mcp.ts';
import { startWorkerChild } from '#cli/stack/worker-child.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { issue } from '#test/cluster/control-plane/certificate.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';
import {
  isCode,
  projectFiles,
  readProjectFile,
  ROOT,
  type SourceFile,
} from '#test/tidy/source-file.ts';
import { BACKGROUND, BEGUN_BY_EVENTS, CALLS, COMMANDS, TIMERS } from './background-loops.ts';
import { findLoops } from './find-loops.ts';

type Refresh = Parameters<typeof keepRefreshing>[0]['refresh'];

/** Folders of the product; a loop of a test ends with its test. */
const PRODUCT = [
  ...['activities', 'ai-sdk', 'api', 'cli', 'client', 'core', 'crds', 'langgraph', 'memory'],
  ...['operator', 'providers', 'scripts', 'store', 'workflows'],
];

function isOfProduct({ path: file }: SourceFile): boolean {
  return PRODUCT.some((folder) => file.startsWith(`${folder}/`));
}

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

describe('the list of loops', () => {
  test('names exactly the loops in the sources', () => {
    const files = projectFiles(ROOT).filter((file) => isCode(file) && isOfProduct(file));
    const found = files.flatMap(findLoops).map(({ place }) => place);
    const listed = [...BACKGROUND.map(({ place }) => place), ...CALLS, ...COMMANDS, ...TIMERS];
    expect(found.toSorted()).toEqual(listed.toSorted());
  });

  test.each([...BACKGROUND, ...BEGUN_BY_EVENTS])(
    'names a test in which it fails and goes on: $place',
    ({ proof: [file, name] }) => {
      const isThere = readProjectFile(file).text.includes(`'${name}`);
      expect({ file, name, isThere }).toEqual({ file, name, isThere: true });
    },
  );

  test.each([
    ['setInterval(look, 5);', ['a.ts module']],
    ['function f() { setTimeout(() => go(), 5); }', ['a.ts f']],
    ['const f = async () => { for (;;) await go(); };', ['a.ts f']],
    ['class A { async #f() { while (is()) { await go(); } } }', ['a.ts #f']],
    ['const f = async () => { do { await go(); } while (is()); };', ['a.ts f']],
    ['async function f() { for (let n = 0; n < 5; n += 1) await go(); }', []],
    ['async function f() { while (is()) { list.map(async (each) => await each); } }', []],
    ["import { setTimeout } from 'node:timers/promises'; await setTimeout(5);", []],
  ])('is found in the source text: %s', (text, places) => {
    expect(findLoops({ path: 'a.ts', text }).map(({ place }) => place)).toEqual(places);
  });
});

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
    using _keeping = keepPair(server, { files, first, log: SILENT_LOG, lookEveryMs: 5 });
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
    const rules = { tenant: 'acme', log: SILENT_LOG, lookMs: 5 };
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
    const worker = await startWorkerChild({ module, args: [], env: process.env, log, node });
    onTestFinished(() => worker[Symbol.asyncDispose]());
    const first = worker.pid() ?? 0;
    process.kill(first, 'SIGKILL');
    const again = () => starts.length === 3 && worker.pid() !== undefined;
    await vi.waitFor(() => expect(again()).toBe(true), { timeout: 20_000, interval: 50 });
    expect(worker.pid()).not.toBe(first);
    expect(warnings).toContain('worker could not be started or reached');
  });
});
