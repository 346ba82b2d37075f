/**
 * One page has the metrics of the API and the worker, and still answers after the worker was
 * killed.
 */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { stackPaths } from '#cli/installation-files.ts';
import { startStackOn, TENANT, untilSummarized, type RunningStack } from './running-stack.ts';
import { until } from './until.ts';
import { temporaryFolder } from './varve-process.ts';

test('the metrics page of the API includes the worker, even after the worker was killed', async () => {
  await using folder = await temporaryFolder();
  await using stack = await startStackOn(folder.path);
  await say(stack, 'The boat is painted blue.');
  await untilSummarized(stack.api, 'boat', 'blue');
  const lines = (await pageOf(stack)).split('\n');
  const made = 'memory_summary_generations_total{layer="project",depth="detailed"';
  const generated = lines.filter((line) => line.startsWith(made));
  expect(generated).toEqual([expect.stringMatching(/process="worker"\} 1$/u)]);
  const read = 'memory_summary_retrievals_total{layer="project",depth="detailed"';
  const served = lines.filter((line) => line.startsWith(read));
  expect(served.length).toBeGreaterThan(0);
  expect(served.join('\n')).not.toContain('process=');
  const bucket = 'memory_summary_generation_duration_ms_bucket';
  expect(lines.some((line) => line.startsWith(bucket))).toBe(true);

  const worker = (await stack.process.family()).find(({ command }) =>
    command.includes('main.ts worker'),
  );
  process.kill(worker?.pid ?? 0, 'SIGKILL');
  await say(stack, 'The sails are white.');
  await untilSummarized(stack.api, 'boat', 'white');
  await until('the new worker tells what it made', async () =>
    (await pageOf(stack)).split('\n').some((line) => line.startsWith(made) && line.endsWith(' 1')),
  );
});

const say = ({ api }: RunningStack, content: string) =>
  api.memory.add({
    tenant: TENANT,
    layer: 'project',
    identifiers: { projectId: 'boat' },
    content,
  });

async function pageOf({ addresses, dataDir }: RunningStack): Promise<string> {
  const token = (await readFile(stackPaths(dataDir).token, 'utf8')).trim();
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${addresses.apiUrl}/metrics`, { headers })).text();
}
