/** `varve compact`: removes the text of old turns now, or reports what would be removed. */
import { print, type TenantOptions } from '../memory-files/memory-file-options.ts';
import { checkedInput } from '#api/operations/operation.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { CompactionShown, CompactionStatusAnswer } from '#api/schemas/conversation.ts';
import { VarveError } from '#core/errors.ts';
import type { CompactionTotals } from '#core/ports/compactions.ts';
import { openLibraryForCommand } from '../open-library-for-command.ts';
import type { Config } from '../config.ts';
import { count } from '../terminal-text.ts';
import type { Varve } from '../open-varve.ts';
import { createProgress } from '../progress-bar.ts';
import { shutdownSignal } from '../shutdown.ts';
import { setTimeout as sleep } from 'node:timers/promises';

export interface CompactOptions extends TenantOptions {
  readonly dryRun?: boolean;
  readonly detach?: boolean;
}

/**
 * @throws VarveError FORBIDDEN for a tenant that was released; PROVIDER_ERROR without Temporal, or
 * if the run failed; TIMEOUT if it takes very long
 */
export async function compactCommand(config: Config, options: CompactOptions): Promise<void> {
  const { tenant, dryRun = false, detach = false, json = false } = options;
  const asked = checkedInput(OPERATIONS.memory.compact, { tenant, dryRun });
  const signal = shutdownSignal();
  await using ordering = await openLibraryForCommand(config);
  const { memory } = ordering.varve;
  const report = createProgress({ stream: process.stderr, quiet: json });
  report.line(dryRun ? 'looking at old turns' : 'removing the text of old turns');
  const begun = await memory.compact(asked);
  const isUnderWay = begun.state === 'Started' || begun.state === 'UnderWay';
  if (begun.state === 'UnderWay') report.line('a run is already under way; waiting for it');
  const ended = isUnderWay && !detach ? await watchCompaction(memory, tenant, signal) : null;
  const answer = ended === null ? begun : { ...begun, ...ended };
  print(answer, json ? null : compactionText(answer));
}

type Said = Pick<CompactionShown, 'counts'> & {
  readonly state: CompactionShown['state'] | CompactionStatusAnswer['state'];
};

/** Describes what a compaction did or would do. */
export function compactionText({ state, counts }: Said): string {
  if (counts === null) {
    const begun = state === 'Started' ? 'It has begun' : 'A run was already under way';
    const later = 'varve compact waits for it and reports what it removed.';
    return `${begun}, and continues without this command. ${later}`;
  }
  const isPreview = state === 'Preview';
  const lines = [turnsText(counts, isPreview), ...besidesText(counts)];
  return lines.join('\n');
}

function turnsText(counts: CompactionTotals, isPreview: boolean): string {
  const { turns, sessions, bytesFreed, quotes } = counts;
  if (turns === 0) return isPreview ? 'No turn would lose its text.' : 'No turn lost its text.';
  const which = `${count(turns, 'turn')} of ${count(sessions, 'session')}`;
  if (bytesFreed === 0) {
    const verb = isPreview ? 'would be compacted' : 'were compacted';
    const kept = `${count(quotes, 'quote')} of summaries cover all of the text`;
    return `${which} ${verb}, but no bytes freed: ${kept}.`;
  }
  const verb = isPreview ? 'would lose their text' : 'lost their text';
  const bytes = `${bytesFreed.toLocaleString('en-US')} bytes in all`;
  const finds = isPreview ? 'would no longer find' : 'no longer find';
  const lost = `${which} ${verb}: ${bytes}. Contexts and searches ${finds} them`;
  return `${lost}; ${count(quotes, 'quote')} of summaries stay.`;
}

function besidesText({ waiting, unsummarized, answers }: CompactionTotals): readonly string[] {
  return [
    ...(unsummarized === 0 ? [] : [`${count(unsummarized, 'turn')} of them without a summary.`]),
    ...(answers === 0 ? [] : [`${count(answers, 'unfinished answer')} of models lost the text.`]),
    ...(waiting === 0
      ? []
      : [
          `${count(waiting, 'session')} with old turns that stay for now: no summary covers ` +
            'them or no flush made memories of them, another process is working there, or they ' +
            'failed (see the log).',
        ]),
  ];
}

const LOOK_EVERY_MS = 200;
/** Enough for some hundred thousand sessions; a person does not wait longer. */
const WAIT_MS_MAX = 30 * 60_000;

/**
 * Waits for the run and returns how it ended; null if the command is interrupted before. The run
 * continues without it.
 * @throws VarveError TIMEOUT; PROVIDER_ERROR if the run failed or was terminated
 */
async function watchCompaction(
  memory: Pick<Varve['memory'], 'compactionStatus'>,
  tenant: string,
  signal: AbortSignal,
): Promise<CompactionStatusAnswer | null> {
  const end = performance.now() + WAIT_MS_MAX;
  while (performance.now() < end && !signal.aborted) {
    const seen = await memory.compactionStatus({ tenant });
    if (seen.state === 'Done') return seen;
    if (seen.state !== 'UnderWay') throw failed();
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
  if (signal.aborted) return null;
  const message = 'The compaction is still running. Check again with varve compact.';
  throw new VarveError('TIMEOUT', message);
}

function failed(): VarveError {
  const message = 'The compaction ended early; deleted text stays deleted. Run it again.';
  return new VarveError('PROVIDER_ERROR', message);
}
