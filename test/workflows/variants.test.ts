/** A personalized variant, from the read that requests it to the end of the run that makes it. */
import { describe, expect, it } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { JOIN_CALL_PAUSE_MS } from '#core/variants/variant-rules.ts';
import { eventually, openStack } from './fixture.ts';
import { historiesOf, readHistory } from './history-text.ts';

const SHOP = { projectId: 'shop' };
const ANN = { userId: 'ann', ...SHOP };

describe('the path from a read to a variant', () => {
  it('SUM-03: a read starts a run that makes the variant and completes', async () => {
    await using stack = await openStack();
    const { tenant } = stack;
    await stack.declare(tenant, { only: { project: { personalized: true } } });
    await stack.add(tenant, { identifiers: ANN, content: 'Ann grows roses.' });
    const content = 'The roses of the shop bloom in May.';
    await stack.add(tenant, { layer: 'project', identifiers: SHOP, content });
    await stack.settled(tenant);
    const read = () =>
      OPERATIONS.summary.get.call(stack.ports, LOCAL_OPERATOR, {
        tenant,
        layer: 'project',
        identifiers: ANN,
      });
    await eventually('a general summary', async () => (await read()) !== null);
    expect(await read()).toMatchObject({ personalized: false });
    stack.advance(JOIN_CALL_PAUSE_MS);
    await stack.temporal.notify(tenant, { urgent: true });
    await eventually('a variant', async () => (await read())?.personalized === true);
    await stack.settled(tenant);
    const { wanted, acknowledged } = await stack.parts.store.refreshRequests.get(tenant);
    expect(acknowledged).toBe(wanted);
    const histories = await historiesOf(stack, tenant);
    const texts = histories.flatMap(({ history }) => readHistory(history).texts);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.filter((text) => /roses|Ann|user:|shop/u.test(text))).toEqual([]);
  });
});
