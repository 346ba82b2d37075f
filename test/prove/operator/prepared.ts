/** A world in which the steps before one are carried out already. */
import { declare, STEPS, type Step } from './declared.ts';
import { settledState } from './settled.ts';
import type { OperatorWorld } from './world.ts';

/** What was declared before the step is carried out, by an operator that is gone by then. */
export async function prepare(world: OperatorWorld, step: Step): Promise<void> {
  const before = STEPS.slice(0, STEPS.indexOf(step));
  for (const each of before) {
    // All of it before anybody looks, so that every run sees the same.
    await declare(world.api, world.namespace, each);
    await using _operator = world.start();
    await settledState(world);
  }
}
