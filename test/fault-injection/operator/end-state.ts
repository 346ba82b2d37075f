/** What the operator leaves in the cluster and in the store, without parts that always differ. */
import { canonicalJson } from '#core/hash.ts';
import { periodOf } from '#core/budget/budget-account.ts';
import type { KubernetesApi, KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { Store } from '#core/ports/store.ts';
import type { PolicyRecord } from '#core/records/policy.ts';
import { ERASED_TENANT, KEPT_TENANT, KINDS } from './declared.ts';

const RECORDS_MAX = 10_000;
/** Times, and names that the server or a run of the proof gives. */
const DIFFERING: ReadonlySet<string> = new Set([
  'lastTransitionTime',
  'lastRefreshTime',
  'nextRefreshTime',
  'lastDreamTime',
  'nextDreamTime',
  'since',
  'uid',
  'appliedAt',
  'createdAt',
  'epoch',
]);

/** How often something was written on the way there. */
const HISTORY: ReadonlySet<string> = new Set([...DIFFERING, 'generation', 'observedGeneration']);

export interface StatePlace {
  readonly api: KubernetesApi;
  readonly store: Store;
  readonly namespace: string;
  /**
   * Whether it counts how often a policy changed on the way, and has what the last one of a tenant
   * that is gone said. That depends on what was heard of first, the end of the tenant or that of
   * its provider, where both end at the same time under an operator that runs.
   */
  readonly hasHistory: boolean;
  /** By the operator's clock. */
  readonly now: number;
}

/** One text for one state: equal texts are equal states. */
export async function endState(place: StatePlace): Promise<string> {
  const { api, store, namespace, hasHistory } = place;
  const objects = [];
  for (const type of KINDS) {
    const { items } = await api.list(type, { namespace });
    objects.push(...items.map(objectState));
  }
  const policies = await store.policies.list(RECORDS_MAX);
  const providers = await store.modelProviders.list(RECORDS_MAX);
  const state = {
    objects: objects.toSorted((a, b) => a.name.localeCompare(b.name)),
    policies: await Promise.all(policies.map((record) => policyState(record, place))),
    dreams: await dreamStates(place),
    providers: providers.map(({ check: _check, ...record }) => record),
  };
  return canonicalJson(steady(state, hasHistory ? DIFFERING : HISTORY)).replaceAll(
    namespace,
    'NAMESPACE',
  );
}

/** The policies in the events, by tenant: none is missing, and none occurs twice. */
export async function policyRecords(store: Store, tenants: readonly string[]): Promise<string> {
  const lists = tenants.map((tenant) =>
    store.events.list(tenant, { afterId: null, limit: RECORDS_MAX }),
  );
  const told = (await Promise.all(lists))
    .flat()
    .filter(({ type }) => type === 'memory_policy_applied')
    .map(({ tenant, attributes }) => `${tenant} ${String(attributes['generation'])}`);
  return told.toSorted().join(', ');
}

/** Whether every resource says that its newest spec was looked at, and why it is as it is. */
export async function isSeen(api: KubernetesApi, namespace: string): Promise<boolean> {
  for (const type of KINDS) {
    const { items } = await api.list(type, { namespace });
    if (!items.every(isObjectSeen)) return false;
  }
  return true;
}

function isObjectSeen(object: KubernetesObject): boolean {
  const { deletionTimestamp, generation } = object.metadata;
  const status = object['status'] as { readonly observedGeneration?: unknown } | undefined;
  return deletionTimestamp === undefined && status?.observedGeneration === generation;
}

function objectState(object: KubernetesObject) {
  const { name, finalizers = [], generation, deletionTimestamp } = object.metadata;
  const isDeleting = deletionTimestamp !== undefined;
  const { kind, spec = null, status = null } = object;
  return { kind, name, finalizers, generation, isDeleting, spec, status };
}

async function policyState(record: PolicyRecord, { store, hasHistory, now }: StatePlace) {
  const { releasedAt, policy, hash, ...rest } = record;
  const period = periodOf(now);
  const account = await store.accounts.get(record.tenant, period, policy.budget);
  const { limitTokens, limitMicroDollars } = account;
  const isReleased = releasedAt !== null;
  const last = isReleased && !hasHistory ? {} : { policy, hash };
  return { ...rest, ...last, isReleased, limitTokens, limitMicroDollars };
}

/** By its cron and not by its next time, which may pass while a proof runs. */
async function dreamStates({ store, hasHistory }: StatePlace) {
  const tenants = [ERASED_TENANT, KEPT_TENANT];
  const listed = await Promise.all(tenants.map((tenant) => store.dreamSchedules.list(tenant)));
  return listed.flat().map(({ tenant, name, cronHash, policyGeneration }) => {
    return { tenant, name, cronHash, ...(hasHistory ? { policyGeneration } : {}) };
  });
}

function steady(value: unknown, without: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((each) => steady(each, without));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([name]) => !without.has(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, steady(inner, without)]));
}
