/** How a call is written: servers of the same protocol understand more or less of it. */
import { isOfContext } from './failure.ts';

/** From what is asked of a server first to what every server takes. */
const FORMATS = ['json_schema', 'json_object', 'text'] as const;

export interface CallForm {
  /** What binds the answer to its shape; with `text` nothing but the prompt does. */
  readonly format: (typeof FORMATS)[number];
  /** The newer models of OpenAI refuse the older name, and most other servers know only that. */
  readonly limit: 'max_tokens' | 'max_completion_tokens';
  /** False where the server lets nobody choose it. */
  readonly temperature: boolean;
}

export const FIRST_FORM: CallForm = {
  format: 'json_schema',
  limit: 'max_tokens',
  temperature: true,
};

/** Forms that one call may try: both steps of the format, the limit and the temperature. */
export const FORMS_MAX = 5;

/** What a server said that did not understand a call. Never shown to anyone. */
interface Refusal {
  readonly status: number | undefined;
  readonly message: string;
  /** The field that it names, where it names one. */
  readonly param: string | null | undefined;
}

const NOT_UNDERSTOOD: ReadonlySet<number | undefined> = new Set([400, 415, 422, 501]);

/** The next form to try; null where the refusal is about something else, or none is left. */
export function simplerForm(form: CallForm, refusal: Refusal): CallForm | null {
  if (!NOT_UNDERSTOOD.has(refusal.status)) return null;
  // vLLM names the limit where the prompt leaves it no room; no other name gives it more.
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
