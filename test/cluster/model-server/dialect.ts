/**
 * Which parts of OpenAI's protocol a server understands; each refuses the rest in its own words.
 */
import type { ServerResponse } from 'node:http';
import type { Behavior } from './behavior.ts';
import type { ChatBody } from './chat-body.ts';

export interface Dialect {
  /** Types of `response_format` that are taken. */
  readonly formats: readonly string[];
  readonly limits: readonly ('max_tokens' | 'max_completion_tokens')[];
  /** Whether a temperature may be named. */
  readonly temperature: boolean;
}

export const UNDERSTANDS_ALL: Dialect = {
  formats: ['json_schema', 'json_object'],
  limits: ['max_tokens', 'max_completion_tokens'],
  temperature: true,
};

type Refusal = Extract<Behavior, { kind: 'Refuse' }>;

/** Null where the server understands the whole request. */
export function refusalOf(body: ChatBody, dialect: Dialect): Refusal | null {
  const format = body.response_format?.type;
  if (format !== undefined && !dialect.formats.includes(format)) {
    return notUnderstood(`This response_format type is unavailable now: ${format}.`);
  }
  const limit = (['max_tokens', 'max_completion_tokens'] as const).find(
    (name) => body[name] !== undefined && !dialect.limits.includes(name),
  );
  if (limit !== undefined) return notUnderstood(`Unsupported parameter: '${limit}'.`);
  if (body.temperature !== undefined && !dialect.temperature) {
    return notUnderstood("Unsupported value: 'temperature' does not support 0 with this model.");
  }
  return null;
}

function notUnderstood(message: string): Refusal {
  return { kind: 'Refuse', status: 400, code: 'unsupported_value', message };
}

export function refuse(response: ServerResponse, refusal: Refusal): void {
  const { status, retryAfter, code = null, message = 'No.', location } = refusal;
  response.writeHead(status, {
    'content-type': 'application/json',
    ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    ...(location === undefined ? {} : { location }),
  });
  response.end(JSON.stringify({ error: { message, code, type: 'invalid_request_error' } }));
}
