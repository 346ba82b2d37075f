/** What tests of a change of the embedding model command, observe and wait for. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReembedStatus } from '#core/embedding/reembed-contract.ts';
import type { EmbeddingState } from '#core/records/embedding-state.ts';
import { eventually } from './fixture.ts';
import { door } from './model-stub.ts';
import type { ReembedStack } from './reembed-fixture.ts';

export const DAY_MS = 86_400_000;
/** Longer than any search or write of these tests takes, as the real one is. */
export const UNHURRIED = { settleMs: 5_000 };
export const ALL = { tenants: null, keepOldMs: 0 };

/** Each is found by its own words, and by no other's. */
export function notes(count: number, from = 0): readonly string[] {
  return Array.from({ length: count }, (_, n) => {
    const name = String(from + n);
    return `Berth${name} holds vessel${name} under captain${name} since spring${name}.`;
  });
}

export async function stateOf(
  { store }: ReembedStack,
  tenant: string,
): Promise<EmbeddingState | null> {
  return store.embeddings.state(tenant);
}

export async function untilPhase(
  stack: ReembedStack,
  tenant: string,
  phase: EmbeddingState['phase'],
): Promise<void> {
  await eventually(`${tenant} is ${phase}`, async () => {
    return (await stateOf(stack, tenant))?.phase === phase;
  });
}

/** The run's result; throws if there never was one. */
export async function settled(stack: ReembedStack): Promise<ReembedStatus> {
  const result = await stack.temporal.reembed.settled(stack.new.generation);
  if (result === null) throw new Error('There is no run.');
  return result;
}

export async function countsOf({ store }: ReembedStack, tenant: string, generation: string) {
  const { done, missing } = await store.embeddings.progress(tenant, {
    generation,
    now: Date.now(),
  });
  return { done, missing };
}

/** Searches for known memories until it is told to end; answers those that were not found. */
export function searching(stack: ReembedStack, tenant: string, contents: readonly string[]) {
  const state = { running: true, searches: 0, lost: [] as string[] };
  const loop = async (): Promise<void> => {
    while (state.running) {
      const content = contents[state.searches % contents.length] ?? '';
      const { hits } = await stack.search(tenant, content);
      if (hits[0]?.memory.content !== content) state.lost.push(content);
      state.searches += 1;
      await nextTurn();
    }
  };
  const ended = loop();
  // Whoever ends it hears of a failure.
  ended.catch(() => undefined);
  return async (): Promise<{ searches: number; lost: readonly string[] }> => {
    state.running = false;
    await ended;
    return state;
  };
}

/** A door before a call of the new model. */
export function closed(stack: ReembedStack, fromCall: number) {
  const held = door();
  stack.new.before = (_, call) => (call >= fromCall ? held.opened : undefined);
  return held;
}
