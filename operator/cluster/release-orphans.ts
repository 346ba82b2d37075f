/**
 * Lets go of tenants whose resource went without the operator: during an outage by force, or when
 * somebody took the finaliser away. Nobody else would ever hear of it.
 *
 * Guarantees: nothing is deleted; only what the API server says is gone is let go of, never what a
 * cache does not have; repeatable.
 */
import { isReleased, type PolicyRecord } from '#core/records/policy-record.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { release } from './clean-up-tenant.ts';
import type { ClusterContext } from './context.ts';
import { keyOf } from './resource-key.ts';

/** Records of one read. */
export const POLICIES_PER_PAGE = 500;
/** Asked of the API server in one round; more would crowd out the reconciles. */
export const LOOKS_MAX = 1_000;

/**
 * Looks at every tenant of this cluster once, as far as `LOOKS_MAX` allows; what was let go of is
 * not asked for again, so that the next round goes further.
 * @throws VarveError CANCELLED where this process leads no more; what the store or the API throws
 */
export async function releaseLeftOver(context: ClusterContext, signal: AbortSignal): Promise<void> {
  const { store, api, platform } = context;
  let looks = 0;
  let after: string | undefined;
  while (!signal.aborted) {
    const page = await store.policies.list(POLICIES_PER_PAGE, after);
    for (const { tenant, owner } of page.filter((record) => isToBeAsked(record, context))) {
      if (looks >= LOOKS_MAX || signal.aborted) return;
      looks += 1;
      const { namespace, name, uid } = owner;
      const live = await api.get(MEMORY_TENANT, { namespace, name }, signal);
      if (live?.metadata.uid === uid) continue;
      await context.fence.ensure();
      await release({ tenant, owner }, context);
      platform.log.warn({ tenant, namespace, name }, LET_GO);
    }
    if (page.length < POLICIES_PER_PAGE) return;
    after = page.at(-1)?.tenant;
  }
}

const LET_GO =
  'the resource of this tenant went without clean-up; the tenant is let go of and its memories ' +
  'are kept';

/** Own, held, in a namespace that may be read, and not seen to be there. */
function isToBeAsked(
  record: PolicyRecord,
  { clusterId, namespaces, lister }: ClusterContext,
): boolean {
  const { cluster, namespace, name, uid } = record.owner;
  if (cluster !== clusterId || isReleased(record)) return false;
  if (namespaces !== null && !namespaces.includes(namespace)) return false;
  return lister.tenant(keyOf({ namespace, name }))?.metadata.uid !== uid;
}
