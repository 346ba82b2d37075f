/** The commands of the runbook pages run as printed, in order, against a real run. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { createProgress } from '#cli/progress-bar.ts';
import { compactWorkflowId } from '#core/retention/retention-contract.ts';
import type { TemporalClient } from '#providers/temporal/client.ts';
import { nodePlatform } from '#providers/temporal/server-platform.ts';
import { obtainTemporal } from '#providers/temporal/server-program.ts';
import { openStack, testBundle } from './fixture.ts';
import { testAddress } from './namespace.ts';
import { addInWindow } from './refresh-samples.ts';

const PAGES = ['temporal', 'retention', 'dreams'].map((name) =>
  fileURLToPath(new URL(`../../docs/operating/${name}.md`, import.meta.url)),
);
const COMMAND = /^ {4}(temporal .+)$/gmu;

async function commandsOf(tenant: string): Promise<readonly string[]> {
  const pages = await Promise.all(PAGES.map((page) => readFile(page, 'utf8')));
  return [...pages.join('\n').matchAll(COMMAND)].map(([, command = '']) =>
    command.replaceAll('acme', tenant),
  );
}

/** The program that runs the servers of the tests. */
async function programFolder(): Promise<string> {
  const platform = nodePlatform(process.env);
  const report = createProgress({ stream: process.stderr });
  const { path: file } = await obtainTemporal({ platform, report });
  return path.dirname(file);
}

/** As a person would, in a shell; answers what went wrong, if anything did. */
async function failureOf(command: string, given: { cwd: string; env: NodeJS.ProcessEnv }) {
  const child = spawn(command, { ...given, shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const status = await new Promise((resolve) => child.once('close', resolve));
  return status === 0 ? null : Buffer.concat(said).toString('utf8');
}

/** Open for as long as the page needs one: no worker looks at its queue. */
async function startCompactionOf({ client }: TemporalClient, tenant: string): Promise<void> {
  await client.workflow.start('compact', {
    workflowId: compactWorkflowId(tenant),
    taskQueue: 'nobody',
    args: [],
  });
}

describe('docs/operating', () => {
  it('TMP-03: has only commands that work on a run, whose exported history replays', async () => {
    await using stack = await openStack();
    const { tenant, temporal } = stack;
    await stack.temporal.ensureSchedule();
    await addInWindow(stack);
    await startCompactionOf(temporal, tenant);
    const cwd = await mkdtemp(path.join(tmpdir(), 'varve-operating-'));
    const env = {
      ...process.env,
      PATH: `${await programFolder()}${path.delimiter}${process.env['PATH'] ?? ''}`,
      TEMPORAL_ADDRESS: testAddress(),
      TEMPORAL_NAMESPACE: temporal.client.options.namespace,
    };
    try {
      const commands = await commandsOf(tenant);
      expect(commands.length).toBeGreaterThan(15);
      for (const command of commands) {
        expect([command, await failureOf(command, { cwd, env })]).toEqual([command, null]);
      }
      const history: unknown = JSON.parse(await readFile(path.join(cwd, 'run.json'), 'utf8'));
      await Worker.runReplayHistory({ workflowBundle: await testBundle() }, history);
    } finally {
      await rm(cwd, { recursive: true, force: true });
    }
    // Nothing of what an operator did lost the scope.
    await temporal.notify(tenant, { urgent: false });
    await temporal.flush(tenant, { kind: 'Stale' });
    await stack.settled(tenant);
    const [scope] = await stack.scopes(tenant);
    expect(scope).toMatchObject({ changes: 0, lease: null, deadLetter: null });
  });
});
