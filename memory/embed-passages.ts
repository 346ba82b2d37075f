/** Vectors of many texts by meaning, for what is kept beside memories: passages of turns. */
import { contentHash } from '#core/hash.ts';
import type { EmbeddedPassages } from '#core/ports/memory-provider.ts';
import { generationsToSearch } from './generations.ts';
import type { Call } from './operation.ts';
import type { EngineParts } from './parts.ts';

/** Null where no embedder knows meaning: hashed vectors tell no more than the words do. */
export async function embedPassages(
  { ports, vectors }: EngineParts,
  call: Call,
  texts: readonly string[],
): Promise<EmbeddedPassages | null> {
  const { active } = await generationsToSearch(ports, call);
  const { name: generation, embedder } = active;
  if (embedder === null || embedder.quality === 'keyword') return null;
  const { digest } = ports.platform;
  const asked = texts.map((content) => ({ content, contentHash: contentHash(digest, content) }));
  const outcomes = await vectors.passages(call, embedder, asked);
  return { generation, vectors: outcomes.map((each) => (each.ok ? each.vector : null)) };
}
