/** `varve review`: lists what waits for a person, and records the person's decisions. */
import { OPERATIONS } from '#api/operations/table.ts';
import type { ReviewsAnswer, ShownReview } from '#api/schemas/review.ts';
import type { Config } from '../config.ts';
import { renderTable, shortenToWidth, visible } from '../terminal-text.ts';
import { print, type TenantOptions } from '../memory-files/memory-file-options.ts';
import {
  identifiersFromOptions,
  type LayerIds,
  layerFromOption,
} from '../shared-command-options.ts';
import { answerTo, commandWith, inputFromOptions } from '../operation-input.ts';

/** Characters of a text in the list; `--full` shows all of it. */
const SHOWN_MAX = 80;

interface ListOptions extends TenantOptions {
  readonly state?: string;
  readonly all?: boolean;
  readonly full?: boolean;
}

/** Lists waiting reviews, or those in another state. @throws VarveError INVALID_INPUT */
export async function listReviewsCommand(config: Config, options: ListOptions): Promise<void> {
  const { json, all } = options;
  const state = all === true ? undefined : (options.state ?? 'Waiting');
  const asked = inputFromOptions(OPERATIONS.review.list, { ...options, state });
  const answer = await answerTo(config, OPERATIONS.review.list, asked);
  print(answer, json === true ? null : reviewsText(answer, options.full === true));
}

/** @throws VarveError MEMORY_NOT_FOUND, INVALID_LAYER, MISSING_IDENTIFIER, INVALID_INPUT */
export async function promoteCommand(
  config: Config,
  id: string,
  options: TenantOptions & LayerIds & { readonly layer: string },
): Promise<void> {
  const layer = layerFromOption(options.layer);
  const asked = inputFromOptions(OPERATIONS.memory.promote, options, {
    id,
    // Only the id of this layer: a default project would also select its team.
    identifiers: identifiersFromOptions({ [layer]: options[layer] }),
  });
  const answer = await answerTo(config, OPERATIONS.memory.promote, asked);
  const said = `The proposal ${answer.id} is ${answer.state}; varve review approve decides on it.`;
  print(answer, options.json === true ? null : said);
}

/** @throws VarveError NOT_FOUND, CONFLICT */
export const approveReviewCommand = commandWith('id', OPERATIONS.review.approve, approvedText);

/** @throws VarveError NOT_FOUND, CONFLICT */
export const refuseReviewCommand = commandWith(
  'id',
  OPERATIONS.review.refuse,
  () => 'Refused; it stays out.',
);

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
