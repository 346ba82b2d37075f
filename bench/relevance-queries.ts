/**
 * 200 questions about the example tenant, each with the layer that answers it: asked in other words
 * than the memories use where people would, in full and as a few keywords. Half are to develop on;
 * figures are reported on the other half, which no rule was chosen by.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Layer } from '#core/layer.ts';

const QUERIES = new URL('../test/relevance/queries.jsonl', import.meta.url);

export interface LabelledQuery {
  readonly id: string;
  readonly layer: Layer;
  readonly query: string;
  readonly split: 'develop' | 'report';
}

export async function labelledQueries(): Promise<readonly LabelledQuery[]> {
  const lines = (await readFile(QUERIES, 'utf8')).trim().split('\n');
  return lines.map((line) => {
    const { id, layer, query } = JSON.parse(line) as Record<'id' | 'layer' | 'query', string>;
    return { id, layer: Layer.parse(layer), query, split: splitOf(query) };
  });
}

/** By a hash, so that no choice decides which question is in which half. */
function splitOf(query: string): LabelledQuery['split'] {
  const [first = 0] = createHash('sha256').update(query).digest();
  return first % 2 === 0 ? 'develop' : 'report';
}
