/** `varve compact`: takes the text of a tenant's old turns now, or says what would go. */
import { checkedInput } from '#api/operations/operation.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { Config } from '../config.ts';
import { compactionText } from '../compaction-text.ts';
import { openLibraryOf } from '../admin/open-library.ts';
import { createProgress } from '../progress.ts';
import { shutdownSignal } from '../shutdown.ts';
import { watchCompaction } from '../watch-compaction.ts';

export interface CompactOptions {
  readonly tenant: string;
  readonly dryRun?: boolean;
  readonly detach?: boolean;
  readonly json?: boolean;
}

/**
 * @throws VarveError FORBIDDEN for a tenant that was let go of; PROVIDER_ERROR without Temporal, or
 * where the run failed; TIMEOUT where it takes very long
 */
export async function compactCommand(config: Config, options: CompactOptions): Promise<void> {
  const { tenant, dryRun = false, detach = false, json = false } = options;
  const asked = checkedInput(OPERATIONS.memory.compact, { tenant, dryRun });
  const signal = shutdownSignal();
  await using ordering = await openLibraryOf(config);
  const { memory } = ordering.varve;
  const report = createProgress({ stream: process.stderr, quiet: json });
  report.line(dryRun ? 'looking at old turns' : 'taking the text of old turns');
  const begun = await memory.compact(asked);
  const isUnderWay = begun.state === 'Started' || begun.state === 'UnderWay';
  if (begun.state === 'UnderWay') report.line('a run is at it already; waiting for that one');
  const ended = isUnderWay && !detach ? await watchCompaction(memory, tenant, signal) : null;
  const answer = ended === null ? begun : { ...begun, ...ended };
  const text = json ? JSON.stringify(answer, null, 2) : compactionText(answer);
  process.stdout.write(`${text}\n`);
}
