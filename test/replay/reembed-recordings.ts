/** The paths through a change of the embedding model that are recorded. */
import { VarveError } from '#core/errors.ts';
import { eventually } from '../workflows/fixture.ts';
import type { ReembedOptions, ReembedStack } from '../workflows/reembed-fixture.ts';

const DAY_MS = 86_400_000;
const ALL = { tenants: null, keepOldMs: 0 };

export interface ReembedRecording {
  readonly options?: ReembedOptions;
  /** Ends when the run will end by itself. */
  readonly play: (stack: ReembedStack) => Promise<void>;
}

export const REEMBED_RECORDINGS: Readonly<Record<string, ReembedRecording>> = {
  'reembed-plain': {
    play: async (stack) => {
      await write(stack, 20);
      await stack.temporal.reembed.begin(stack.new.generation, ALL);
    },
  },
  'reembed-pause': {
    options: { textsMax: 1 },
    play: async (stack) => {
      await write(stack, 20);
      const { reembed } = stack.temporal;
      await reembed.begin(stack.new.generation, ALL);
      await eventually('a call', async () => stack.new.calls.length > 0);
      await reembed.order(stack.new.generation, 'Pause');
      await untilSaid(stack, 'Paused');
      await reembed.order(stack.new.generation, 'Resume');
    },
  },
  'reembed-rollback': {
    play: async (stack) => {
      await write(stack, 5);
      const { reembed } = stack.temporal;
      await reembed.begin(stack.new.generation, { tenants: null, keepOldMs: DAY_MS });
      await untilSaid(stack, 'Waiting');
      await write(stack, 1);
      await reembed.order(stack.new.generation, 'RollBack');
    },
  },
  'reembed-finish': {
    play: async (stack) => {
      await write(stack, 5);
      const { reembed } = stack.temporal;
      const some = { tenants: [stack.tenant], keepOldMs: DAY_MS };
      await reembed.begin(stack.new.generation, some);
      await untilSaid(stack, 'Waiting');
      await reembed.order(stack.new.generation, 'Finish');
    },
  },
  'reembed-failed': {
    play: async (stack) => {
      await write(stack, 5);
      stack.new.before = (_, call) => {
        if (call === 1) throw new VarveError('PROVIDER_REJECTED', 'Refused.');
      };
      await stack.temporal.reembed.begin(stack.new.generation, ALL);
    },
  },
  'reembed-continued': {
    options: { textsMax: 2, settings: { turnsMax: 2 } },
    play: async (stack) => {
      await write(stack, 40);
      await stack.temporal.reembed.begin(stack.new.generation, ALL);
    },
  },
};

async function write(stack: ReembedStack, count: number): Promise<void> {
  const contents = Array.from(
    { length: count },
    (_, n) => `Note ${String(n)} of ${String(count)}.`,
  );
  await stack.addMany(stack.tenant, contents);
}

async function untilSaid(stack: ReembedStack, phase: 'Paused' | 'Waiting'): Promise<void> {
  await eventually(`the run is ${phase}`, async () => {
    return (await stack.temporal.reembed.status(stack.new.generation))?.phase === phase;
  });
}
