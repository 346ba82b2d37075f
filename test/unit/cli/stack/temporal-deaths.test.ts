/** How often the embedded Temporal may crash before the installation gives up. */
import { expect, test } from 'vitest';
import { keptAlive, type Keeping, type StackTemporal } from '#cli/stack/start-stack.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { TemporalServer } from '#providers/temporal/server.ts';

const MINUTE_MS = 60_000;

/** A Temporal whose servers live so long each, and then for ever; `null` does not start. */
async function dying(
  livesMs: readonly (number | null)[],
): Promise<{ starts: number; isCrashLoop: boolean }> {
  const state = { now: 0, starts: 0 };
  const next = (): TemporalServer => {
    const lifeMs = livesMs[state.starts];
    state.starts += 1;
    return {
      address: '127.0.0.1:7233',
      namespace: 'default',
      uiUrl: null,
      ports: { grpc: 7233, ui: 8233 },
      get exited() {
        if (lifeMs == null) return new Promise<never>(() => undefined);
        state.now += lifeMs;
        return Promise.resolve({ code: null, signal: 'SIGKILL' });
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    } as unknown as TemporalServer;
  };
  const keeping: Keeping = {
    start: () => {
      if (livesMs[state.starts] !== null) return Promise.resolve(next());
      state.starts += 1;
      return Promise.reject(new Error('The port is taken.'));
    },
    options: {} as Keeping['options'],
    log: SILENT_LOG,
    isNew: false,
    timer: () => state.now,
    pause: () => Promise.resolve(),
  };
  const kept: StackTemporal = keptAlive(next(), keeping);
  const settled = new Promise((resolve) => setTimeout(resolve, 20));
  const isCrashLoop = await Promise.race([
    kept.failed.catch(() => true),
    settled.then(() => false),
  ]);
  return { starts: state.starts, isCrashLoop };
}

test('deaths more than a minute apart never end the installation', async () => {
  const lives = Array.from({ length: 20 }, () => MINUTE_MS + 5_000);
  expect(await dying(lives)).toEqual({ starts: 21, isCrashLoop: false });
});

test('five quick deaths in a row end the installation, and four do not', async () => {
  expect(await dying([100, 100, 100, 100])).toEqual({ starts: 5, isCrashLoop: false });
  expect(await dying([100, 100, 100, 100, 100])).toEqual({ starts: 5, isCrashLoop: true });
});

test('a minute of life resets the count of quick deaths', async () => {
  const lives = [100, 100, 100, 100, MINUTE_MS, 100, 100, 100, 100];
  expect(await dying(lives)).toEqual({ starts: 10, isCrashLoop: false });
});

test('a failed start is retried and counts as a quick death', async () => {
  expect(await dying([100, null, null])).toEqual({ starts: 4, isCrashLoop: false });
  expect(await dying([100, null, null, null, null])).toEqual({ starts: 5, isCrashLoop: true });
});
