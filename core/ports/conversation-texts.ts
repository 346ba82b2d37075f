/** Text about conversations, by the models and the budget of a tenant. */
import type { Amount } from '../records/account.ts';
import type { Usage } from '../records/summary.ts';
import type { ConversationQuestion } from './model.ts';

export interface ConversationText {
  readonly text: string;
  /** Name of the model that wrote it. */
  readonly model: string;
  readonly usage: Usage;
  /** What the budget was charged. */
  readonly cost: Amount;
}

export interface ConversationTexts {
  /** @throws VarveError as activities/summarize-conversation.ts says */
  write(tenant: string, question: ConversationQuestion): Promise<ConversationText>;
}
