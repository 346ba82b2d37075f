/** One call of `/chat/completions`, in the richest form that its server understands. */
import OpenAI from 'openai';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import { VarveError } from '#core/errors.ts';
import type { Clock } from '#core/ports/platform.ts';
import type { Prompt } from '#core/prompt/prompt.ts';
import { FIRST_FORM, FORMS_MAX, simplerForm, type CallForm } from './call-form.ts';
import { clientOf, type Endpoint } from './client.ts';
import { completionOf, errorWithin, type Completion } from './completion.ts';
import { chatFailure, isTimeout } from './failure.ts';

/** A long answer of a slow model; an activity may take 300 s, and has to store it as well. */
const MODEL_TIMEOUT_MS = 120_000;

export interface ChatOptions extends Endpoint {
  readonly model: string;
  readonly timeoutMs?: number;
  readonly clock: Clock;
}

export interface Question {
  readonly prompt: Prompt;
  /** Of an answer in JSON; null for one in plain text. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  readonly tokensMax: number;
}

export type ChatCalls = (question: Question, signal: AbortSignal) => Promise<Completion>;

/**
 * Remembers the form that its server took last, for the life of the process: what it refused once
 * is not asked for with every call. A refused form costs nothing.
 */
export function chatCalls(options: ChatOptions): ChatCalls {
  const timeoutMs = options.timeoutMs ?? MODEL_TIMEOUT_MS;
  const client = clientOf(options, timeoutMs);
  let known: CallForm = FIRST_FORM;
  return async (question, signal) => {
    // The client's own limit ends with the headers; a body may be slow as well.
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = { signal: AbortSignal.any([timeout, signal]) };
    let form = known;
    for (let tried = 1; ; tried += 1) {
      try {
        const body = bodyOf(options.model, question, form);
        const answer: unknown = await client.chat.completions.create(body, either);
        const failed = errorWithin(answer);
        if (failed !== null) throw failed;
        known = form;
        return completionOf(answer);
      } catch (error) {
        if (signal.aborted) {
          throw new VarveError('CANCELLED', 'The call of the model was cancelled.');
        }
        if (timeout.aborted || isTimeout(error)) throw timedOut(timeoutMs);
        if (error instanceof SyntaxError) return { kind: 'Unread', body: null, usage: null };
        const simpler = error instanceof OpenAI.APIError ? simplerForm(form, error) : null;
        if (simpler === null || tried >= FORMS_MAX) {
          throw chatFailure(error, options.clock());
        }
        form = simpler;
      }
    }
  };
}

function bodyOf(
  model: string,
  { prompt, schema, tokensMax }: Question,
  { format, limit, temperature }: CallForm,
): ChatCompletionCreateParamsNonStreaming {
  return {
    model,
    messages: [
      { role: 'system', content: prompt.system },
      { role: 'user', content: prompt.user },
    ],
    [limit]: tokensMax,
    ...(temperature ? { temperature: 0 } : {}),
    ...(schema !== null && format === 'json_schema'
      ? {
          response_format: {
            type: 'json_schema',
            json_schema: { name: 'answer', strict: true, schema },
          },
        }
      : {}),
    ...(schema !== null && format === 'json_object'
      ? { response_format: { type: 'json_object' } }
      : {}),
  };
}

function timedOut(timeoutMs: number): VarveError {
  return new VarveError('TIMEOUT', 'The model endpoint did not answer in time.', {
    details: { timeoutMs },
  });
}
