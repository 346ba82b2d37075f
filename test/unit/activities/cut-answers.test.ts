/** An answer that breaks off, whole facts of which can be read, is not all there is to say. */
import { describe, expect, test } from 'vitest';
import type { Layer } from '#core/layer.ts';
import { batchAnswerText } from '#core/prompt/prompt-answer.ts';
import { labelledItems } from '#core/prompt/prompt-labels.ts';
import type { ModelBatch } from '#core/ports/model.ts';
import { readEntries } from '#providers/openai/read-answer.ts';
import { MINUTE_MS } from '#test/conformance/samples.ts';
import { openFixture, type Fixture } from './refresh-fixture.ts';

const TENANT = 'acme';
const SAID = [
  'Ann lives in Oslo.',
  'Her train leaves at seven.',
  'She plays the cello.',
  'Ann is allergic to penicillin.',
];

/** What a model would write of a batch: each source as a fact, in the order of the prompt. */
function written(batch: ModelBatch): string {
  const items = labelledItems(batch).map(({ label, sources }) => ({
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

async function refresh(fixture: Fixture): Promise<void> {
  for (let rounds = 0; rounds < 20; rounds += 1) {
    if ((await fixture.round(TENANT)).batches === 0) return;
    fixture.advance(MINUTE_MS);
  }
  throw new Error('It does not come to an end.');
}

async function detailed(fixture: Fixture, layer: Layer, scopeId: string): Promise<string> {
  const scope = { tenant: TENANT, layer, scopeId };
  const found = await fixture.ports.store.summaries.get(scope, '');
  return found?.depths.detailed?.text ?? '';
}

describe('an answer that broke off', () => {
  test.each([0.3, 0.6, 0.9])('at %d of its text is completed from its sources', async (share) => {
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
  });

  test('and held several scopes asks the one it broke off in alone', async () => {
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
