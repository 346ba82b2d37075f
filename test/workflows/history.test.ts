/** What Temporal stores: ids, counts and codes, and never a text or a person's name. */
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { VarveError } from '#core/errors.ts';
import { HOUR_MS } from '#test/conformance/samples.ts';
import { endRun, eventually, openStack } from './fixture.ts';
import { historiesOf, PAYLOAD_BYTES_MAX, readHistory } from './history-text.ts';
import { mentions, stubbed } from './model-stub.ts';

const SCOPES = 40;

describe('histories', () => {
  it('TMP-04: hold no memory text, person or scope, and stay small', async () => {
    const { model } = stubbed((batch) => {
      if (mentions(batch, 'nightshade')) {
        throw new VarveError('PROVIDER_REJECTED', 'The provider refused the request.');
      }
    });
    await using stack = await openStack({ model, settings: { roundsMax: 2 } });
    const { tenant } = stack;
    await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
    for (let n = 0; n < SCOPES; n += 1) {
      const layer = n % 2 === 0 ? 'user' : 'project';
      const identifiers = { userId: `person-${String(n)}`, projectId: `scope-${String(n)}` };
      await stack.add(tenant, { layer, identifiers, content: `Zanzibar is visit ${String(n)}.` });
    }
    const poison = { identifiers: { userId: 'person-99' }, content: 'Some nightshade grows here.' };
    await stack.add(tenant, poison);
    const said = { role: 'user' as const, speaker: 'person-7', content: 'I saw Zanzibar at dawn.' };
    const turns = { tenant, sessionId: 'session-5', turns: [said] };
    await OPERATIONS.conversation.append.call(stack.ports, LOCAL_OPERATOR, turns);
    stack.advance(HOUR_MS);
    await stack.temporal.flush(tenant, { kind: 'Stale' });
    await eventually('a failure on record', async () =>
      (await stack.scopes(tenant)).some(({ attempts }) => attempts > 0),
    );
    await eventually('the last batch', async () =>
      (await stack.scopes(tenant)).every(({ lease }) => lease === null),
    );
    const scope = { tenant, layer: 'session', scopeId: 'session-5' } as const;
    const summary = await stack.parts.store.summaries.get(scope, '');
    expect(summary?.facts.map(({ text }) => text).join(' ')).toContain('Zanzibar');

    const histories = await historiesOf(stack, tenant);
    expect(histories.length).toBeGreaterThan(1);
    for (const { history } of histories) {
      const { texts, payloads } = readHistory(history);
      const text = texts.join('\n');
      // What a claim answered is in there, so payloads were read.
      expect(text).toContain('sourceTokens');
      for (const secret of ['Zanzibar', 'nightshade', 'person-', 'scope-', 'session-5']) {
        expect(text).not.toContain(secret);
      }
      expect(Math.max(...payloads)).toBeLessThan(PAYLOAD_BYTES_MAX);
    }
    await endRun(stack, tenant);
  });

  it('do not contain the message of an unexpected error', async () => {
    const { model, calls } = stubbed((_batch, call) => {
      if (call === 1) throw new Error('Zanzibar was in the text.');
    });
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await stack.declare(tenant);
    await stack.add(tenant, { identifiers: { userId: 'person-1' }, content: 'Zanzibar again.' });
    await stack.settled(tenant);
    expect(calls).toHaveLength(2);
    const [history] = await historiesOf(stack, tenant);
    const text = readHistory(history?.history).texts.join('\n');
    expect(text).toContain('CORRUPT');
    expect(text).not.toContain('Zanzibar');
  });
});
