/**
 * `varve start` while its parts are killed: wherever it ends it is started again on its folder, as
 * whoever runs a service does. It ends by itself where a part dies too often soon after its start.
 */
import { createClient, type VarveClient } from '#client/index.ts';
import { partOf, untilNoneOn } from '../e2e/processes.ts';
import { startStackOn, type RunningStack } from '../e2e/running-stack.ts';

/** Far more than any run needs. */
const STARTS_MAX = 10_000;
const GAVE_UP = 'keeps exiting';

interface Run {
  readonly stack: RunningStack;
  readonly client: VarveClient;
  /** By `performance.now()`. */
  readonly since: number;
}

export interface KeptInstallation extends AsyncDisposable {
  /** What runs, or will once it is started again. */
  running(): Promise<Run>;
  /** Resolves for the stack once it runs again; another part is started again by the stack. */
  kill(part: 'stack' | 'worker' | 'temporal'): Promise<void>;
  /** How often it ended because a part died too often. */
  readonly gaveUp: number;
  /** Ends that nothing explains. */
  readonly unasked: readonly string[];
}

/** Resolves once it runs for the first time. */
export async function keepInstallation(
  dataDir: string,
  options: Parameters<typeof startStackOn>[1],
): Promise<KeptInstallation> {
  const start = async (): Promise<Run> => {
    const stack = await startStackOn(dataDir, options);
    const { addresses, token } = stack;
    const client = createClient({ url: addresses.apiUrl, token, retries: 0 });
    return { stack, client, since: performance.now() };
  };
  const state = { current: start(), isOver: false, gaveUp: 0 };
  const killed = new WeakSet<RunningStack>();
  const unasked: string[] = [];
  await state.current;
  const keep = async (): Promise<void> => {
    for (let starts = 1; starts < STARTS_MAX; starts += 1) {
      const { stack } = await state.current;
      const { status, stderr } = await stack.process.ended;
      if (state.isOver) return;
      if (stderr.includes(GAVE_UP)) state.gaveUp += 1;
      else if (!killed.has(stack))
        unasked.push(`varve start ended with ${String(status)}: ${stderr}`);
      state.current = untilNoneOn(dataDir).then(start);
    }
  };
  // A failed start is reported to the test that waits for it.
  const kept = keep().catch(() => undefined);
  return {
    running: () => state.current,
    kill: async (part) => {
      const { stack } = await state.current;
      if (part !== 'stack') {
        const family = await stack.process.family();
        // One that is just being started again is left to it.
        const victim = family.find((each) => partOf(each) === part);
        if (victim !== undefined) process.kill(victim.pid, 'SIGKILL');
        return;
      }
      killed.add(stack);
      stack.process.kill('SIGKILL');
      // `keep` waits for it as well, and longer: it has begun the next start by then.
      await stack.process.ended;
      await state.current;
    },
    get gaveUp() {
      return state.gaveUp;
    },
    unasked,
    [Symbol.asyncDispose]: async () => {
      state.isOver = true;
      await state.current.then(({ stack }) => stack[Symbol.asyncDispose]()).catch(() => undefined);
      await kept;
    },
  };
}
