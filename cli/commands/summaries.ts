/** `varve summaries`: lists the dead letters of a tenant, and retries them. */
import { checkedInput } from '#api/operations/operation.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { Config } from '../config.ts';
import { renderTable, count } from '../terminal-text.ts';
import { layerFromOption } from '../shared-command-options.ts';
import { openLibraryForCommand, whenDone } from '../open-library-for-command.ts';

export interface DeadOptions {
  readonly tenant: string;
  readonly json?: boolean;
}

export interface RetryOptions {
  readonly tenant: string;
  readonly layer?: string;
  readonly scope?: string;
}

export async function deadLettersCommand(
  config: Config,
  { tenant, json }: DeadOptions,
): Promise<void> {
  const asked = checkedInput(OPERATIONS.summary.deadLetters, { tenant });
  await using ordering = await openLibraryForCommand(config);
  const answer = await ordering.varve.summary.deadLetters(asked);
  if (json === true) {
    process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
    return;
  }
  const { deadLetters, total } = answer;
  if (total === 0) {
    process.stdout.write('There are no dead letters.\n');
    return;
  }
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
  process.stdout.write(`${table}\n${rest}varve summaries retry tries them again.\n`);
}

/** @throws VarveError INVALID_LAYER */
export async function retryCommand(
  config: Config,
  { tenant, layer, scope }: RetryOptions,
): Promise<void> {
  const asked = checkedInput(OPERATIONS.summary.retry, {
    tenant,
    ...(layer === undefined ? {} : { layer: layerFromOption(layer) }),
    scopeId: scope,
  });
  await using ordering = await openLibraryForCommand(config);
  const { retried } = await ordering.varve.summary.retry(asked);
  const said =
    retried === 0
      ? 'There are no dead letters.'
      : `${count(retried, 'scope')} due again. ${whenDone(ordering.isRunning)}`;
  process.stdout.write(`${said}\n`);
}
