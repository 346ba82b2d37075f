/** Unusable items of an answer: what happens to them and to the other items. */
import { describe, expect, test } from 'vitest';
import { ATTEMPTS_MAX } from '#core/refresh/retries-and-dead-letters.ts';
import type { ModelAnswer, ModelBatch } from '#core/ports/model.ts';
import { MINUTE_MS } from '#test/conformance/samples.ts';
import { openFixture, type Fixture } from './refresh-fixture.ts';

const TENANT = 'acme';
const USAGE = { inputTokens: 1, outputTokens: 1 };

type Items = { item: string; facts?: unknown; kept?: unknown }[];

const project = (projectId: string) => ({ layer: 'project', identifiers: { projectId } });
const saying = (text: string): Promise<ModelAnswer> => Promise.resolve({ text, usage: USAGE });

/** The extractive answer with its items changed. */
async function changed(
  extractive: () => Promise<ModelAnswer>,
  change: (items: Items) => unknown,
): Promise<ModelAnswer> {
  const answer = await extractive();
  const { items } = JSON.parse(answer.text) as { items: Items };
  return { ...answer, text: JSON.stringify({ items: change(items) }) };
}

const holds = ({ items }: ModelBatch, text: string) =>
  items.some(({ sources }) => sources.some((source) => source.text.includes(text)));

async function scopesOf({ parts }: Fixture) {
  const scopes = await parts.store.scopes.list(TENANT, 99);
  return new Map(scopes.map((scope) => [scope.scopeId, scope]));
}

