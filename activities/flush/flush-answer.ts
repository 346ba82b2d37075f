/** What a model answered for a flush. */
import { answeredItems, type AnswerFact } from '#core/prompt/answer.ts';
import type { BatchKey } from '../batch.ts';
import type { FlushPorts } from './flush-ports.ts';
import type { Waiting } from './flush-session.ts';

/** The only item of the question. */
export const FLUSH_ITEM = 'i1';

/** Under which the answers of a flush are stored. */
export function batchOf({ tenant, flush }: Waiting): BatchKey {
  return { tenant, batchId: flush.id };
}

/** Its facts; null where there is no answer, or none that can be used. */
export async function answeredFacts(
  { store }: Pick<FlushPorts, 'store'>,
  { tenant, flush }: Waiting,
): Promise<readonly AnswerFact[] | null> {
  const answers = await store.answers.ofBatch(tenant, flush.id);
  const items = answers.flatMap(({ text }) => answeredItems(text ?? '').get(FLUSH_ITEM) ?? []);
  const item = items.at(-1);
  if (item?.facts == null) return null;
  return item.facts.length === 0 && item.malformed > 0 ? null : item.facts;
}
