/** Compactions as the API asks for them: durable where workflows run, else done at once. */
import type { RefreshPorts } from '#activities/refresh-ports.ts';
import type { Compactions } from '#core/ports/compactions.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { CompactionTotals } from '#core/retention/retention-contract.ts';

export function compactionsOf(
  parts: Pick<RefreshPorts, 'store' | 'platform' | 'metrics'>,
  { compactions }: Pick<RefreshTrigger, 'compactions'>,
): Compactions {
  const here = async (tenant: string, dryRun: boolean): Promise<CompactionTotals> => {
    const { compactTenant } = await import('#activities/retention/compact-tenant.ts');
    const { signal } = new AbortController();
    return compactTenant(parts, { tenant, dryRun }, { signal });
  };
  return {
    preview: (tenant) => here(tenant, true),
    run: async (tenant) =>
      compactions === undefined
        ? { kind: 'Done', totals: await here(tenant, false) }
        : { kind: await compactions.start(tenant) },
    last: async (tenant) => compactions?.last(tenant) ?? null,
  };
}
