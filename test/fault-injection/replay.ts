/**
 * `npm run prove -- replay FILE…`: replays histories that the Temporal CLI or UI exported as JSON
 * on the workflows of this version: what an operator asks before an upgrade.
 */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { bundleWorkflows, installRuntime } from '#providers/temporal/worker.ts';

const WORKFLOWS = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));

/** Every argument is a file. */
export async function run(files: readonly string[]): Promise<{ passed: number; failed: number }> {
  installRuntime(SILENT_LOG);
  const workflowBundle = await bundleWorkflows(WORKFLOWS, SILENT_LOG);
  const counts = { passed: 0, failed: 0 };
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowBundle },
    historiesIn(files),
  )) {
    counts[error === undefined ? 'passed' : 'failed'] += 1;
    const verdict = error === undefined ? 'ok    ' : 'FAILED';
    const why = error === undefined ? '' : `; ${error.message}`;
    process.stdout.write(`${verdict}  ${workflowId}${why}\n`);
  }
  process.stdout.write(`${String(counts.passed)} passed, ${String(counts.failed)} failed\n`);
  return counts;
}

async function* historiesIn(files: readonly string[]) {
  for (const file of files) {
    const history: unknown = JSON.parse(await readFile(file, 'utf8'));
    yield { workflowId: file, history };
  }
}
