/** `npm start`: the whole stack, how it ends, and that it continues after any part is killed. */
import { readdir, rm } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { openVarve } from '#cli/open-varve.ts';
import { stackPaths } from '#cli/installation-files.ts';
import { partOf, stillRunning, untilGone, type Running } from './processes.ts';
import { startStackOn, TENANT, untilSummarized, type RunningStack } from './running-stack.ts';
import { until } from './until.ts';
import { LAUNCHER, runVarve, temporaryFolder } from './varve-process.ts';

describe.concurrent('starting and ending a stack', () => {
  test('START-1: two stacks run side by side, and Ctrl-C and SIGTERM leave no process', async () => {
    await using here = await temporaryFolder();
    await using there = await temporaryFolder();
    // As people start it, which bundles the workflows.
    const options = { program: LAUNCHER, env: { VARVE_WORKFLOW_BUNDLE: '' } };
    await using first = await startStackOn(here.path, options);
    await using second = await startStackOn(there.path, options);
    await say(first, 'boat', 'The boat is painted blue.');
    await say(second, 'boat', 'The boat is painted red.');
    await untilSummarized(first.api, 'boat', 'blue');
    await untilSummarized(second.api, 'boat', 'red');

    for (const [stack, signal] of [
      [first, 'SIGINT'],
      [second, 'SIGTERM'],
    ] as const) {
      const family = await stack.process.family();
      expect(partsOf(family)).toEqual(['launcher', 'stack', 'temporal', 'worker']);
      stack.process.kill(signal);
      const { status, stderr } = await stack.process.ended;
      expect({ status, stderr: stderr.trimEnd().split('\n').at(-1) }).toEqual({
        status: 0,
        stderr: 'varve: ending',
      });
      await untilGone(family);
    }
    expect(await readdir(here.path)).not.toContain('addresses.json');
  });
});

describe.concurrent('a stack after a kill', () => {
  test('START-2: continues its work after a SIGKILL of any part', async () => {
    await using folder = await temporaryFolder();
    const stack = await startStackOn(folder.path);
    const { addresses } = stack;
    await say(stack, 'boat', 'The boat is painted blue.');
    await untilSummarized(stack.api, 'boat', 'blue');

    const worker = await killed(stack, 'worker');
    await say(stack, 'boat', 'The sails are white.');
    await untilSummarized(stack.api, 'boat', 'white');
    expect(await stillRunning([worker])).toEqual([]);

    const temporal = await killed(stack, 'temporal');
    await say(stack, 'boat', 'The rudder is made of oak.');
    await untilSummarized(stack.api, 'boat', 'oak');
    expect(await stillRunning([temporal])).toEqual([]);
    const doctor = await runVarve(['doctor', '--data-dir', folder.path]);
    expect(doctor.stdout).toMatch(/^ok {5}temporal .*a worker polls it/mu);
    expect(doctor.stdout).toContain(addresses.temporalAddress);

    // The main process right after a write: no process is left to finish it.
    const family = await stack.process.family();
    await say(stack, 'boat', 'The anchor weighs 12 kg.');
    stack.process.kill('SIGKILL');
    await stack.process.ended;
    await untilGone(family);

    await using again = await startStackOn(folder.path);
    const text = await untilSummarized(again.api, 'boat', 'anchor');
    for (const earlier of ['blue', 'white', 'oak']) expect(text).toContain(earlier);
  });

  test('START-3: completes pending work after the loss of the Temporal database', async () => {
    await using folder = await temporaryFolder();
    {
      await using stack = await startStackOn(folder.path);
      await say(stack, 'boat', 'The boat is painted blue.');
      await untilSummarized(stack.api, 'boat', 'blue');
      await say(stack, 'boat', 'The anchor weighs 12 kg.');
      stack.process.kill('SIGKILL');
      await stack.process.ended;
    }
    {
      await using varve = await openVarve({ dataDir: folder.path });
      await say({ api: varve }, 'house', 'The house has 3 doors.');
    }
    await rm(stackPaths(folder.path).temporalFolder, { recursive: true, force: true });

    await using again = await startStackOn(folder.path);
    await untilSummarized(again.api, 'house', '3 doors');
    expect(await untilSummarized(again.api, 'boat', 'anchor')).toContain('blue');
  });
});

/** Writes one memory of a project. */
async function say(
  { api }: { readonly api: Pick<RunningStack['api'], 'memory'> },
  projectId: string,
  content: string,
): Promise<void> {
  const identifiers = { projectId };
  await api.memory.add({ tenant: TENANT, layer: 'project', identifiers, content });
}

/** Ends one part at once; resolves when it is gone. */
async function killed({ process: main }: RunningStack, part: string): Promise<Running> {
  // A part that was just started again has another process.
  const victim = await until(`the ${part} runs`, async () =>
    (await main.family()).find((each) => partOf(each) === part),
  );
  process.kill(victim.pid, 'SIGKILL');
  await untilGone([victim]);
  return victim;
}

function partsOf(family: readonly Running[]): readonly string[] {
  return family
    .map(partOf)
    .filter((part) => part !== null)
    .toSorted();
}
