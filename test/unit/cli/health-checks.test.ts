/** Probes must not stay green while something inside is dead. */
import { describe, expect, test } from 'vitest';
import {
  startHealthChecks,
  type HealthChecksOptions,
  type WatchedPart,
} from '#cli/probes/health-checks.ts';
import {
  aliveAnswer,
  modelsPart,
  partChecks,
  readyAnswer,
  ROUND_SILENCE_MS_MAX,
} from '#cli/probes/health-checks.ts';
import { VarveError } from '#core/errors.ts';
import { virtualTime } from '../operator/virtual-time.ts';

const FINE = { wasReached: true, problem: null, since: null } as const;
const STORE = { part: 'the store', need: 'Always', ...FINE } as const;
const TEMPORAL = { part: 'Temporal', need: 'Once', ...FINE } as const;
const DOWN = 'does not answer (TIMEOUT)';
const LOST = { problem: DOWN, since: -41_000 } as const;
const TOLD = `${DOWN}, for 42 s`;

describe('readiness and health answers', () => {
  test.each([
    ['everything answers', [STORE, TEMPORAL], true, []],
    ['the store is lost', [{ ...STORE, ...LOST }], false, [`the store: ${TOLD}`]],
    ['Temporal is lost', [STORE, { ...TEMPORAL, ...LOST }], true, [`Temporal: ${TOLD}`]],
    [
      'Temporal was never there',
      [STORE, { ...TEMPORAL, ...LOST, wasReached: false }],
      false,
      [`Temporal: ${TOLD}`],
    ],
  ] as const)('if %s, readiness is %j', (_, parts, ok, findings) => {
    expect(readyAnswer({ endedAt: 0, parts }, 1_000)).toEqual({ ok, findings });
    expect(aliveAnswer({ endedAt: 0, parts }, 1_000)).toEqual({ ok: true, findings: [] });
  });

  test('list the state of each part', () => {
    const state = { endedAt: 0, parts: [STORE, { ...TEMPORAL, ...LOST }] };
    expect(partChecks(state, 1_000)).toEqual([
      { name: 'store', ok: true, reason: null, seconds: null },
      { name: 'temporal', ok: false, reason: DOWN, seconds: 42 },
    ]);
  });

  test('report a stopped loop as neither alive nor ready', () => {
    const state = { endedAt: 0, parts: [STORE] };
    expect(aliveAnswer(state, ROUND_SILENCE_MS_MAX).ok).toBe(true);
    const late = ROUND_SILENCE_MS_MAX + 1_000;
    const findings = ['the parts were not checked for 31 s; restart it'];
    expect(aliveAnswer(state, late)).toEqual({ ok: false, findings });
    expect(readyAnswer(state, late)).toEqual({ ok: false, findings });
  });
});

test('an unavailable model is shown with its code, and the process stays ready', async () => {
  const check = { at: 0, state: 'Unavailable', code: 'FORBIDDEN', since: -41_000 } as const;
  const time = virtualTime();
  const store = {
    modelProviders: { list: () => Promise.resolve([{ check }]) },
    scopes: { dueTenants: () => Promise.resolve([]), due: () => Promise.resolve([]) },
  } as unknown as Parameters<typeof modelsPart>[0];
  const parts = [modelsPart(store, () => 1_000)];
  await using rounds = await startHealthChecks({ timers: time.timers(), parts });
  expect(rounds.readyz().ok).toBe(true);
  const reason = 'is unavailable (FORBIDDEN)';
  expect(rounds.checks?.()).toEqual([{ name: 'models', ok: false, reason, seconds: 42 }]);
});

describe('the health rounds', () => {
  const open = async (
    ask: WatchedPart['ask'],
    differing: Partial<HealthChecksOptions> & Partial<Pick<WatchedPart, 'need'>> = {},
  ) => {
    const time = virtualTime();
    const { need = 'Always', ...others } = differing;
    const part: WatchedPart = { part: 'the store', need, ask };
    const starting = startHealthChecks({ timers: time.timers(), parts: [part], ...others });
    // A part that never answers is abandoned within the first round.
    await time.pass(4_000);
    return { time, rounds: await starting };
  };

  test('report not ready while the store is down, and ready once it returns', async () => {
    const state = { isDown: false };
    const ask = () =>
      state.isDown
        ? Promise.reject(new VarveError('PROVIDER_ERROR', 'mongodb://secret'))
        : Promise.resolve();
    const { time, rounds } = await open(ask);
    await using _ = rounds;
    expect(rounds.readyz()).toEqual({ ok: true, findings: [] });
    state.isDown = true;
    await time.pass(5_000);
    expect(rounds.readyz()).toEqual({
      ok: false,
      findings: ['the store: does not answer (PROVIDER_ERROR), for 4 s'],
    });
    expect(rounds.healthz().ok).toBe(true);
    await time.pass(10_000);
    expect(rounds.readyz().findings).toEqual([
      'the store: does not answer (PROVIDER_ERROR), for 14 s',
    ]);
    state.isDown = false;
    await time.pass(5_000);
    expect(rounds.readyz().ok).toBe(true);
  });

  test('do not wait for a part that never answers', async () => {
    const { time, rounds } = await open(() => new Promise(() => undefined));
    await using _ = rounds;
    for (let round = 0; round < 10; round += 1) await time.pass(9_000);
    expect(rounds.healthz().ok).toBe(true);
    expect(rounds.readyz()).toMatchObject({ ok: false });
    expect(rounds.readyz().findings[0]).toMatch(/TIMEOUT\), for 9\d s$/u);
  });

  test('report a worker that stopped polling as dead at once', async () => {
    const state = { isAlive: true };
    const { rounds } = await open(() => Promise.resolve(), { isAlive: () => state.isAlive });
    await using _ = rounds;
    expect(rounds.healthz().ok).toBe(true);
    state.isAlive = false;
    expect(rounds.healthz().ok).toBe(false);
    expect(rounds.readyz().ok).toBe(false);
  });

  test('report a process that is about to end as not ready but alive', async () => {
    const { rounds } = await open(() => Promise.resolve());
    await using _ = rounds;
    rounds.leave();
    expect(rounds.readyz()).toEqual({ ok: false, findings: ['it is ending'] });
    expect(rounds.healthz().ok).toBe(true);
  });
});
