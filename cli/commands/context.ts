/** `varve context`: what an agent would be handed for a question, and why. */
import { checkedInput } from '#api/operations/operation.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import { renderReceipt } from '../demo/receipt.ts';
import { requireStore } from '../existing-store.ts';
import { identifiersOf, type LayerIds } from '../layer-option.ts';
import { openVarve } from '../open-varve.ts';
import { choiceOption, numberOption } from '../operation-options.ts';
import type { Config } from '../config.ts';
import { forOutput } from '../visible-text.ts';

export type ContextOptions = LayerIds & {
  readonly tenant: string;
  readonly maxTokens?: string;
  readonly layout?: string;
};

export async function contextCommand(
  config: Config,
  query: string,
  { tenant, maxTokens, layout, ...ids }: ContextOptions,
): Promise<void> {
  const asked = checkedInput(OPERATIONS.context.assemble, {
    tenant,
    identifiers: identifiersOf(ids),
    query,
    layerSummaries: true,
    ...choiceOption(OPERATIONS.context.assemble, 'layout', layout),
    ...numberOption(OPERATIONS.context.assemble, 'maxTokens', maxTokens),
  });
  await requireStore(config);
  await using varve = await openVarve({ dataDir: config.dataDir, settings: config.settings });
  const answer = await varve.context.assemble(asked);
  const text = forOutput(answer.text, process.stdout);
  process.stdout.write(`${text}\n\n${renderReceipt(answer)}\n`);
}
