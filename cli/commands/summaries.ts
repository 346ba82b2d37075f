/** `varve summaries`: shows and makes summaries, lists dead letters, and retries them. */
import type { TenantOptions } from '../memory-files/memory-file-options.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { DeadLetters, ListedSummaries } from '#api/schemas/summary.ts';
import { DEPTHS } from '#core/records/summary.ts';
import type { RefreshReport } from '#core/refresh/refresh-contract.ts';
import type { Config } from '../config.ts';
import { bold, count, renderTable, wrapped } from '../terminal-text.ts';
import { openLibraryForCommand, whenDone } from '../open-library-for-command.ts';
import { commandOf, inputFromOptions } from '../operation-input.ts';

export const showSummariesCommand = commandOf(OPERATIONS.summary.list, summariesText);

function summariesText({ summaries }: ListedSummaries): string {
  const started = summaries.filter(
    ({ summary, freshness }) => summary !== null || freshness.changes > 0,
  );
  if (started.length > 0) return started.map(summaryText).join('\n\n');
  const scopes = summaries.map(({ scope: { layer, scopeId } }) => `${layer} ${scopeId}`);
  return `Nothing to summarize in ${scopes.join(', ')}. Name other ids, such as --user ann.`;
}

/** The longest text of a summary, under a line that says whose it is and whether it is fresh. */
function summaryText({ scope, summary, freshness }: ListedSummaries['summaries'][number]): string {
  const whose = bold(`${scope.layer} ${scope.scopeId}`);
  if (summary === null) return `${whose}  no summary yet; varve summaries refresh makes it`;
  const longest = DEPTHS.flatMap((depth) => summary.depths[depth] ?? []).at(-1);
  const facts = count(summary.facts.length, 'fact');
  const sources = count(summary.sourceCount, 'source');
  const state = freshness.stale ? `may be outdated: ${String(freshness.reason)}` : 'fresh';
  return `${whose}  ${facts} from ${sources}, ${state}\n${wrapped(longest?.text ?? '', '  ')}`;
}

export const refreshCommand = commandOf(OPERATIONS.refresh, refreshText);

function refreshText({ generated, unchanged, failures }: RefreshReport): string {
  const done = `${count(generated, 'summary')} made, ${String(unchanged)} unchanged.`;
  return [done, ...failures.map(({ code, message }) => `${code}: ${message}`)].join('\n');
}

export const deadLettersCommand = commandOf(OPERATIONS.summary.deadLetters, deadLettersText);

function deadLettersText({ deadLetters, total }: DeadLetters): string {
  if (total === 0) return 'There are no dead letters.';
  const rows = deadLetters.map(({ layer, scopeId, reason, since, changes }) => [
    layer,
    scopeId,
    reason,
    new Date(since).toISOString(),
    String(changes),
  ]);
  const table = renderTable(['layer', 'scope', 'reason', 'since', 'changes'], rows);
  const more = total - deadLetters.length;
  const rest = more === 0 ? '' : `${String(more)} more.\n`;
  return `${table}\n${rest}varve summaries retry tries them again.`;
}

/** @throws VarveError INVALID_LAYER */
export async function retryCommand(
  config: Config,
  options: TenantOptions & { readonly scope?: string },
): Promise<void> {
  const asked = inputFromOptions(OPERATIONS.summary.retry, options, { scopeId: options.scope });
  await using ordering = await openLibraryForCommand(config);
  const { retried } = await ordering.varve.summary.retry(asked);
  const said =
    retried === 0
      ? 'There are no dead letters.'
      : `${count(retried, 'scope')} due again. ${whenDone(ordering.isRunning)}`;
  process.stdout.write(`${said}\n`);
}
