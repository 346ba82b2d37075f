/** The workflows that a worker loads: bundled earlier by `varve bundle`, or bundled now. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import { bundleWorkflows, type WorkflowBundle } from '#providers/temporal/worker.ts';

const WORKFLOWS = fileURLToPath(new URL('../../workflows/index.ts', import.meta.url));

/** @throws VarveError INVALID_INPUT if the configured file cannot be read */
export async function loadWorkflows(file: string | null, log: Log): Promise<WorkflowBundle> {
  if (file === null) return bundleWorkflows(WORKFLOWS, log);
  try {
    return { code: await readFile(file, 'utf8') };
  } catch (cause) {
    const message =
      'VARVE_WORKFLOW_BUNDLE names no readable file. Write it with `varve bundle FILE`, or ' +
      'unset it.';
    throw new VarveError('INVALID_INPUT', message, { cause });
  }
}
