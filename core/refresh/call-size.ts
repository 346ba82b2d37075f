/**
 * Estimates how much fits one model call, from counts alone: without reading sources, and without
 * building a prompt for every combination. Reservations use the model's own bound instead.
 */
import { TOKENIZER_MARGIN } from '../budget/input-tokens-bound.ts';
import type { BatchItem, SummaryModel } from '../ports/model.ts';
import { answerTokensMax } from '../prompt/answer-schema.ts';
import type { LayerPolicy } from '../records/policy.ts';
import { DEPTH_TOKENS_MAX, DEPTHS, type Usage } from '../records/summary.ts';
import type { Source } from '../sources/source.ts';

/** The texts to write for a layer, and the fact tokens that the longest of them shows. */
export type AskedTexts = Pick<BatchItem, 'depths' | 'tokensMax'>;

/** Returns the texts to write. Readers' own texts are chosen from the facts of the detailed one. */
export function askedTexts({
  depths,
  personalized,
}: Pick<LayerPolicy, 'depths' | 'personalized'>): AskedTexts {
  const asked = DEPTHS.filter(
    (depth) => depths.includes(depth) || (personalized && depth === 'detailed'),
  );
  return { depths: asked, tokensMax: Math.max(...asked.map((depth) => DEPTH_TOKENS_MAX[depth])) };
}

/** The size of an item before its sources are read. */
interface ItemOutline extends AskedTexts {
  readonly task: BatchItem['task'];
  /** Number of its sources, and their cl100k tokens. */
  readonly sources: number;
  readonly tokens: number;
}

/** Sizes of a model's calls. */
export interface CallSizes {
  /** Tokens of the rules that come before the first item of a prompt. */
  readonly rules: number;
  sizeOf(outline: ItemOutline): Usage;
}

/** Measures the frame of a model's prompts by its own `usageMax`. */
export function callSizes(model: Pick<SummaryModel, 'usageMax'>): CallSizes {
  const input = (...items: BatchItem[]) => model.usageMax({ items }).inputTokens;
  const bare = input(probe(0));
  const item = input(probe(0), probe(0)) - bare;
  const source = input(probe(1)) - bare;
  return {
    rules: Math.max(0, bare - item),
    sizeOf: (outline) => ({
      inputTokens: Math.ceil(item + outline.sources * source + outline.tokens * TOKENIZER_MARGIN),
      outputTokens: answerTokensMax({ items: [outlined(outline)] }),
    }),
  };
}

function probe(sources: number): BatchItem {
  return outlined({ task: 'Extract', depths: DEPTHS, tokensMax: 1, sources, tokens: 0 });
}

function outlined({ task, depths, tokensMax, sources, tokens }: ItemOutline): BatchItem {
  const general = { item: 'probe', layer: 'session', audience: null } as const;
  return {
    ...general,
    task,
    depths,
    tokensMax,
    sources: Array.from({ length: sources }, (_, at) => (at === 0 ? { ...EMPTY, tokens } : EMPTY)),
  };
}

const EMPTY: Source = {
  id: '',
  kind: 'turn',
  position: '',
  text: '',
  contentHash: '',
  tokens: 0,
  bytes: 0,
  at: 0,
  speaker: 'assistant',
  role: 'assistant',
  trust: 'stated',
  expiresAt: null,
};