describe('items of an answer', () => {
  test('a missing item is asked for once more, alone, while the others are committed', async () => {
    await using fixture = await openFixture({
      answer: (batch, extractive) =>
        changed(extractive, (items) => (items.length > 1 ? items.slice(1) : items)),
    });
    for (const id of ['a', 'b', 'c'])
      await fixture.add(TENANT, `The shop ${id} grows.`, project(id));
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 3, modelCalls: 2, refused: 0 });
    expect(fixture.calls.map(({ items }) => items.length)).toEqual([3, 1]);
  });

  test('an item that stays invalid fails alone', async () => {
    await using fixture = await openFixture({
      answer: (batch, extractive) =>
        changed(extractive, (items) =>
          items.map((item, at) =>
            holds({ items: batch.items.slice(at, at + 1) }, 'poison')
              ? { ...item, facts: 7 }
              : item,
          ),
        ),
    });
    await fixture.add(TENANT, 'The shop sells poison.', project('bad'));
    for (const id of ['a', 'b']) await fixture.add(TENANT, `The shop ${id} grows.`, project(id));
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 2, modelCalls: 2, refused: 1 });
    const scopes = await scopesOf(fixture);
    expect(scopes.get('bad')).toMatchObject({
      attempts: 1,
      hold: { code: 'MODEL_OUTPUT_INVALID' },
    });
    expect(scopes.get('a')).toMatchObject({ attempts: 0 });
  });

  test.each<[string, 'generated' | 'refused', number]>([
    ['nine of ten', 'generated', 9],
    ['ten of ten', 'refused', 10],
  ])('an item with %s malformed facts is %s', async (_, outcome, count) => {
    await using fixture = await openFixture({
      answer: (__, extractive) =>
        changed(extractive, (items) =>
          items.map(({ item, facts }) => ({
            item,
            facts: [
              ...Array.from({ length: 10 - count }, () => (facts as unknown[])[0]),
              ...Array.from({ length: count }, () => ({ text: 'A fact without sources.' })),
            ],
          })),
        ),
    });
    await fixture.add(TENANT, 'Ann lives in Oslo.');
    expect(await fixture.round(TENANT)).toMatchObject({ [outcome]: 1 });
  });

  test('facts filed under another owner are all dropped', async () => {
    await using fixture = await openFixture({
      answer: (batch, extractive) =>
        changed(extractive, (items) => {
          const lists = items.map(({ facts }) => facts);
          return items.map(({ item }, at) => ({ item, facts: lists[(at + 1) % lists.length] }));
        }),
    });
    for (const id of ['a', 'b', 'c'])
      await fixture.add(TENANT, `The shop ${id} grows.`, project(id));
    // Alone an item has nobody else's facts, so what is told apart is what was asked together.
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 3, modelCalls: 4 });
    for (const summary of await fixture.parts.store.summaries.list(TENANT, 9)) {
      expect(summary.depths.sentence?.text).toBe(`The shop ${summary.scopeId} grows.`);
    }
  });

  test('a model cannot cite the ids of another owner', async () => {
    const stolen: string[] = [];
    await using fixture = await openFixture({
      answer: (batch, extractive) =>
        changed(extractive, (items) =>
          items.map(({ item }) => ({
            item,
            facts: stolen.map((id) => ({ text: 'Bob has a secret.', sources: [id], quote: null })),
          })),
        ),
    });
    stolen.push(await fixture.add(TENANT, 'Bob has a secret.', { identifiers: { userId: 'bob' } }));
    await fixture.add(TENANT, 'Ann lives in Oslo.');
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1, refused: 1 });
    const summaries = await fixture.parts.store.summaries.list(TENANT, 9);
    const told = summaries.map(({ scopeId, model, facts }) => [scopeId, [model, facts[0]?.text]]);
    expect(Object.fromEntries(told)).toEqual({
      ann: ['extractive', 'Ann lives in Oslo.'],
      bob: ['metered', 'Bob has a secret.'],
    });
  });

  test('a fact whose source is deleted during the call is in no summary', async () => {
    let id = '';
    await using fixture = await openFixture({
      answer: async (_, extractive) => {
        const answer = await extractive();
        await fixture.remove(TENANT, id);
        return answer;
      },
    });
    await fixture.add(TENANT, 'Ann lives in Oslo with two cats.');
    id = await fixture.add(TENANT, 'Ann has a secret garden in Bergen.');
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1, refused: 0 });
    expect(JSON.stringify(await fixture.summary(TENANT))).not.toContain('secret');
  });

  test('an answer whose sources are all outdated is no failure, and the model is asked again', async () => {
    let during: (() => Promise<unknown>) | null = null;
    await using fixture = await openFixture({
      answer: async (_, extractive) => {
        const answer = await extractive();
        await during?.();
        during = null;
        return answer;
      },
    });
    const id = await fixture.add(TENANT, 'Ann lives in Oslo.');
    during = async () => {
      await fixture.add(TENANT, 'Ann gardens.');
      await fixture.remove(TENANT, id);
    };
    const nothing = { advanced: 0, refused: 0, generated: 0 };
    expect(await fixture.round(TENANT)).toMatchObject(nothing);
    expect(await fixture.scope(TENANT)).toMatchObject({ attempts: 0, lease: null });
    // One that changes during each call would else be paid for without an end.
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
    fixture.advance(MINUTE_MS);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    expect((await fixture.summary(TENANT))?.text).toBe('Ann gardens.');
  });

  test('a fact that is too long is asked for again, then cut, and its full text is kept', async () => {
    const long = `Ann says ${'that the garden grows and '.repeat(60)}that is all.`;
    await using fixture = await openFixture({
      answer: (batch) =>
        saying(
          JSON.stringify({
            items: batch.items.map(({ item, sources }) => ({
              item,
              facts: [{ text: long, sources: sources.map((source) => source.id) }],
            })),
          }),
        ),
    });
    await fixture.add(TENANT, long);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1, modelCalls: 2 });
    expect(fixture.calls.map(({ items }) => items[0]?.again)).toEqual([undefined, 'TooLong']);
    const [summary] = await fixture.parts.store.summaries.list(TENANT, 1);
    expect(summary?.facts[0]?.text).toMatch(/^Ann says .*…$/);
    expect(summary?.droppedFacts).toEqual([{ text: long, reason: 'TooLong' }]);
  });
});

