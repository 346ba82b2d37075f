/** What is committed if a model finds no facts, or no usable ones in one segment of a scope. */
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { Layer } from '#core/layer.ts';
import type { ModelBatch } from '#core/ports/model.ts';
import { batchAnswerText } from '#core/prompt/answer-schema.ts';
import { labeledItems } from '#core/prompt/summary-prompt.ts';
import { ATTEMPTS_MAX } from '#core/refresh/retries-and-dead-letters.ts';
import { readEntries } from '#providers/openai/json-in-answer.ts';
import { MINUTE_MS } from '../../conformance/samples.ts';
import { openFixture, type Fixture, type FixtureOptions } from './refresh-fixture.ts';

const TENANT = 'acme';
const SCOPE = { tenant: TENANT, layer: 'user', scopeId: 'ann' } as const;
/** Small enough that a few dozen memories are several leaves. */
const WINDOW = 2_000;
const GREETING = 'Hello there, and a good morning to you.';

type Answer = NonNullable<FixtureOptions['answer']>;

/** Answers with no facts for each item of which every source has the word. */
const silentOf =
  (word: string): Answer =>
  async (batch, extractive) => {
    const answer = await extractive();
    const { items } = JSON.parse(answer.text) as { items: { item: string }[] };
    const changed = items.map((each) => (isAllOf(batch, each.item, word) ? none(each) : each));
    return { ...answer, text: JSON.stringify({ items: changed }) };
  };

const none = ({ item }: { item: string }) => ({ item, facts: [] });

function isAllOf({ items }: ModelBatch, name: string, word: string): boolean {
  const found = items.find(({ item, task }) => item === name && task === 'Extract');
  return found?.sources.every(({ text }) => text.includes(word)) ?? false;
}

/** Rounds until nothing is left to do. */
async function refresh(fixture: Fixture): Promise<void> {
  for (let rounds = 0; rounds < 20; rounds += 1) {
    if ((await fixture.round(TENANT)).batches === 0) return;
    fixture.advance(MINUTE_MS);
  }
  throw new Error('It does not come to an end.');
}

async function openLarge(answer: Answer, contentOf: (n: number) => string): Promise<Fixture> {
  const fixture = await openFixture({ windowTokens: WINDOW, answer });
  for (let n = 0; n < 60; n += 1) await fixture.add(TENANT, contentOf(n));
  return fixture;
}

const planted = (n: number) => `Ann planted tree ${String(n)} behind the harbour of Bergen.`;

describe('an answer without facts', () => {
  test('is accepted for small talk: paid once, with the newest words as the summary', async () => {
    await using fixture = await openFixture({ answer: silentOf('Hello') });
    await fixture.add(TENANT, GREETING);
    await refresh(fixture);
    expect(fixture.calls).toHaveLength(1);
    expect(await fixture.summary(TENANT)).toMatchObject({
      text: GREETING,
      model: 'metered',
      freshness: { stale: false },
    });
    expect(await fixture.scope(TENANT)).toMatchObject({ attempts: 0, deadLetter: null });
  });

  test('for one segment of a large scope does not affect the other segments', async () => {
    const contentOf = (n: number) => (n < 30 ? `${GREETING} It is day ${String(n)}.` : planted(n));
    await using fixture = await openLarge(silentOf('Hello'), contentOf);
    await refresh(fixture);
    expect(await fixture.summary(TENANT)).toMatchObject({ model: 'metered' });
    expect((await fixture.summary(TENANT))?.text).toContain('tree');
  });

  test('for all of a large scope leads to no selection call', async () => {
    await using fixture = await openLarge(
      silentOf('Hello'),
      (n) => `${GREETING} Day ${String(n)}.`,
    );
    await refresh(fixture);
    expect((await fixture.summary(TENANT))?.text).toContain('Hello there');
    const asked = fixture.calls.flatMap(({ items }) => items);
    expect(asked.filter(({ task }) => task === 'Select')).toEqual([]);
  });
});

