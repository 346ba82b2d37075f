/** Stores for plans, as the operator of a folder or a cluster left them. */
import { readResources } from '#crds/read-resources.ts';
import type { Store } from '#core/ports/store.ts';
import { forecastPlan, type TenantForecast } from '#cli/plan/forecast-plan.ts';
import { knownResources } from '#cli/plan/plan-installation.ts';
import { compileResources } from '#operator/tenant/compile-policy.ts';
import { reconcileFolder } from '#operator/folder/reconcile-folder.ts';
import { file } from '../crds/policy-files.ts';
import {
  calendar,
  digest,
  folderWith,
  NOW,
  openStore,
  stillPlatform,
} from '../operator/policy-store.ts';
import { MODELS } from './samples.ts';

/** A store in which an operator of a folder applied a text, and a way to apply another. */
export async function applied(text: string): Promise<{
  readonly store: Store;
  apply(next: string): Promise<void>;
}> {
  const platform = stillPlatform();
  const store = await openStore(platform);
  const apply = async (next: string): Promise<void> => {
    const dir = await folderWith({ 'a.yaml': next });
    await reconcileFolder({ dir, store, platform, calendar, clusterId: 'folder' });
  };
  await apply(text);
  return { store, apply };
}

export async function forecast(
  text: string,
  store: Store | null,
): Promise<readonly TenantForecast[]> {
  return forecastIn({}, text, store);
}

/** Where a plan is made. */
export interface PlanPlace {
  /** As in `varve plan --namespace`. */
  readonly namespace?: string;
  /** Of the release, as in VARVE_POD_NAMESPACE. */
  readonly podNamespace?: string;
}

export async function forecastIn(
  { namespace, podNamespace: told }: PlanPlace,
  text: string,
  store: Store | null,
): Promise<readonly TenantForecast[]> {
  const podNamespace = told ?? null;
  const policies = (await store?.policies.list(100)) ?? [];
  const providers = (await store?.modelProviders.list(100)) ?? [];
  const known = knownResources(policies, namespace, { providers, podNamespace });
  const resources = readResources([file('a.yaml', text)], null, known);
  const models = { own: MODELS.own, digest };
  const basis = store === null ? null : { store, models };
  return forecastPlan(resources, basis, { now: NOW, podNamespace, calendar });
}

/** A store in which an operator of a cluster applied the tenant of a text, in a namespace each. */
export async function inCluster(
  text: string,
  namespaces: Readonly<Record<string, string>> = { 'team-a': 'acme' },
  cluster = 'cluster-1',
): Promise<Store> {
  const store = await openStore(stillPlatform());
  const [desired] = compileResources(readResources([file('a.yaml', text)]), cluster);
  if (desired === undefined) throw new Error('The text declares no tenant.');
  for (const [namespace, tenantId] of Object.entries(namespaces)) {
    const owner = { ...desired.owner, namespace, uid: `uid-${namespace}` };
    const policy = { ...desired.policy, tenant: tenantId };
    await store.policies.put(owner, policy, { hash: namespace, now: NOW });
  }
  return store;
}
