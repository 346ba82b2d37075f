/** One call of a model as it is asked: the parts that fit it, and the hash that names it. */
import { callSizes, type CallSizes } from '#core/refresh/call-size.ts';
import type { Digest } from '#core/hash.ts';
import { isWithin, ITEMS_PER_BATCH_MAX, sum } from '#core/refresh/plan-batches.ts';
import type { ModelBatch, SummaryModel } from '#core/ports/model.ts';
import { DEPTH_TOKENS_MAX, type Usage } from '#core/records/summary.ts';
import { tokensOf } from './batch.ts';
import type { Part } from './scope-plan.ts';

export interface Question {
  readonly model: SummaryModel;
  readonly parts: readonly Part[];
  readonly batch: ModelBatch;
  /** A paid answer serves again only while nothing of its question changed. */
  readonly hash: string;
}

export function questionOf(digest: Digest, model: SummaryModel, parts: readonly Part[]): Question {
  const batch = { items: parts.map(({ question }) => question) };
  return { model, parts, batch, hash: questionHash(digest, model, batch) };
}

/** As many parts as one call can read and answer, in their order; the first whatever its size. */
export function fittingParts(model: SummaryModel, parts: readonly Part[]): readonly Part[] {
  const sizes = callSizes(model);
  const room = roomOf(model, sizes);
  const fitting: Part[] = [];
  let used: Usage = { inputTokens: 0, outputTokens: 0 };
  for (const part of parts) {
    if (fitting.length >= ITEMS_PER_BATCH_MAX) break;
    const size = sizeOf(sizes, part);
    if (fitting.length > 0 && !isWithin(sum(used, size), room)) continue;
    fitting.push(part);
    used = sum(used, size);
  }
  return fitting;
}

/** Whether a part is more than a call of the model can read, even alone. */
export function isBeyond(model: SummaryModel, part: Part): boolean {
  const sizes = callSizes(model);
  return sizeOf(sizes, part).inputTokens > roomOf(model, sizes).inputTokens;
}

/** What the items of one call may take, beside its rules. */
export function roomOf(
  { inputTokensMax, outputTokensMax }: SummaryModel,
  { rules }: CallSizes,
): Usage {
  return { inputTokens: Math.max(0, inputTokensMax - rules), outputTokens: outputTokensMax };
}

function sizeOf(sizes: CallSizes, { question }: Part): Usage {
  const { task, tokensMax, sources, audience } = question;
  // The description of a reader is read like a source.
  const reader = audience === null ? 0 : DEPTH_TOKENS_MAX.paragraph;
  const tokens = tokensOf(sources) + reader;
  return sizes.sizeOf({ task, tokensMax, sources: sources.length, tokens });
}

function questionHash(digest: Digest, model: SummaryModel, { items }: ModelBatch): string {
  const shown = items.map(({ item, layer, depths, task, tokensMax, audience, again, sources }) => [
    [item, layer, depths, task, tokensMax, audience, again],
    sources.map(({ id, contentHash, speaker }) => [id, contentHash, speaker]),
  ]);
  return digest(JSON.stringify([model.name, model.revision, shown]));
}
