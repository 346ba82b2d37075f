/** `varve compact`: takes the text of a tenant's old turns now, or says what would go. */
import type { Config } from '../config.ts';
import { compactionText } from '../compaction-text.ts';
import { openForOrders } from '../orders/open.ts';

export interface CompactOptions {
  readonly tenant: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** @throws VarveError FORBIDDEN for a tenant that was let go of; PROVIDER_ERROR without Temporal */
export async function compactCommand(config: Config, options: CompactOptions): Promise<void> {
  const { tenant, dryRun = false, json = false } = options;
  await using ordering = await openForOrders(config);
  const answer = await ordering.varve.memory.compact({ tenant, dryRun });
  const text = json ? JSON.stringify(answer, null, 2) : compactionText(answer);
  process.stdout.write(`${text}\n`);
}
