/** `varve compact`: takes the text of a tenant's old turns now, or says what would go. */
import type { CompactionShown } from '#api/compaction.ts';
import type { CompactionTotals } from '#core/retention-contract.ts';
import type { Config } from '../config.ts';
import { count } from '../demo/text.ts';
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

function compactionText({ state, counts }: CompactionShown): string {
  if (counts === null) {
    const begun = state === 'Started' ? 'It has begun' : 'A run was at it already';
    return `${begun}; its event memory_compaction_completed tells what went.`;
  }
  const { turns, sessions } = counts;
  const isPreview = state === 'Preview';
  const verb = isPreview ? 'would lose their text' : 'lost their text';
  const lines =
    turns === 0
      ? [isPreview ? 'No turn would lose its text.' : 'No turn lost its text.']
      : [`${count(turns, 'turn')} of ${count(sessions, 'session')} ${verb}: ${keptText(counts)}.`];
  return [...lines, ...waitingText(counts)].join('\n');
}

function keptText({ quotes, bytesFreed }: CompactionTotals): string {
  const bytes = `${bytesFreed.toLocaleString('en-US')} bytes`;
  return `${bytes} in all; ${count(quotes, 'quote')} of summaries stay`;
}

function waitingText({ waiting, unsummarised }: CompactionTotals): readonly string[] {
  return [
    ...(unsummarised === 0 ? [] : [`${count(unsummarised, 'turn')} of them without a summary.`]),
    ...(waiting === 0
      ? []
      : [`${count(waiting, 'session')} with old turns: waiting for a summary.`]),
  ];
}
