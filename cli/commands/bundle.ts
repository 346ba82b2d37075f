/** `varve bundle`: what a worker would bundle at its start, made once where an image is built. */
import { writeFile } from 'node:fs/promises';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { loadWorkflows } from '../stack/workflow-bundle.ts';

/** Holds for this version of Varve and of its packages alone. */
export async function bundleCommand(file: string): Promise<void> {
  const { code } = await loadWorkflows(null, SILENT_LOG);
  await writeFile(file, code);
}
