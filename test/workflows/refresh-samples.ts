/** What Ann says in tests of refreshes, and refreshes in progress. */
import type { ModelBatch } from '#core/ports/model.ts';
import { HOUR_MS } from '#test/conformance/samples.ts';
import { eventually, openStack, untilWaiting, type Stack } from './fixture.ts';
import { door, stubbed } from './model-stub.ts';

export const ANN = { identifiers: { userId: 'ann' } };
export const ROSES = 'Ann grows roses and lavender in her garden in Lisbon.';
export const BEES = 'Ann keeps three hives of bees behind the green house.';

/** A memory of Ann whose run waits for its window, which is open for an hour. */
export async function addInWindow(stack: Stack): Promise<void> {
  const { tenant } = stack;
  await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
  await stack.add(tenant, { ...ANN, content: ROSES });
  await untilWaiting(stack, tenant);
}

export interface HeldStack extends Stack {
  /** What each call was asked; the first is under way. */
  readonly calls: readonly ModelBatch[];
  /** Lets the first call be answered. */
  release(): void;
}

/** With a memory of Ann whose call of the model is under way until the test lets it go. */
export async function openWithinCall(): Promise<HeldStack> {
  const held = door();
  const { model, calls } = stubbed((_batch, call) => (call === 1 ? held.opened : undefined));
  await using opened = new AsyncDisposableStack();
  const stack = opened.use(await openStack({ model }));
  const { tenant } = stack;
  await stack.declare(tenant);
  await stack.add(tenant, { ...ANN, content: ROSES });
  await eventually('the first call', async () => calls.length === 1);
  opened.move();
  return Object.assign(stack, { calls, release: held.open });
}
