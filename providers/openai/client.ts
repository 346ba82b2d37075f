/** The client of an endpoint that speaks OpenAI's protocol. */
import OpenAI from 'openai';

export interface Endpoint {
  /** Up to and without `/embeddings` or `/chat/completions`. */
  readonly baseUrl: string;
  /** Null for an endpoint that asks for none. */
  readonly apiKey: string | null;
}

/**
 * Retries nothing, logs nothing, follows no redirect: what people said goes to the configured host
 * and to no other. Says everything that the client would else read from the environment.
 */
export function clientOf({ baseUrl, apiKey }: Endpoint, timeoutMs: number): OpenAI {
  return new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey ?? 'none',
    organization: null,
    project: null,
    maxRetries: 0,
    fetchOptions: { redirect: 'manual' },
    timeout: timeoutMs,
    logLevel: 'off',
  });
}