describe('a segment of a large scope without a usable answer', () => {
  test('is quoted after two useless answers', async () => {
    const useless: Answer = async (batch, extractive) => {
      const answer = await extractive();
      const { items } = JSON.parse(answer.text) as { items: { item: string }[] };
      const isZebra = ({ item }: { item: string }) =>
        batch.items.some((each) => each.item === item && isLeafWith(each, 'Zebra'));
      return { ...answer, text: JSON.stringify({ items: items.filter((each) => !isZebra(each)) }) };
    };
    await using fixture = await openLarge(useless, (n) => (n === 0 ? 'A Zebra came.' : planted(n)));
    await refresh(fixture);
    expect(await fixture.summary(TENANT)).toMatchObject({ model: 'metered' });
    expect(await fixture.scope(TENANT)).toMatchObject({ attempts: 0, deadLetter: null });
  });

  test('is quoted if the provider refuses it alone, or if it is too long for the model', async () => {
    const refusing: Answer = (batch, extractive) =>
      batch.items.some((each) => isLeafWith(each, 'Zebra'))
        ? Promise.reject(new VarveError('PROVIDER_REJECTED', 'It is not allowed.'))
        : extractive();
    const long = Array.from({ length: 400 }, (_, n) => `Row ${String(n)} of the plan.`).join(' ');
    const contents = ['A Zebra came.', long];
    await using fixture = await openLarge(refusing, (n) => contents[n] ?? planted(n));
    await refresh(fixture);
    expect(await fixture.summary(TENANT)).toMatchObject({ model: 'metered' });
    const asked = fixture.calls.flatMap(({ items }) => items);
    expect(asked.filter((each) => isLeafWith(each, long))).toEqual([]);
    expect(await fixture.scope(TENANT)).toMatchObject({ attempts: 0, deadLetter: null });
  });

  test('is not quoted if the provider refuses everything, and a fallback comes last', async () => {
    const refusing: Answer = () => Promise.reject(new VarveError('PROVIDER_REJECTED', 'No key.'));
    await using fixture = await openLarge(refusing, planted);
    for (let attempt = 1; attempt < ATTEMPTS_MAX; attempt += 1) {
      await fixture.round(TENANT);
      expect(await fixture.summary(TENANT)).toBeNull();
      fixture.advance(MINUTE_MS);
    }
    await fixture.round(TENANT);
    expect(await fixture.summary(TENANT)).toMatchObject({ model: 'extractive' });
    expect(await fixture.scope(TENANT)).toMatchObject({
      deadLetter: { code: 'PROVIDER_REJECTED' },
    });
    expect(await fixture.parts.store.summaries.get(SCOPE, '')).not.toBeNull();
  });
});

function isLeafWith({ task, sources }: ModelBatch['items'][number], text: string): boolean {
  return task === 'Extract' && sources.some((source) => source.text.includes(text));
}

const SAID = [
  'Ann lives in Oslo.',
  'Her train leaves at seven.',
  'She plays the cello.',
  'Ann is allergic to penicillin.',
];

/** What a model would write of a batch: each source as a fact, in the order of the prompt. */
function written(batch: ModelBatch): string {
  const items = labeledItems(batch).map(({ label, sources }) => ({
    item: label,
    facts: sources.map(({ label: from, source: { text } }) => ({
      text,
      sources: [from],
      quote: text,
      speaker: null,
    })),
  }));
  return JSON.stringify({ items });
}

/** The answer for a batch of which only a share of the text came. */
function broken(batch: ModelBatch, share: number): string {
  const text = written(batch);
  return batchAnswerText(batch, readEntries(text.slice(0, Math.floor(text.length * share))));
}

async function detailed(fixture: Fixture, layer: Layer, scopeId: string): Promise<string> {
  const scope = { tenant: TENANT, layer, scopeId };
  const found = await fixture.ports.store.summaries.get(scope, '');
  return found?.depths.detailed?.text ?? '';
}

describe('a truncated answer', () => {
  test.each([0.3, 0.6, 0.9])(
    'with a share of %d of its text is completed from the sources',
    async (share) => {
      await using fixture = await openFixture({
        answer: async (batch) => ({
          text: broken(batch, share),
          usage: { inputTokens: 100, outputTokens: 100 },
        }),
      });
      for (const content of SAID) await fixture.add(TENANT, content);
      await refresh(fixture);
      const text = await detailed(fixture, 'user', 'ann');
      for (const said of SAID) expect(text).toContain(said);
      expect(fixture.calls).toHaveLength(1);
    },
  );

  test('for several scopes leads to a call for the truncated scope alone', async () => {
    await using fixture = await openFixture({
      answer: async (batch) => ({
        text: broken(batch, batch.items.length > 1 ? 0.7 : 1),
        usage: { inputTokens: 100, outputTokens: 100 },
      }),
    });
    const projects = ['harbor', 'bridge'];
    for (const projectId of projects) {
      const place = { layer: 'project', identifiers: { projectId } };
      for (const content of SAID) await fixture.add(TENANT, content, place);
    }
    await refresh(fixture);
    for (const projectId of projects) {
      const text = await detailed(fixture, 'project', projectId);
      for (const said of SAID) expect(text).toContain(said);
    }
    expect(fixture.calls.map(({ items }) => items.length)).toEqual([2, 1]);
  });
});
