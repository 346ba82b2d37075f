/** Reconcile: observe → plan → apply, once. Repeatable at any time, and after a death anywhere. */
import type { Store } from '#core/ports/store.ts';
import type { MemoryTenant } from '#crds/memory-tenant.ts';
import { DEFAULT_NAMESPACE } from '#crds/metadata.ts';
import type { ModelProvider } from '#crds/model-provider.ts';
import { readResources, type ResourceFile, type Resources } from '#crds/read-resources.ts';
import { applyPlan, folderContext, type FolderParts } from './apply-folder.ts';
import type { Outcome, ProviderOutcome } from './outcome-text.ts';
import {
  planFolder,
  type Observed,
  goneWithout,
  goneAfterRead,
  type GoneResources,
} from './plan-folder.ts';
import { readPolicyFolder } from './read-policy-files.ts';

// Observe: what a folder of YAML wants, and what the store has. The first of three steps.

/** Policies that are looked at for orphans; a claim is decided by the store whatever this is. */
const POLICIES_MAX = 10_000;
/** Endpoints, of which there are a handful. */
const PROVIDERS_MAX = 1_000;

/** A folder, or files that were read already. */
type PolicySource = string | readonly ResourceFile[];

interface FolderSource {
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
async function observeFolder(
  source: PolicySource,
  { store, lastRead, now }: FolderSource,
): Promise<Observed> {
  const last = lastRead.resources;
  const files = typeof source === 'string' ? await readPolicyFolder(source) : source;
  const resources = readResources(files, last);
  const tenants = { before: last?.tenants ?? [], now: resources.tenants };
  const declared = { before: last?.providers ?? [], now: resources.providers };
  lastRead.gone = goneAfterRead(lastRead.gone, tenants, now);
  lastRead.goneProviders = goneAfterRead(lastRead.goneProviders, declared, now);
  lastRead.resources = resources;
  return {
    resources,
    gone: lastRead.gone,
    goneProviders: lastRead.goneProviders,
    policies: await store.policies.list(POLICIES_MAX),
    providers: await store.modelProviders.list(PROVIDERS_MAX),
  };
}

export interface ReconcileOptions extends Omit<FolderParts, 'releaseNamespace' | 'erased'> {
  readonly dir: PolicySource;
  /** Part of who owns a tenant; `FOLDER_CLUSTER` for a folder, wherever it lies. */
  readonly clusterId: string;
  /** Where ModelProviders are heard; `default` where absent. */
  readonly releaseNamespace?: string | undefined;
  /**
   * Given by those who reconcile again and again, so that a field which must not change is held to
   * what it was, and a tenant whose file went is released.
   */
  readonly lastRead?: LastRead | undefined;
  /** Ends it soon; the next reconcile does the rest. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReconcileOutcome {
  /** In the order of the files, orphans last; without those that a signal left undone. */
  readonly outcomes: readonly Outcome[];
  readonly providers: readonly ProviderOutcome[];
}

/**
 * Applies the resources of a folder. All of it is read and checked before anything is written, so a
 * mistake in one file changes nothing at all.
 * @throws VarveError INVALID_INPUT with one report of every mistake; what the store throws
 */
export async function reconcileFolder(options: ReconcileOptions): Promise<ReconcileOutcome> {
  const { dir, lastRead = nothingRead(), releaseNamespace = DEFAULT_NAMESPACE } = options;
  const { signal = new AbortController().signal } = options;
  const context = folderContext({ ...options, releaseNamespace, erased: lastRead.erased });
  const { store, platform, clusterId: cluster, enforcedPolicies } = context;
  const now = platform.clock();
  const observed = await observeFolder(dir, { store, lastRead, now });
  const { digest } = platform;
  const enforcedHash = (tenant: string) => enforcedPolicies.hashOf(tenant);
  const plan = planFolder(observed, { cluster, releaseNamespace, now, digest, enforcedHash });
  const { outcomes, providers, released } = await applyPlan(plan, { context, signal });
  lastRead.gone = goneWithout(lastRead.gone, released.tenants);
  lastRead.goneProviders = goneWithout(lastRead.goneProviders, released.providers);
  return { outcomes, providers };
}

export interface LastRead {
  /** What the folder said when it was last read without a mistake; null before it was. */
  resources: Resources | null;
  /** Each until it is released, or is there again. */
  gone: GoneResources<MemoryTenant>;
  goneProviders: GoneResources<ModelProvider>;
  /** Records deleted so far by this process, by tenant; an entry lives as long as its erasure. */
  readonly erased: Map<string, number>;
}

/**
 * What a process remembers of its folder between two looks; owned by who looks again and again.
 */
export function nothingRead(): LastRead {
  return { resources: null, gone: new Map(), goneProviders: new Map(), erased: new Map() };
}
