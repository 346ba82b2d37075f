/** Observe: what a folder of YAML wants, and what the store has. The first of three steps. */
import { readResources, type ResourceFile } from '#crds/read-resources.ts';
import type { Store } from '#core/ports/store.ts';
import type { Observed } from '../plan.ts';
import { goneAfter } from './deleted-resources.ts';
import type { LastRead } from './last-read.ts';
import { readPolicyFolder } from './policy-folder.ts';

/** Policies that are looked at for orphans; a claim is decided by the store whatever this is. */
const POLICIES_MAX = 10_000;
/** Endpoints, of which there are a handful. */
const PROVIDERS_MAX = 1_000;

/** A folder, or files that were read already. */
export type PolicySource = string | readonly ResourceFile[];

export interface FolderSource {
  readonly store: {
    readonly policies: Pick<Store['policies'], 'list'>;
    readonly modelProviders: Pick<Store['modelProviders'], 'list'>;
  };
  readonly lastRead: LastRead;
  readonly now: number;
}

/**
 * Reads the whole folder, every time: what changed is found by comparing, never by an event. What
 * is gone is known only after a folder without a mistake that still declares a tenant.
 * @throws VarveError INVALID_INPUT with one report of all mistakes in all files
 */
export async function observeFolder(
  source: PolicySource,
  { store, lastRead, now }: FolderSource,
): Promise<Observed> {
  const last = lastRead.resources;
  const resources = readResources(await filesOf(source), last);
  const tenants = { before: last?.tenants ?? [], now: resources.tenants };
  const declared = { before: last?.providers ?? [], now: resources.providers };
  lastRead.gone = goneAfter(lastRead.gone, tenants, now);
  lastRead.goneProviders = goneAfter(lastRead.goneProviders, declared, now);
  lastRead.resources = resources;
  return {
    resources,
    gone: lastRead.gone,
    goneProviders: lastRead.goneProviders,
    policies: await store.policies.list(POLICIES_MAX),
    providers: await store.modelProviders.list(PROVIDERS_MAX),
  };
}

function filesOf(source: PolicySource): Promise<readonly ResourceFile[]> | readonly ResourceFile[] {
  return typeof source === 'string' ? readPolicyFolder(source) : source;
}
