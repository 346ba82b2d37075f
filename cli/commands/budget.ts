/** `varve budget`: shows what a tenant may spend in a month, and grants more. */
import { OPERATIONS } from '#api/operations/table.ts';
import type { AskedGrant, BudgetAnswer, BudgetMeasure } from '#api/schemas/budget.ts';
import { VarveError } from '#core/errors.ts';
import type { Exhaustion, Grant } from '#core/records/account.ts';
import { formatDollars, parseDollars } from '#crds/duration-and-price-fields.ts';
import type { Config } from '../config.ts';
import { renderTable, count } from '../terminal-text.ts';
import { openLibraryForCommand, whenDone } from '../open-library-for-command.ts';
import { print, type TenantOptions } from '../memory-files/memory-file-options.ts';
import { commandOf, inputFromOptions } from '../operation-input.ts';

interface GrantOptions extends TenantOptions {
  readonly tokens?: string;
  readonly microDollars?: string;
  readonly dollars?: string;
}

export const showCommand = commandOf(OPERATIONS.budget.get, budgetText);

/** @throws VarveError INVALID_INPUT naming the wrong option, CONFLICT; nothing changes then */
export async function grantCommand(config: Config, options: GrantOptions): Promise<void> {
  const asked = grantOf(options);
  await using ordering = await openLibraryForCommand(config, { begins: true });
  const answer = await ordering.varve.budget.grant(asked);
  const { added, freedScopes } = answer;
  const what = added ? 'Granted.' : 'This key already granted it; nothing was added.';
  const freed = `${count(freedScopes, 'scope')} waited for budget. ${whenDone(ordering.isRunning)}`;
  const said = freedScopes === 0 ? what : `${what} ${freed}`;
  print(answer, options.json === true ? null : `${said}\n${budgetText(answer)}`);
}

function grantOf(options: GrantOptions): AskedGrant {
  const { tokens, microDollars, dollars } = options;
  if (tokens === undefined && microDollars === undefined && dollars === undefined) {
    throw new VarveError(
      'INVALID_INPUT',
      'Give an amount by --tokens, --dollars or --micro-dollars.',
    );
  }
  if (microDollars !== undefined && dollars !== undefined) {
    const message = '--dollars and --micro-dollars name the same amount; give one of them.';
    throw new VarveError('INVALID_INPUT', message);
  }
  const amount = dollars === undefined ? {} : { microDollars: dollarsOf(dollars) };
  return inputFromOptions(OPERATIONS.budget.grant, options, amount);
}

function dollarsOf(text: string): number {
  const microDollars = parseDollars(text);
  if (microDollars !== null && microDollars > 0) return microDollars;
  const message = `--dollars takes an amount above 0, such as 2.50, not "${text}".`;
  throw new VarveError('INVALID_INPUT', message);
}

function budgetText(answer: BudgetAnswer): string {
  const { tenant, period, periodEndsAt, tokens, microDollars, grants, exhaustion } = answer;
  const head = ['', 'limit', 'granted', 'spent', 'reserved', 'left'];
  const rows = [
    ['tokens', ...measureCells(tokens, (amount) => amount.toLocaleString('en-US'))],
    ['dollars', ...measureCells(microDollars, (amount) => `$${formatDollars(amount)}`)],
  ];
  const waiting = `${count(answer.waitingScopes, 'scope')} wait for budget`;
  const lines = [
    `${tenant}, ${period}, until ${new Date(periodEndsAt).toISOString()}`,
    renderTable(head, rows),
    `on exhaustion: ${answer.onExhausted}; ${count(answer.callsUnderWay, 'call')} under way`,
    ...(exhaustion === null ? [] : [`${waiting}: ${exhaustionText(exhaustion)}`]),
    ...grants.map(grantText),
  ];
  return lines.join('\n');
}

function measureCells(measure: BudgetMeasure, figure: (amount: number) => string): string[] {
  const { limit, granted, spent, reserved, left } = measure;
  const orNone = (amount: number | null) => (amount === null ? 'none' : figure(amount));
  return [orNone(limit), figure(granted), figure(spent), figure(reserved), orNone(left)];
}

function exhaustionText({ measure, requested, limit, spent, reserved }: Exhaustion): string {
  const figure = (amount: number) =>
    measure === 'tokens' ? `${amount.toLocaleString('en-US')} tokens` : `$${formatDollars(amount)}`;
  const taken = `${figure(spent)} spent and ${figure(reserved)} reserved`;
  return `a call could take ${figure(requested)}; of ${figure(limit)}, ${taken}`;
}

function grantText({ at, principal, amount, reason }: Grant): string {
  const { tokens, microDollars } = amount;
  const parts = [
    ...(tokens === 0 ? [] : [count(tokens, 'token')]),
    ...(microDollars === 0 ? [] : [`$${formatDollars(microDollars)}`]),
  ];
  const when = new Date(at).toISOString();
  return `granted ${parts.join(' and ')} at ${when} by ${principal}: ${reason}`;
}
