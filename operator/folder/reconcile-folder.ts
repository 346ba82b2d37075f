/**
 * Reconciles a folder once: observe → plan → apply. Repeatable at any time and after a crash
 * anywhere.
 */
import type { Store } from '#core/ports/store.ts';
import type { MemoryTenant } from '#crds/memory-tenant.ts';
import { DEFAULT_NAMESPACE } from '#crds/metadata.ts';
import { PROVIDERS_MAX } from '#core/records/model-provider.ts';
import type { ModelProvider } from '#crds/model-provider.ts';
import { readResources, type ResourceFile, type Resources } from '#crds/read-resources.ts';
import { applyPlan, folderContext, type FolderParts } from './apply-folder.ts';
import type { Outcome, ProviderOutcome } from './outcome-text.ts';
import { planFolder, type Observed } from './plan-folder.ts';
import { readPolicyFolder } from './read-policy-files.ts';
import { removedAfterRead, removedWithout, type RemovedResources } from './removed-resources.ts';

// Observe: what a folder of YAML declares, and what the store has. The first of three steps.

/** Policies that are searched for orphans. Claims do not depend on it: the store decides them. */
const POLICIES_MAX = 10_000;

/** A folder, or files that were read already. */
type PolicySource = string | readonly ResourceFile[];

interface FolderSource {
  readonly store: {
    readonly policies: Pick<Store['policies'], 'list'>;
    readonly modelProviders: Pick<Store['modelProviders'], 'list'>;
  };
  readonly lastRead: LastRead;
  readonly mayErase: boolean;
  readonly now: number;
}

/**
 * Reads the whole folder every time: changes are found by comparing, never from events. A resource
 * counts as removed only if the folder has no mistake and still declares a tenant.
 * @throws VarveError INVALID_INPUT with one report of all mistakes in all files
 */
async function observeFolder(
  source: PolicySource,
  { store, lastRead, mayErase, now }: FolderSource,
): Promise<Observed> {
  const last = lastRead.resources;
  const files = typeof source === 'string' ? await readPolicyFolder(source) : source;
  const resources = readResources(files, last);
  const tenants = { before: last?.tenants ?? [], now: resources.tenants };
  const declared = { before: last?.providers ?? [], now: resources.providers };
  lastRead.removed = removedAfterRead(lastRead.removed, tenants, now);
  lastRead.removedProviders = removedAfterRead(lastRead.removedProviders, declared, now);
  lastRead.resources = resources;
  return {
    resources,
    removed: lastRead.removed,
    removedProviders: lastRead.removedProviders,
    policies: await store.policies.list(POLICIES_MAX),
    providers: await store.modelProviders.list(PROVIDERS_MAX),
    mayErase,
  };
}

export interface ReconcileOptions extends Omit<FolderParts, 'releaseNamespace' | 'erased'> {
  readonly dir: PolicySource;
  /** Part of the identity of an owner; `FOLDER_CLUSTER` for a folder, whatever its path. */
  readonly clusterId: string;
  /** The namespace whose ModelProviders have an effect; `default` if absent. */
  readonly releaseNamespace?: string | undefined;
  /**
   * Given by callers that reconcile repeatedly. With it, an immutable field is compared with its
   * earlier value, a tenant whose file is gone is released, and recorded erasures are done.
   */
  readonly lastRead?: LastRead | undefined;
  /** Ends the reconcile soon; the next one does the rest. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReconcileOutcome {
  /** In the order of the files, orphans last, without those that a signal left undone. */
  readonly outcomes: readonly Outcome[];
  readonly providers: readonly ProviderOutcome[];
}

/**
 * Applies the resources of a folder. Everything is read and checked before anything is written, so
 * a mistake in one file changes nothing at all.
 * @throws VarveError INVALID_INPUT with one report of every mistake; errors of the store
 */
export async function reconcileFolder(options: ReconcileOptions): Promise<ReconcileOutcome> {
  const { dir, lastRead = nothingRead(), releaseNamespace = DEFAULT_NAMESPACE } = options;
  const { signal = new AbortController().signal } = options;
  const context = folderContext({ ...options, releaseNamespace, erased: lastRead.erased });
  const { store, platform, clusterId: cluster, enforcedPolicies } = context;
  const now = platform.clock();
  const mayErase = options.lastRead !== undefined;
  const observed = await observeFolder(dir, { store, lastRead, mayErase, now });
  const { digest } = platform;
  const enforcedHash = (tenant: string) => enforcedPolicies.hashOf(tenant);
  const plan = planFolder(observed, { cluster, releaseNamespace, now, digest, enforcedHash });
  const { outcomes, providers, released } = await applyPlan(plan, { context, signal });
  lastRead.removed = removedWithout(lastRead.removed, released.tenants);
  lastRead.removedProviders = removedWithout(lastRead.removedProviders, released.providers);
  return { outcomes, providers };
}

export interface LastRead {
  /** The content of the folder when it was last read without a mistake; null before that. */
  resources: Resources | null;
  /** Each entry lasts until the store has its release, or its resource is back. */
  removed: RemovedResources<MemoryTenant>;
  removedProviders: RemovedResources<ModelProvider>;
  /** Records deleted so far by this process, by tenant; an entry lasts as long as its erasure. */
  readonly erased: Map<string, number>;
}

/**
 * Returns an empty memory of a folder, which a process keeps between two reconciles. Owned by the
 * caller.
 */
export function nothingRead(): LastRead {
  return { resources: null, removed: new Map(), removedProviders: new Map(), erased: new Map() };
}
