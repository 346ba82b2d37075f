/** Batches for tests of the prompt and of models that read it. */
import { createHash } from 'node:crypto';
import type { BatchItem, ModelBatch } from '#core/ports/model.ts';
import type { Source } from '#core/sources/source.ts';
import { utf8Bytes } from '#core/storable-text.ts';

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex');

export const CALL = {
  attemptId: '0198c1d2-0000-7000-8000-000000000001/1',
  digest,
  now: Date.UTC(2026, 10, 24, 12),
};

export function source(id: string, text: string, differing: Partial<Source> = {}): Source {
  return {
    id,
    kind: 'memory',
    position: `m/${id}`,
    text,
    contentHash: digest(text),
    tokens: Math.ceil(text.length / 4),
    bytes: utf8Bytes(text),
    at: Date.UTC(2026, 10, 3),
    speaker: null,
    role: null,
    trust: 'stated',
    expiresAt: null,
    ...differing,
  };
}

export function item(
  name: string,
  sources: readonly Source[],
  differing: Partial<BatchItem> = {},
): BatchItem {
  return {
    item: digest(name).slice(0, 16),
    layer: 'team',
    depths: ['detailed'],
    task: 'Extract',
    tokensMax: 500,
    audience: null,
    sources,
    ...differing,
  };
}

export function batchOf(...items: readonly BatchItem[]): ModelBatch {
  return { items };
}
