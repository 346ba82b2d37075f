/** The span of a call, by the semantic conventions for generative AI, without any text. */
import type { SpanFacts } from '#core/ports/tracing.ts';
import type { Endpoint } from './client.ts';

/** @param operation of the conventions (`gen_ai.operation.name`) */
export function modelSpan(
  operation: 'chat' | 'embeddings',
  { baseUrl, model }: Endpoint & { readonly model: string },
): SpanFacts {
  const { hostname, port } = new URL(baseUrl);
  return {
    name: `${operation} ${model}`,
    kind: 'client',
    attributes: {
      'gen_ai.operation.name': operation,
      // The provider of the protocol; the address tells who answers.
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': model,
      'server.address': hostname,
      ...(port === '' ? {} : { 'server.port': Number(port) }),
    },
  };
}
