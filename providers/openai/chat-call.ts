/** One call of `/chat/completions`, in the richest form that its server understands. */
import OpenAI from 'openai';
import type { ChatCompletionCreateParamsNonStreaming } from 'openai/resources/chat/completions';
import { VarveError } from '#core/errors.ts';
import type { Clock } from '#core/ports/platform.ts';
import type { Tracing } from '#core/ports/tracing.ts';
import type { Prompt } from '#core/prompt/summary-prompt.ts';
import { clientOf, type Endpoint } from './client.ts';
import { completionOf, errorWithin, type Completion } from './read-completion.ts';
import { chatFailure, isTimeout, isOfContext } from './failure.ts';
import { modelSpan } from './model-span.ts';

// The form of a call: servers of the same protocol support different parts of it.

/** Formats in order of preference; every server accepts the last one. */
const FORMATS = ['json_schema', 'json_object', 'text'] as const;

interface CallForm {
  /** How the answer is kept to its schema; with `text` only the prompt asks for it. */
  readonly format: (typeof FORMATS)[number];
  /** Newer models of OpenAI refuse the older name; most other servers know only that one. */
  readonly limit: 'max_tokens' | 'max_completion_tokens';
  /** False if the server does not let callers choose the temperature. */
  readonly temperature: boolean;
}

const FIRST_FORM: CallForm = {
  format: 'json_schema',
  limit: 'max_tokens',
  temperature: true,
};

/** Forms that one call may try: two more formats, the other limit, and no temperature. */
const FORMS_MAX = 5;
/** A refused form is retried after this time: servers behind one address change and differ. */
const REFUSED_FOR_MS = 60 * 60_000;

/** A server's refusal of a call that it did not understand. Never shown to anyone. */
interface Refusal {
  readonly status: number | undefined;
  readonly message: string;
  /** The field that the refusal names, if any. */
  readonly param: string | null | undefined;
}

const NOT_UNDERSTOOD: ReadonlySet<number | undefined> = new Set([400, 415, 422, 501]);

/** Returns the next form to try; null if the refusal has another cause, or none is left. */
function simplerForm(form: CallForm, refusal: Refusal): CallForm | null {
  if (!NOT_UNDERSTOOD.has(refusal.status)) return null;
  // vLLM names the limit when the prompt leaves no room; another name of it would not help.
  if (isOfContext(refusal.message)) return null;
  const said = `${refusal.param ?? ''} ${refusal.message}`;
  if (form.limit === 'max_tokens' && /\bmax_tokens\b/u.test(said)) {
    return { ...form, limit: 'max_completion_tokens' };
  }
  if (form.temperature && /\btemperature\b/iu.test(said)) return { ...form, temperature: false };
  const format = FORMATS[FORMATS.indexOf(form.format) + 1];
  const isOfFormat = /response_format|json_schema|json_object|schema|grammar|structured/iu;
  return format !== undefined && isOfFormat.test(said) ? { ...form, format } : null;
}

/** Enough for a long answer of a slow model; the activity, of 300 s, must also store it. */
const MODEL_TIMEOUT_MS = 120_000;

interface ChatOptions extends Endpoint {
  readonly model: string;
  readonly timeoutMs?: number;
  readonly clock: Clock;
  readonly tracing: Tracing;
}

interface Question {
  readonly prompt: Prompt;
  /** JSON schema of the answer; null for plain text. */
  readonly schema: Readonly<Record<string, unknown>> | null;
  readonly tokensMax: number;
}

export type ChatCalls = (question: Question, signal: AbortSignal) => Promise<Completion>;

/**
 * Returns a function that makes calls, and remembers for a while the form that its server accepted,
 * so that a refused form is not tried with every call. A refused form costs nothing.
 */
export function chatCalls(options: ChatOptions): ChatCalls {
  const timeoutMs = options.timeoutMs ?? MODEL_TIMEOUT_MS;
  const client = clientOf(options, timeoutMs);
  let known: { readonly form: CallForm; readonly at: number } = { form: FIRST_FORM, at: 0 };
  const complete: ChatCalls = async (question, signal) => {
    // The client's timeout ends with the headers, but a body may be slow too.
    const timeout = AbortSignal.timeout(timeoutMs);
    const either = { signal: AbortSignal.any([timeout, signal]) };
    const now = options.clock();
    const isRecent = Math.abs(now - known.at) < REFUSED_FOR_MS;
    let form = isRecent ? known.form : FIRST_FORM;
    for (let tried = 1; ; tried += 1) {
      try {
        const body = bodyOf(options.model, question, form);
        const answer: unknown = await client.chat.completions.create(body, either);
        const failed = errorWithin(answer);
        if (failed !== null) throw failed;
        if (form !== known.form) known = { form, at: now };
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
  return async (question, signal) =>
    options.tracing.inSpan(modelSpan('chat', options), async (span) => {
      const completion = await complete(question, signal);
      const { usage } = completion;
      const finish = completion.kind === 'Said' ? completion.finish : null;
      span.note({
        ...(usage === null
          ? {}
          : {
              'gen_ai.usage.input_tokens': usage.inputTokens,
              'gen_ai.usage.output_tokens': usage.outputTokens,
            }),
        ...(finish == null ? {} : { 'gen_ai.response.finish_reasons': [finish] }),
      });
      return completion;
    });
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
