/** `varve summaries`: lists the dead letters of a tenant, and retries them. */
import type { TenantOptions } from '../memory-files/memory-file-options.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { DeadLetters } from '#api/schemas/summary.ts';
import type { Config } from '../config.ts';
import { renderTable, count } from '../terminal-text.ts';
import { openLibraryForCommand, whenDone } from '../open-library-for-command.ts';
import { commandOf, inputFromOptions } from '../operation-input.ts';

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
