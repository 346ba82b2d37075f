/**
 * Finds whether a model that scopes wait for is unavailable, from workers' checks and held scopes.
 */
import type { ModelProviderRecords } from '../ports/policy-records.ts';
import type { ScopeRecords } from '../ports/scope-records.ts';
import { waitsForModel } from './retries-and-dead-letters.ts';

/** Tenants to check, longest waiting first, and scopes of each: 21 short index reads. */
const TENANTS_MAX = 20;
const SCOPES_PER_TENANT_MAX = 50;
const PROVIDERS_MAX = 100;
/** Scopes that wait for a model are due again within this time. */
const AHEAD_MS = 10 * 60_000;

interface ModelOutage {
  /** An error code or the word of a check; never the name of a tenant, a host or a key. */
  readonly code: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface OutageRecords {
  readonly scopes: Pick<ScopeRecords, 'due' | 'dueTenants'>;
  readonly modelProviders: Pick<ModelProviderRecords, 'list'>;
}

/** Returns the longest current outage; null if every model answered its last call. */
export async function modelOutage(
  { scopes, modelProviders }: OutageRecords,
  now: number,
): Promise<ModelOutage | null> {
  const outages: ModelOutage[] = [];
  for (const { check } of await modelProviders.list(PROVIDERS_MAX)) {
    if (check?.state !== 'Unavailable') continue;
    outages.push({ code: check.code ?? 'PROVIDER_ERROR', since: check.since });
  }
  const until = now + AHEAD_MS;
  for (const tenant of await scopes.dueTenants({ now: until, limit: TENANTS_MAX })) {
    const query = { until, now, limit: SCOPES_PER_TENANT_MAX };
    for (const scope of await scopes.due(tenant, query)) {
      const { hold } = scope;
      if (hold !== null && waitsForModel(scope)) outages.push(hold);
    }
  }
  const [longest] = outages.toSorted((a, b) => a.since - b.since);
  return longest === undefined ? null : { code: longest.code, since: longest.since };
}
