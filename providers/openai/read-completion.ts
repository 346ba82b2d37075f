/** Reads a body with status 200: a completion, an error despite the status, or something else. */
import OpenAI from 'openai';
import { z } from 'zod';
import type { Usage } from '#core/records/summary.ts';
import { isOfContext } from './failure.ts';

/** Other values are specific to the server, and are not logged. */
const FinishReason = z.enum(['stop', 'length', 'content_filter']).nullish().catch(null);

/** Text in parts, as Mistral and others send it; thoughts are parts of another type. */
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
      /** Null if the server sends no usage, or an invalid one. */
      readonly usage: Usage | null;
      /** Output tokens of thoughts; 0 if the server does not report them. */
      readonly thoughtTokens: number;
    }
  /** The server may have done the work, so the call is paid for and not repeated. */
  | {
      readonly kind: 'Unread';
      /** The whole body; null if it is not known. */
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

/** Status for a gateway whose upstream failed, when nothing else is known. */
const BAD_GATEWAY = 502;
const BAD_REQUEST = 400;

/**
 * Returns an error that came with status 200. Aggregators send headers before they know the
 * outcome, and LM Studio also does this. The number in the body is a status (OpenRouter, errors of
 * its API).
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
