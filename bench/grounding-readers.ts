/** Readers that may confirm what the rules doubt: none, all, an oracle, vectors, small models. */
import { hash } from 'node:crypto';
import { doubtsOf, type Confirms, type Doubt } from '#core/grounding/doubt.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { NO_TRACING } from '#core/ports/tracing.ts';
import { confirmedBy, verifyItem } from '#core/grounding/doubt-question.ts';
import type { Embed } from '#core/search/calibration.ts';
import { createOpenAiSummaryModel } from '#providers/openai/summary-model.ts';
import { loadTokenCounter } from '#providers/tokenizers/token-counter.ts';
import { type TinyModel, startLanguageModel } from './language-model/language-model.ts';
import { outcomeOf, type WrittenCase } from './grounding-cases.ts';

export interface Doubted {
  readonly written: WrittenCase;
  readonly doubt: Doubt;
}

export function doubted(cases: readonly WrittenCase[]): readonly Doubted[] {
  return cases.flatMap((written) =>
    doubtsOf((confirms) => outcomeOf(written, { confirms })).map((doubt) => ({ written, doubt })),
  );
}

/** Confirms exactly what is true. */
export function oracle(all: readonly Doubted[]): Confirms {
  const honest = all.filter(({ written }) => written.kind === 'faithful');
  const known = new Set(honest.map(({ doubt }) => keyOf(doubt)));
  return (doubt) => known.has(keyOf(doubt));
}

export type Likeness = ReadonlyMap<string, number>;

/** Returns the cosines of claims and their sources. */
export async function likenesses(embed: Embed, all: readonly Doubted[]): Promise<Likeness> {
  const claims = await embed(
    all.map(({ doubt }) => doubt.claim),
    'query',
  );
  const grounds = await embed(
    all.map(({ doubt }) => doubt.evidence.map(({ text }) => text).join(' ')),
    'query',
  );
  return new Map(
    all.map(({ doubt }, at) => [keyOf(doubt), cosine(claims[at] ?? [], grounds[at] ?? [])]),
  );
}

export function alike(likeness: Likeness, least: number): Confirms {
  return (doubt) => (likeness.get(keyOf(doubt)) ?? 0) >= least;
}

function cosine(one: readonly number[], other: readonly number[]): number {
  const dot = (a: readonly number[], b: readonly number[]) =>
    a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  return dot(one, other) / Math.sqrt(dot(one, one) * dot(other, other));
}

/** Doubts of one call: as many as fit a window of 4,096 tokens. */
const DOUBTS_PER_CALL = 4;

const digest = (text: string) => hash('sha256', text, 'hex');

/** A real model, asked with the product's prompt. */
export async function verified(
  tiny: TinyModel,
  all: readonly Doubted[],
): Promise<{ readonly confirms: Confirms; readonly calls: number; readonly answered: number }> {
  await using served = await startLanguageModel(tiny);
  const model = createOpenAiSummaryModel({
    baseUrl: served.baseUrl,
    apiKey: null,
    model: tiny,
    classes: ['economy'],
    price: { inputMicroDollarsPerMillion: 0, outputMicroDollarsPerMillion: 0 },
    contextTokens: served.contextTokens,
    outputTokensMax: 512,
    thinkingTokens: 0,
    tokens: await loadTokenCounter({ log: SILENT_LOG }),
    platform: { digest, clock: Date.now, log: SILENT_LOG, tracing: NO_TRACING },
  });
  const items = new Map(
    all.map(({ doubt }) => verifyItem(digest, doubt)).map((each) => [each.item, each]),
  );
  const open = [...items.values()];
  const answers: { text: string }[] = [];
  let calls = 0;
  while (open.length > 0) {
    const batch = { items: open.splice(0, DOUBTS_PER_CALL) };
    calls += 1;
    const signal = new AbortController().signal;
    const answer = await model
      .answer(batch, { attemptId: String(calls), signal })
      .catch(() => null);
    if (answer !== null) answers.push(answer);
  }
  const answered = answers.filter(({ text }) => text.includes('"kept"')).length;
  return { confirms: confirmedBy(digest, answers), calls, answered };
}

function keyOf({ claim, evidence }: Doubt): string {
  return JSON.stringify([claim, evidence.map(({ text }) => text)]);
}
