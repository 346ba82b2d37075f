/** `varve why`: traces a text that Varve returned to its origin. */
import { OPERATIONS } from '#api/operations/table.ts';
import type { Why } from '#api/schemas/why.ts';
import { oneLine } from '#core/text/lines.ts';
import { renderTable, count, dim } from '../terminal-text.ts';
import { commandWith } from '../operation-input.ts';

/** @throws VarveError NOT_FOUND */
export const whyCommand = commandWith('ref', OPERATIONS.trace.why, whyText);

const MICRO = 1_000_000;

export function whyText(why: Why): string {
  const { kind, id, layer, scopeId, state, at, by, channel, supersededBy, made } = why;
  const when = at === null ? '' : `, ${timeOf(at)}`;
  const how = channel === null ? '' : ` by ${channel}`;
  const head = [
    why.text ?? 'Its text was deleted.',
    dim(`${kind} ${id}, ${layer} ${scopeId}, ${state}`),
    `from ${by ?? 'unknown'}${how}${when}`,
  ];
  const left = why.sourcesLeftOut;
  const isOver = state !== 'Current';
  return [
    ...head,
    ...(supersededBy === null ? [] : [`${isOver ? '' : 'to be '}replaced by ${supersededBy}`]),
    ...(why.review === null ? [] : [reviewLine(why.review)]),
    ...(made === null ? [] : [`made by ${costOf(made)}`]),
    ...(kind === 'summary' ? why.facts.map(({ text, sources }) => factLine(text, sources)) : []),
    ...table(
      'rests on',
      why.sources.map((source) => [
        source.id,
        source.kind === 'unknown'
          ? 'erased, or not open'
          : `${source.kind}, ${String(source.state)}`,
        source.at === null ? '' : timeOf(source.at),
        source.by ?? '',
        source.text === null ? '' : oneLine(source.text),
      ]),
    ),
    ...(left === 0 ? [] : [`and ${count(left, 'further source')}`]),
    ...table(
      'changed',
      why.changes.map((each) => [timeOf(each.at), each.action, each.by]),
    ),
    ...table(
      'shown in',
      why.citedBy.map((each) => [`${each.layer} ${each.scopeId}`, oneLine(each.fact)]),
    ),
    ...table(
      'calls',
      (why.writes ?? []).map((each) => [
        timeOf(each.at),
        each.principal,
        each.operation,
        each.outcome,
      ]),
    ),
  ].join('\n');
}

function costOf({ model, inputTokens, outputTokens, priceMicroDollars }: NonNullable<Why['made']>) {
  const tokens = `${String(inputTokens)} tokens in, ${String(outputTokens)} out`;
  return `${model}: ${tokens}, $${(priceMicroDollars / MICRO).toFixed(6)}`;
}

function reviewLine({ id, rule, state, decision }: NonNullable<Why['review']>): string {
  const who = decision === null ? '' : ` by ${decision.principal}: ${oneLine(decision.reason)}`;
  return `held back by the rule ${String(rule)}; review ${id}, ${state}${who}`;
}

function factLine(text: string, sources: readonly string[]): string {
  return `- ${oneLine(text)} ${dim(`[${sources.join(', ')}]`)}`;
}

/** Returns nothing if there are no rows. */
function table(title: string, rows: readonly (readonly string[])[]): readonly string[] {
  if (rows.length === 0) return [];
  const blank = (rows[0] ?? []).map((_, at) => (at === 0 ? title : ''));
  return [renderTable(blank, rows)];
}

function timeOf(at: number): string {
  return new Date(at).toISOString();
}
