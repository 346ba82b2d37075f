/** Text about a conversation that a program holds, such as its running summary. */
import type { ApiPorts } from './ports.ts';
import { authorizeTenant, type Principal } from './principal.ts';
import type { SummarizeConversation, SummarizedConversation } from './schemas/conversation-text.ts';

/** @throws VarveError as the port does; nothing is stored but the entry of the ledger */
export async function summarizeConversation(
  { conversationTexts }: ApiPorts,
  principal: Principal,
  { tenant, messages, instruction, maxTokens }: SummarizeConversation,
): Promise<SummarizedConversation> {
  authorizeTenant(principal, tenant);
  const { text, model, usage, cost } = await conversationTexts.write(tenant, {
    messages: messages.map(({ role, speaker = null, content }) => ({
      role,
      speaker,
      text: content,
    })),
    instruction,
    tokensMax: maxTokens,
  });
  return { text, model, ...usage, microDollars: cost.microDollars };
}
