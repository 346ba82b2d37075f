/** Vectors of the real model for benches, cached on disk: one meeting takes most of a minute. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { VarveError } from '#core/errors.ts';
import type { EmbedCall } from '#core/ports/embedder.ts';
import type { Embed } from '#core/search/calibration.ts';
import type { Platform } from '#providers/temporal/server-platform.ts';
import { cacheFolder } from '#providers/temporal/server-cache.ts';
import { EMBEDDING_SERVER_VERSION, type EmbeddingServer } from './embedding-server.ts';

const TEXTS_PER_CALL = 32;
const NUMBER_BYTES = 4;

/** @param start called when a requested text has no cached vector */
export function keptEmbeddings(platform: Platform, start: () => Promise<EmbeddingServer>): Embed {
  const folder = path.join(cacheFolder(platform), `bench-vectors-${EMBEDDING_SERVER_VERSION}`);
  return async (texts, purpose) => {
    const key = createHash('sha256')
      .update(JSON.stringify([purpose, texts]))
      .digest('hex');
    const file = path.join(folder, `${key}.f32`);
    const kept = await readFile(file).catch(() => null);
    if (kept !== null) return rowsOf(kept, texts.length);
    const server = await start();
    const vectors: (readonly number[])[] = [];
    for (let at = 0; at < texts.length; at += TEXTS_PER_CALL) {
      vectors.push(...(await embedded(server, texts.slice(at, at + TEXTS_PER_CALL), purpose)));
    }
    await mkdir(folder, { recursive: true });
    const bytes = new Uint8Array(Float32Array.from(vectors.flat()).buffer);
    await writeFile(`${file}.partial`, bytes);
    await rename(`${file}.partial`, file);
    return vectors;
  };
}

function rowsOf(bytes: Uint8Array, count: number): readonly (readonly number[])[] {
  const numbers = new Float32Array(bytes.slice().buffer);
  const dimensions = bytes.length / NUMBER_BYTES / Math.max(1, count);
  return Array.from({ length: count }, (_, row) => [
    ...numbers.subarray(row * dimensions, (row + 1) * dimensions),
  ]);
}

interface Answer {
  readonly data: readonly { readonly embedding: readonly number[] }[];
}

async function embedded(
  server: EmbeddingServer,
  texts: readonly string[],
  purpose: EmbedCall['purpose'],
): Promise<readonly (readonly number[])[]> {
  const input = texts.map((text) => `${server.prefixes[purpose]}${text}`);
  const response = await fetch(`${server.baseUrl}/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: server.model, input }),
  });
  if (!response.ok) {
    throw new VarveError('PROVIDER_ERROR', `The embedding model answered ${response.status}.`);
  }
  const { data } = (await response.json()) as Answer;
  return data.map(({ embedding }) => embedding);
}
