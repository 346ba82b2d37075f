/** `varve context`: what an agent would be handed for a question, and why. */
import { z } from 'zod';
import { VarveError } from '#core/errors.ts';
import { renderReceipt } from '../demo/receipt.ts';
import { requireStore } from '../kept-store.ts';
import { openVarve } from '../open-varve.ts';
import type { Config } from '../config.ts';
import { forOutput } from '../visible-text.ts';

export interface ContextOptions {
  readonly tenant: string;
  readonly project: string;
  readonly user?: string;
  readonly session?: string;
  readonly maxTokens?: string;
}

export async function contextCommand(
  config: Config,
  query: string,
  { tenant, project, user, session, maxTokens }: ContextOptions,
): Promise<void> {
  await requireStore(config);
  await using varve = await openVarve({ dataDir: config.dataDir, settings: config.settings });
  const answer = await varve.context.assemble({
    tenant,
    identifiers: {
      projectId: project,
      ...(user === undefined ? {} : { userId: user }),
      ...(session === undefined ? {} : { sessionId: session }),
    },
    query,
    layerSummaries: true,
    ...(maxTokens === undefined ? {} : { maxTokens: countOf(maxTokens) }),
  });
  const text = forOutput(answer.text, process.stdout);
  process.stdout.write(`${text}\n\n${renderReceipt(answer)}\n`);
}

function countOf(text: string): number {
  const count = z.coerce.number().int().min(1).safeParse(text);
  if (count.success) return count.data;
  throw new VarveError('INVALID_INPUT', '--max-tokens takes a whole number of tokens.');
}
