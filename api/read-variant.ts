/** Reads the variant of a summary for its reader, and notes the read (design 6.21). */
import { audienceOf } from '#core/variants/audience.ts';
import type { Identifiers } from '#core/identifiers.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Summary } from '#core/records/summary.ts';
import {
  variantAfterRead,
  JOIN_CALL_PAUSE_MS,
  isCurrentVariant,
  variantRecipeHash,
} from '#core/variants/variant-rules.ts';
import type { ApiPorts } from './api-ports.ts';
import { isBound, type Principal } from './principal.ts';

/** For whom summaries are read, and by which rules. A bound principal reads for itself. */
export interface SummaryReader {
  readonly policy: TenantPolicy;
  readonly identifiers: Identifiers;
  /** Whether the reader speaks for the whole tenant, and so may know about its money. */
  readonly mayKnowBudget: boolean;
  /** Whether turns since the summary are shown on their own; if absent, they follow the summary. */
  readonly turnsApart?: boolean;
}

export function variantReadingOf(
  principal: Principal,
  reading: Omit<SummaryReader, 'mayKnowBudget'>,
): SummaryReader {
  return { ...reading, mayKnowBudget: !isBound(principal) };
}

interface FoundVariant {
  readonly summary: Summary;
  /** Whether the cache of this process had it. */
  readonly isHit: boolean;
}

/**
 * Returns the reader's variant of the current general summary; null if the layer is not
 * personalized or there is no current variant. Notes the read, so that the variant is made. If the
 * store can't note it, the variant is missing, but the read succeeds.
 */
export async function readVariant(
  ports: ApiPorts,
  { policy, identifiers }: SummaryReader,
  { record, recipeHash }: { record: ScopeRecord; recipeHash: string },
): Promise<FoundVariant | null> {
  const { personalized } = policy.layers[record.layer];
  const audience = personalized ? audienceOf(record.layer, identifiers) : null;
  if (audience === null) return null;
  const { summary, isHit } = await ports.summaryCache.get(record, audience);
  const own = variantRecipeHash(ports.platform.digest, recipeHash, audience);
  const isCurrent = isCurrentVariant(summary, own);
  try {
    await noteRead(ports, record, { audience, isCurrent });
  } catch (error) {
    ports.platform.log.warn(
      { tenant: record.tenant, error },
      'failed to record the read of a variant',
    );
  }
  return isCurrent ? { summary, isHit } : null;
}

async function noteRead(
  { store, platform, refreshTrigger }: ApiPorts,
  scope: ScopeRecord,
  { audience, isCurrent }: { audience: string; isCurrent: boolean },
): Promise<void> {
  const before = await store.variants.get(scope, audience);
  const now = platform.clock();
  const after = variantAfterRead(before, { scope, audience, isCurrent, now });
  // If another read was noted meanwhile, it counts for this one.
  if (after === null || !(await store.variants.put(after))) return;
  if (after.dueAt === null || after.dueAt === before?.dueAt) return;
  const { edge } = await store.refreshRequests.want(scope.tenant);
  const message = { urgent: false, closesInMs: JOIN_CALL_PAUSE_MS, isFirst: edge };
  await refreshTrigger.notify(scope.tenant, message);
}
