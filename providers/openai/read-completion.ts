/** What came with status 200: a completion, an error all the same, or something else. */
import OpenAI from 'openai';
import { z } from 'zod';
import type { Usage } from '#core/records/summary.ts';
import { isOfContext } from './failure.ts';

/** Any other word is the server's own, and is not repeated in a log. */
const FinishReason = z.enum(['stop', 'length', 'content_filter']).nullish().catch(null);

/** Mistral's and others' way to say a text; their thoughts are parts of another type. */
const Part = z.union([
  z.string(),
  z.object({ type: z.enum(['text', 'output_text']), text: z.string() }).transform((it) => it.text),
]);
const Parts = z
  .array(z.unknown())
  .transform((parts) => parts.map((part) => Part.safeParse(part).data ?? '').join(''));

const Choice = z.object({
  message: z.object({ content: z.union([z.string(), Parts]).nullish().catch(null) }),
  finish_reason: FinishReason,
});
const Choices = z.object({ choices: z.tuple([Choice], z.unknown()) });

const Count = z.int().min(0);
const NamedUsage = z.object({
  usage: z.object({ prompt_tokens: Count, completion_tokens: Count }),
});
const Thoughts = z.object({
  usage: z.object({ completion_tokens_details: z.object({ reasoning_tokens: Count }) }),
});

export type Completion =
  | {
      readonly kind: 'Said';
      readonly text: string;
      readonly finish: z.infer<typeof FinishReason>;
      /** Null where the server names none, or one that is none. */
      readonly usage: Usage | null;
      /** Output tokens of thoughts; 0 if the server doesn't say. */
      readonly thoughtTokens: number;
    }
  /** Work may have been done for it, so it is paid for, and it is not asked for again. */
  | {
      readonly kind: 'Unread';
      /** The whole of it; null where that is not known. */
      readonly body: string | null;
      readonly usage: Usage | null;
    };

export function completionOf(answer: unknown): Completion {
  const usage = usageOf(answer);
  const parsed = Choices.safeParse(answer);
  if (!parsed.success) {
    const body = typeof answer === 'string' ? answer : (JSON.stringify(answer) ?? '');
    return { kind: 'Unread', body, usage };
  }
  const [{ message, finish_reason: finish }] = parsed.data.choices;
  const { completion_tokens_details: details } = Thoughts.safeParse(answer).data?.usage ?? {};
  const thoughtTokens = details?.reasoning_tokens ?? 0;
  return { kind: 'Said', text: message.content ?? '', finish, usage, thoughtTokens };
}

function usageOf(answer: unknown): Usage | null {
  const { usage } = NamedUsage.safeParse(answer).data ?? {};
  if (usage === undefined) return null;
  return { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens };
}

const NoChoices = z.object({
  error: z.unknown().refine((error) => error !== undefined && error !== null && error !== false),
  choices: z.array(z.unknown()).max(0).nullish(),
});
const ErrorBody = z.object({
  code: z.coerce.number().int().min(400).max(599).optional().catch(undefined),
  message: z.string().optional().catch(undefined),
});

/** The status of a gateway whose upstream server failed; nothing else is known of the failure. */
const BAD_GATEWAY = 502;
const BAD_REQUEST = 400;

/**
 * Aggregators send headers before they know the end, and LM Studio answers so where it has nothing
 * to say. The number in the body is a status (OpenRouter, errors of its API).
 */
export function errorWithin(answer: unknown): InstanceType<typeof OpenAI.APIError> | null {
  const body = NoChoices.safeParse(answer);
  if (!body.success) return null;
  const { error } = body.data;
  const { code, message } = ErrorBody.safeParse(error).data ?? {};
  const words = typeof error === 'string' ? error : (message ?? '');
  const status = code ?? (isOfContext(words) ? BAD_REQUEST : BAD_GATEWAY);
  return OpenAI.APIError.generate(status, { error }, undefined, new Headers());
}
