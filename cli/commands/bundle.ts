/** `varve bundle`: bundles the workflows once, when an image is built, so that workers need not. */
import { writeFile } from 'node:fs/promises';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { loadWorkflows } from '../stack/workflow-bundle.ts';

/** Writes the bundle, which fits only this version of Varve and of its packages. */
export async function bundleCommand(file: string): Promise<void> {
  const { code } = await loadWorkflows(null, SILENT_LOG);
  await writeFile(file, code);
}
