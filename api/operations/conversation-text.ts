/** The operation that has a model of the tenant write about messages that a program holds. */
import { summarizeConversation } from '../conversation-text.ts';
import { SummarizeConversation, SummarizedConversation } from '../schemas/conversation-text.ts';
import { operation } from './operation.ts';

/** Part of the group `conversation`. */
export const conversationText = {
  summarize: operation({
    name: 'conversation.summarize',
    kind: 'mutation',
    summary:
      'Has the model that summarizes the sessions of the tenant write about messages, such as a ' +
      'running summary, within the budget. Nothing is stored but the entry of the ledger, of ' +
      'purpose `conversation`; the same call again is paid for again.',
    input: SummarizeConversation,
    output: SummarizedConversation,
    example: {
      input: {
        tenant: 'acme',
        messages: [
          { role: 'user', content: 'I move to Bern on May 4.' },
          { role: 'assistant', content: 'Good luck!' },
        ],
      },
      output: {
        text: 'The user moves to Bern on May 4.',
        model: 'a-model',
        inputTokens: 312,
        outputTokens: 11,
        microDollars: 54,
      },
    },
    role: 'write',
    cost: 'modelCalls',
    errors: [
      'NOT_FOUND',
      'BUDGET_EXHAUSTED',
      'CONTENT_TOO_LONG',
      'PROVIDER_REJECTED',
      'MODEL_OUTPUT_INVALID',
    ],
    commands: { none: 'It is for programs that talk; the CLI holds no conversation.' },
    run: summarizeConversation,
  }),
};
