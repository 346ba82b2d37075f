/** The embedders of an installation: the configured one, and the built-in one beside it. */
import type { Embedder, Embedders } from '#core/ports/embedder.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { EmbeddingSettings } from './settings.ts';

const MICRO_DOLLARS = 1_000_000;

/**
 * The built-in embedder stays when an endpoint is configured, so that what was embedded by it is
 * found until `varve embeddings migrate` has changed it.
 */
export async function loadEmbedders(
  settings: EmbeddingSettings | undefined,
  platform: Platform,
): Promise<Embedders> {
  const { createLexicalEmbedder } = await import('#providers/lexical/embedder.ts');
  const lexical = createLexicalEmbedder();
  const configured = settings === undefined ? lexical : await endpoint(settings, platform);
  const byGeneration = new Map([lexical, configured].map((each) => [each.generation, each]));
  return { configured, ofGeneration: (generation) => byGeneration.get(generation) ?? null };
}

async function endpoint(
  settings: EmbeddingSettings,
  { digest, clock }: Platform,
): Promise<Embedder> {
  const { createOpenAiEmbedder } = await import('#providers/openai/embedder.ts');
  const { url, model, dimensions, textsMax, dollarsPerMillionTokens: price } = settings;
  return createOpenAiEmbedder({
    baseUrl: url,
    apiKey: settings.apiKey ?? null,
    model,
    dimensions,
    dimensionsSent: settings.dimensionsSent ?? false,
    queryPrefix: settings.queryPrefix ?? '',
    passagePrefix: settings.passagePrefix ?? '',
    ...(textsMax === undefined ? {} : { textsMax }),
    microDollarsPerMillionTokens: price === undefined ? null : Math.ceil(price * MICRO_DOLLARS),
    digest,
    clock,
  });
}
