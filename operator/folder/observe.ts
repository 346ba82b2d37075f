/** Observe: what a folder of YAML wants, and what the store has. The first of three steps. */
import { readResources, type Resources } from '#crds/read-resources.ts';
import type { PolicyRecords } from '#core/ports/policy-records.ts';
import { compileResources } from '../compile.ts';
import type { Observed } from '../plan.ts';
import { readPolicyFolder } from './policy-folder.ts';

/** Policies that are looked at for orphans; a claim is decided by the store whatever this is. */
const POLICIES_MAX = 10_000;

/** What a folder said when it was last read without a mistake; null before it was. */
export interface LastRead {
  resources: Resources | null;
}

/**
 * Reads the whole folder, every time: what changed is found by comparing, never by an event.
 * @throws VarveError INVALID_INPUT with one report of all mistakes in all files
 */
export async function observeFolder(
  dir: string,
  source: {
    readonly policies: Pick<PolicyRecords, 'list'>;
    readonly clusterId: string;
    readonly lastRead: LastRead;
  },
): Promise<Observed> {
  const resources = readResources(await readPolicyFolder(dir), source.lastRead.resources);
  source.lastRead.resources = resources;
  const desired = compileResources(resources, source.clusterId);
  return { desired, stored: await source.policies.list(POLICIES_MAX) };
}
