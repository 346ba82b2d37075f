/** What a dream asks of its model: of the same material the same, however often it is made. */
import { fittedDream, type FittedDream } from '#core/dreams/dream-fit.ts';
import { dreamQuestion } from '#core/dreams/dream-sources.ts';
import { memoryTokensMax } from '#core/dreams/memory-size.ts';
import type { Digest } from '#core/hash.ts';
import type { DreamModel, DreamQuestion } from '#core/ports/dream-model.ts';
import type { PaidQuestion } from '../metered-call.ts';
import type { ReadDream } from './dream-material.ts';
import { countDreamCall } from './dream-metrics.ts';
import type { DreamPorts } from './dream-ports.ts';

export interface AskedDream extends FittedDream {
  readonly model: DreamModel;
  readonly hash: string;
}

/** @throws VarveError CONTEXT_LIMIT_TOO_SMALL where the model has no room for MEMORY.md */
export function askedDream(
  { platform, tokens }: Pick<DreamPorts, 'platform' | 'tokens'>,
  { base, fresh, known, isMore }: ReadDream,
  model: DreamModel,
): AskedDream {
  const { digest } = platform;
  const tools = { digest, tokens, tokensMax: memoryTokensMax(model) };
  const whole = dreamQuestion({ memory: base?.lines ?? [], fresh, known }, tools);
  const fitted = fittedDream(whole, { model, fresh, tokens });
  // How many lie beyond is not known, only that there are some.
  const leftBlocks = fitted.leftBlocks + Number(isMore);
  return { ...fitted, leftBlocks, model, hash: questionHash(digest, model, fitted.question) };
}

export function paidQuestion(
  { metrics }: Pick<DreamPorts, 'metrics'>,
  { model, question, hash }: AskedDream,
): PaidQuestion {
  return {
    hash,
    model,
    bounds: () => model.bounds(question),
    ask: (call) => model.dream(question, call),
    itemsOf: () => [],
    count: (usage) => {
      countDreamCall(metrics, model, usage);
    },
  };
}

function questionHash(
  digest: Digest,
  { name, revision }: DreamModel,
  { memory, headings, daily, readBefore, tokensMax }: DreamQuestion,
): string {
  const lines = memory.map(({ id, contentHash }) => [id, contentHash, headings.get(id)]);
  // Of a block that is too long only its beginning is shown.
  const blocks = daily.map(({ id, contentHash, bytes }) => [
    id,
    contentHash,
    bytes,
    readBefore.has(id),
  ]);
  return digest(JSON.stringify([name, revision, tokensMax, lines, blocks]));
}
