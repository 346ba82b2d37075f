/** `varve context`: what an agent would be handed for a question, and why. */
import { checkedInput } from '#api/operations/operation.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import { renderReceipt } from '../demo/receipt.ts';
import { requireStore } from '../existing-store.ts';
import { openVarve } from '../open-varve.ts';
import { choiceOption, numberOption } from '../operation-options.ts';
import type { Config } from '../config.ts';
import { forOutput } from '../visible-text.ts';

export interface ContextOptions {
  readonly tenant: string;
  readonly project: string;
  readonly user?: string;
  readonly session?: string;
  readonly maxTokens?: string;
  readonly layout?: string;
}

export async function contextCommand(
  config: Config,
  query: string,
  { tenant, project, user, session, maxTokens, layout }: ContextOptions,
): Promise<void> {
  const asked = checkedInput(OPERATIONS.context.assemble, {
    tenant,
    identifiers: {
      projectId: project,
      ...(user === undefined ? {} : { userId: user }),
      ...(session === undefined ? {} : { sessionId: session }),
    },
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
