/** A first policy for an installation that has none: the defaults, written out to be changed. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

export const STARTER_FILE = 'tenant.yaml';

export function starterPolicy(tenant: string): string {
  return `# The policy of this installation. Varve watches this folder: save, and it holds.
# Everything that is left out has its default; \`varve doctor\` checks the files.
apiVersion: memory.varve.dev/v1alpha1
kind: MemoryTenant
metadata:
  name: ${JSON.stringify(tenant)}
spec:
  # What models may cost in a calendar month. Without a model nothing is spent.
  budget:
    dollars: "10.00"
    onExhausted: ServeStale
  refresh:
    # How long due summaries wait for each other, to share one model call.
    batchWindow: 5m
`;
}

/** Makes the folder with a starter where it does not exist; an existing one is left as it is. */
export async function ensurePolicyFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true });
  if (made === undefined) return;
  await writeFile(path.join(folder, STARTER_FILE), starterPolicy('default'), { flag: 'wx' });
}
