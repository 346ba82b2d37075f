/** `varve start` on a folder of its own, and the API client for it. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { connectApi, type ApiClient } from '#cli/api-client.ts';
import { readAddresses, type Addresses, stackPaths } from '#cli/installation-files.ts';
import { ROOT, startVarve, type VarveOptions, type VarveProcess } from './varve-process.ts';
import { until } from './until.ts';

/** A policy under which everything is due at its first change, after a window of a second. */
export const QUICK_POLICY = path.join(ROOT, 'examples', 'own-files');
/** The tenant that it declares. */
export const TENANT = 'demo';

export interface RunningStack extends AsyncDisposable {
  readonly process: VarveProcess;
  readonly dataDir: string;
  readonly addresses: Addresses;
  readonly token: string;
  readonly api: ApiClient;
}

export async function startStackOn(
  dataDir: string,
  { args = [], ...options }: VarveOptions & { readonly args?: readonly string[] } = {},
): Promise<RunningStack> {
  const all = ['start', '--data-dir', dataDir, '--policy-dir', QUICK_POLICY, ...args];
  const running = startVarve(all, options);
  try {
    await running.untilSaid(`data         ${dataDir}`);
    const paths = stackPaths(dataDir);
    const addresses = await readAddresses(paths.addresses);
    if (addresses === null) throw new Error('The stack runs and has not written its addresses.');
    const token = (await readFile(paths.token, 'utf8')).trim();
    return {
      process: running,
      dataDir,
      addresses,
      token,
      api: connectApi({ url: addresses.apiUrl, token }),
      [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
    };
  } catch (error) {
    await running[Symbol.asyncDispose]();
    throw error;
  }
}

/** The text of a project's summary once it is fresh and says what is expected. */
export async function untilSummarized(
  api: Pick<ApiClient, 'summary'>,
  projectId: string,
  expected: string,
): Promise<string> {
  const identifiers = { projectId };
  return until(`the summary of ${projectId} says "${expected}"`, async () => {
    const asked = { tenant: TENANT, layer: 'project', identifiers, depth: 'detailed' } as const;
    const summary = await api.summary.get(asked);
    if (summary === null || summary.freshness.stale) return null;
    return summary.text.includes(expected) ? summary.text : null;
  });
}