describe('facts that are too long to show', () => {
  const LONG = `Ann says ${'that the garden grows and '.repeat(12)}that is all.`;
  const stating = (batch: ModelBatch, text: string) =>
    saying(
      JSON.stringify({
        items: batch.items.map(({ item, sources }) => ({
          item,
          facts: [{ text, sources: sources.map(({ id }) => id) }],
        })),
      }),
    );

  test.each<[string, string, string]>([
    ['a shorter fact replaces them', 'Ann says that is all.', 'Ann says that is all.'],
    ['an ungrounded fact does not', 'Bob owns 77 boats.', LONG],
    ['equally long ones are cut', LONG, LONG],
  ])('on a second request, %s', async (_, second, expected) => {
    await using fixture = await openFixture({
      answer: (batch) => stating(batch, batch.items[0]?.again === undefined ? LONG : second),
    });
    for (const id of ['a', 'b']) await fixture.add(TENANT, LONG, project(id));
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 2, refused: 0, modelCalls: 2 });
    for (const { facts, depths } of await fixture.parts.store.summaries.list(TENANT, 9)) {
      expect(facts[0]?.text).toBe(expected);
      expect(depths.sentence?.cut).toBe(expected === LONG);
    }
  });
});

describe('a dead-lettered scope', () => {
  async function giveUp(fixture: Fixture): Promise<void> {
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      expect(await fixture.round(TENANT)).toMatchObject({ refused: 1, generated: 0 });
      fixture.advance(2 * MINUTE_MS);
    }
  }

  test.each([
    ['is not valid', 'Sure! Here is the summary you wanted.', 'AnswerNotJson'],
    ['is a page', '<html>Bad gateway</html>', 'AnswerNotJson'],
    ['has no item', '{"items":[]}', 'NoGroundedFact'],
  ])('gets an extractive fallback if the answer of the model %s', async (_, text, reason) => {
    await using fixture = await openFixture({ answer: () => saying(text) });
    await fixture.add(TENANT, 'Ann lives in Oslo.');
    await giveUp(fixture);
    expect(await fixture.summary(TENANT)).toMatchObject({
      text: 'Ann lives in Oslo.',
      model: 'extractive',
      priceMicroDollars: 0,
      freshness: { stale: true, reason: 'LowGrounding' },
    });
    expect(await fixture.scope(TENANT)).toMatchObject({
      deadLetter: { code: 'MODEL_OUTPUT_INVALID', reason },
      dueTrigger: 'Interval',
      lease: null,
    });
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
  });

  test.each(['<html>Bad gateway</html>', '{"items":[]}'])(
    'has the extractive text from the first refused answer on if it is new: %j',
    async (text) => {
      let answer: Promise<ModelAnswer> | null = saying(text);
      await using fixture = await openFixture({
        answer: (_, extractive) => (answer === null ? extractive() : answer),
      });
      await fixture.add(TENANT, 'Ann lives in Oslo.');
      expect(await fixture.round(TENANT)).toMatchObject({ refused: 1, generated: 0 });
      const first = { text: 'Ann lives in Oslo.', model: 'extractive' };
      expect(await fixture.summary(TENANT)).toMatchObject(first);
      expect(await fixture.scope(TENANT)).toMatchObject({ deadLetter: null, attempts: 1 });
      answer = null;
      fixture.advance(2 * MINUTE_MS);
      expect(await fixture.round(TENANT)).toMatchObject({ refused: 0, generated: 1 });
      expect(await fixture.summary(TENANT)).toMatchObject({ model: 'metered' });
    },
  );

  test('updates its fallback with the sources while the model fails', async () => {
    await using fixture = await openFixture({ answer: () => saying('{"items":[]}') });
    await fixture.add(TENANT, 'Ann lives in Oslo.');
    await giveUp(fixture);
    await fixture.add(TENANT, 'Ann has two cats.');
    await giveUp(fixture);
    expect((await fixture.summary(TENANT))?.text).toContain('two cats');
  });

  test('keeps the text of a model instead of a fallback', async () => {
    let works = true;
    await using fixture = await openFixture({
      answer: (_, extractive) => (works ? extractive() : saying('{"items":[]}')),
    });
    await fixture.add(TENANT, 'Ann lives in Oslo.');
    await fixture.round(TENANT);
    works = false;
    await fixture.add(TENANT, 'Ann has two cats.');
    await giveUp(fixture);
    expect(await fixture.summary(TENANT)).toMatchObject({
      text: 'Ann lives in Oslo. Since then: Ann has two cats.',
      model: 'metered',
      freshness: { reason: 'LowGrounding' },
    });
  });
});
