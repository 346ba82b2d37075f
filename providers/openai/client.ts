/** The client of an endpoint that speaks OpenAI's protocol. */
import OpenAI from 'openai';

export interface Endpoint {
  /** The address without `/embeddings` or `/chat/completions`. */
  readonly baseUrl: string;
  /** Null for an endpoint that needs none. */
  readonly apiKey: string | null;
}

/**
 * Creates a client that does not retry, log or follow redirects: what people said goes only to the
 * configured host. It sets everything that the client would otherwise read from the environment.
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
