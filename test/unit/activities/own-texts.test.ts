/** A model that writes its own text for each depth, from the question to what readers see. */
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import type { ModelBatch } from '#core/ports/model.ts';
import { batchAnswerText } from '#core/prompt/answer-schema.ts';
import { labeledItems } from '#core/prompt/summary-prompt.ts';
import type { Depth } from '#core/records/summary.ts';
import { openFixture, type FixtureOptions } from './refresh-fixture.ts';

const TENANT = 'acme';
const SCOPE = { tenant: TENANT, layer: 'user', scopeId: 'ann' } as const;
const USAGE = { inputTokens: 100, outputTokens: 10 };
const SAID = {
  left: 'Ann left the bank in March.',
  opens: 'Ann opens a bakery in Bern.',
  oven: 'The oven of Ann comes from Turin.',
} as const;

type Saying = readonly [Depth | null, string, ...(keyof typeof SAID)[]];

const GIST = 'Ann left the bank in March and opens a bakery in Bern.';
const TOLD: readonly Saying[] = [
  ['sentence', GIST, 'left', 'opens'],
  ['paragraph', SAID.left, 'left'],
  ['paragraph', SAID.opens, 'opens'],
  ['detailed', SAID.oven, 'oven'],
];

/** Answers with the given facts, as a model that sees labels would. */
function answering(facts: readonly Saying[]): NonNullable<FixtureOptions['answer']> {
  return (batch) => Promise.resolve({ text: answerOf(batch, facts), usage: USAGE });
}

function answerOf(batch: ModelBatch, facts: readonly Saying[]): string {
  const entries = labeledItems(batch).map(({ label, sources }) => ({
    item: label,
    facts: facts.map(([depth, text, ...said]) => {
      const words = said.map((each) => SAID[each]);
      const cited = sources.filter(({ source }) => words.some((each) => each === source.text));
      const quote = words[0];
      return { depth, text, sources: cited.map((each) => each.label), quote, speaker: null };
    }),
  }));
  return batchAnswerText(batch, entries);
}

async function openTold(facts: readonly Saying[], depths?: Depth[]) {
  const fixture = await openFixture({ answer: answering(facts) });
  if (depths !== undefined) {
    await fixture.declare(TENANT, ({ layers }) => ({
      layers: { ...layers, user: { ...layers.user, depths } },
    }));
  }
  const ids = new Map<string, string>();
  for (const text of Object.values(SAID)) ids.set(text, await fixture.add(TENANT, text));
  await fixture.round(TENANT);
  const summary = () => fixture.parts.store.summaries.get(SCOPE, '');
  const texts = async () => {
    const { sentence, paragraph, detailed } = (await summary())?.depths ?? {};
    return [sentence?.text, paragraph?.text, detailed?.text];
  };
  const user = { tenant: TENANT, layer: 'user', identifiers: { userId: 'ann' } } as const;
  const shown = (depth: Depth) =>
    OPERATIONS.summary.get.call(fixture.ports, LOCAL_OPERATOR, { ...user, depth });
  return { ...fixture, ids, summary, texts, shown };
}

describe('a text for each depth', () => {
  test('one call yields the sentence, the paragraph and the detailed text', async () => {
    await using told = await openTold(TOLD);
    expect(told.calls).toHaveLength(1);
    const paragraph = `${SAID.left} ${SAID.opens}`;
    expect(await told.texts()).toEqual([GIST, paragraph, `${paragraph} ${SAID.oven}`]);
    const facts = (await told.summary())?.facts;
    expect(facts?.map(({ depths }) => depths)).toEqual(TOLD.map(([depth]) => [depth]));
    expect(facts?.every(({ sources, quote }) => sources.length > 0 && quote !== null)).toBe(true);
  });

  test('every fact of every text is grounded, and unsupported facts are dropped', async () => {
    const invented = 'Ann earns 90,000 francs in Geneva.';
    await using told = await openTold([
      ['sentence', invented, 'left'],
      ...TOLD.slice(1, 3),
      ['paragraph', invented, 'opens'],
      ['detailed', invented, 'oven'],
    ]);
    const summary = await told.summary();
    expect(JSON.stringify(summary?.depths)).not.toMatch(/Geneva|francs/u);
    expect(summary?.droppedFacts.map(({ text }) => text)).toEqual([invented, invented, invented]);
    expect((await told.texts())[1]).toContain(`${SAID.left} ${SAID.opens}`);
  });

  test('the model is asked only for the depths that are needed', async () => {
    await using told = await openTold(TOLD, ['sentence', 'paragraph']);
    expect(told.calls[0]?.items[0]).toMatchObject({ depths: ['sentence', 'paragraph'] });
    expect(await told.texts()).toEqual([GIST, `${SAID.left} ${SAID.opens}`, undefined]);
  });

  test('facts without a depth form one list', async () => {
    await using told = await openTold(TOLD.map(([, text, ...said]) => [null, text, ...said]));
    const [sentence, paragraph] = await told.texts();
    expect(sentence).toContain(GIST);
    expect(paragraph).toContain(SAID.oven);
  });

  test('a sentence is replaced at once when one of its sources is deleted', async () => {
    await using told = await openTold(TOLD);
    await told.remove(TENANT, told.ids.get(SAID.left) ?? '');
    expect((await told.summary())?.depths.sentence?.text).toBe(GIST);
    const { text, freshness } = (await told.shown('sentence')) ?? {};
    expect(text).toBe(`${SAID.opens} ${SAID.oven}`);
    expect(freshness?.stale).toBe(true);
  });
});
