/** The fields of a call to `/chat/completions` that the model server reads. */
import { z } from 'zod';

const Message = z.object({ role: z.string(), content: z.string() });
export const ChatBody = z.looseObject({
  model: z.string(),
  messages: z.array(Message),
  max_tokens: z.number().optional(),
  max_completion_tokens: z.number().optional(),
  temperature: z.number().optional(),
  response_format: z.looseObject({ type: z.string() }).optional(),
});
export type ChatBody = z.infer<typeof ChatBody>;
