/** `varve review`: lists what waits for a person, and records the person's decisions. */
import { checkedInput } from '#api/operations/operation.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import type { ReviewsAnswer, ShownReview } from '#api/schemas/review.ts';
import { openLibraryForCommand } from '../open-library-for-command.ts';
import type { Config } from '../config.ts';
import { renderTable, shortenToWidth, visible } from '../terminal-text.ts';
import { print } from '../memory-files/memory-file-options.ts';
import {
  choiceOption,
  identifiersFromOptions,
  type LayerIds,
  layerFromOption,
  numberOption,
} from '../shared-command-options.ts';

/** Characters of a text in the list; `--full` shows all of it. */
const SHOWN_MAX = 80;

export interface ReviewOptions {
  readonly tenant: string;
  readonly json?: boolean;
}

export interface ListOptions extends ReviewOptions {
  readonly state?: string;
  readonly all?: boolean;
  readonly full?: boolean;
  readonly before?: string;
  readonly limit?: string;
}

export interface DecisionOptions extends ReviewOptions {
  readonly reason?: string;
}

export interface PromoteOptions extends DecisionOptions, LayerIds {
  readonly layer: string;
}

/**
 * Lists waiting reviews, unless another state or all are requested.
 * @throws VarveError INVALID_INPUT
 */
export async function listReviewsCommand(config: Config, options: ListOptions): Promise<void> {
  const { tenant, json, state, all, before, limit } = options;
  const which = all === true ? undefined : (state ?? 'Waiting');
  const asked = checkedInput(OPERATIONS.review.list, {
    tenant,
    ...choiceOption(OPERATIONS.review.list, 'state', which),
    ...numberOption(OPERATIONS.review.list, 'limit', limit),
    before,
  });
  await using ordering = await openLibraryForCommand(config);
  const answer = await ordering.varve.review.list(asked);
  print(answer, json === true ? null : reviewsText(answer, options.full === true));
}

/** @throws VarveError MEMORY_NOT_FOUND, INVALID_LAYER, MISSING_IDENTIFIER, INVALID_INPUT */
export async function promoteCommand(
  config: Config,
  id: string,
  options: PromoteOptions,
): Promise<void> {
  const { tenant, json, reason } = options;
  const layer = layerFromOption(options.layer);
  const asked = checkedInput(OPERATIONS.memory.promote, {
    tenant,
    id,
    layer,
    // Only the id of this layer: a default project would also select its team.
    identifiers: identifiersFromOptions({ [layer]: options[layer] }),
    reason,
  });
  await using ordering = await openLibraryForCommand(config);
  const answer = await ordering.varve.memory.promote(asked);
  const said = `The proposal ${answer.id} is ${answer.state}; varve review approve decides on it.`;
  print(answer, json === true ? null : said);
}

/** @throws VarveError NOT_FOUND, CONFLICT */
export async function approveReviewCommand(
  config: Config,
  id: string,
  { tenant, json, reason }: DecisionOptions,
): Promise<void> {
  const asked = checkedInput(OPERATIONS.review.approve, { tenant, id, reason });
  await using ordering = await openLibraryForCommand(config);
  const answer = await ordering.varve.review.approve(asked);
  print(answer, json === true ? null : approvedText(answer));
}

/** @throws VarveError NOT_FOUND, CONFLICT */
export async function refuseReviewCommand(
  config: Config,
  id: string,
  { tenant, json, reason = '' }: DecisionOptions,
): Promise<void> {
  const asked = checkedInput(OPERATIONS.review.refuse, { tenant, id, reason });
  await using ordering = await openLibraryForCommand(config);
  const answer = await ordering.varve.review.refuse(asked);
  print(answer, json === true ? null : 'Refused; it stays out.');
}

function approvedText({ target, memoryId }: ShownReview): string {
  if (target === null) return 'Approved. From now on, the text counts like any other.';
  return `Approved; it is the memory ${String(memoryId)} of the ${visible(whereOf(target))}.`;
}

function whereOf({ layer, scopeId }: Pick<ShownReview, 'layer' | 'scopeId'>): string {
  return `${layer} ${scopeId}`;
}

/**
 * @param full whether to print each text in full below its row, instead of its beginning and `…`
 */
export function reviewsText({ reviews, nextBefore }: ReviewsAnswer, full: boolean): string {
  if (reviews.length === 0) return 'No review is in that state.';
  const head = ['review', 'state', 'at', 'where', 'by', 'why', ...(full ? [] : ['text'])];
  const older = nextBefore === null ? [] : [`There are older ones: --before ${nextBefore}`];
  const tables = full
    ? reviews.map((review) => `${renderTable(head, [row(review)])}\n${visible(textOf(review))}\n`)
    : [
        renderTable(
          head,
          reviews.map((review) => [...row(review), shortenToWidth(textOf(review), SHOWN_MAX)]),
        ),
      ];
  return [...tables, ...older].join('\n');
}

function textOf({ text }: ShownReview): string {
  return text ?? 'changed or gone';
}

function row(review: ShownReview): readonly string[] {
  const { id, state, at, by, rule, target } = review;
  const why = target === null ? `rule ${String(rule)}` : `for ${whereOf(target)}`;
  return [id, state, new Date(at).toISOString(), whereOf(review), by ?? '', why].map(visible);
}
