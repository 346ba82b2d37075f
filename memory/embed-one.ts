/** The vector of one text, in the generation that its tenant's memories have (MEM-20, MEM-21). */
import { VarveError } from '#core/errors.ts';
import { contentHash } from '#core/hash.ts';
import type { EmbedCall } from '#core/ports/embedder.ts';
import { generationsToSearch } from './generations.ts';
import type { Call } from './operation.ts';
import type { EngineParts } from './parts.ts';

/** @throws VarveError what the embedder throws, BUDGET_EXHAUSTED, PROVIDER_REJECTED */
export async function embedOne(
  { ports, vectors }: EngineParts,
  call: Call,
  { text, purpose }: { text: string; purpose: EmbedCall['purpose'] },
): Promise<{ readonly generation: string; readonly vector: readonly number[] }> {
  const { active } = await generationsToSearch(ports, call);
  const { name: generation, embedder } = active;
  if (embedder === null) {
    const message = 'No configured embedder makes vectors of the generation of these memories.';
    throw new VarveError('PROVIDER_REJECTED', message, { details: { generation } });
  }
  if (purpose === 'query') {
    return { generation, vector: await vectors.query(call, embedder, text) };
  }
  const asked = { content: text, contentHash: contentHash(ports.platform.digest, text) };
  const [outcome] = await vectors.passages(call, embedder, [asked]);
  if (outcome?.ok === true) return { generation, vector: outcome.vector };
  throw outcome?.error ?? new VarveError('CORRUPT', 'The embedder gave no answer for a text.');
}
