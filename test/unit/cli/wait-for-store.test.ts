/** An operator starts while something that it needs is unavailable. */
import { expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { createOperatorProbes } from '#cli/operator/run-cluster.ts';
import { untilOpen } from '#cli/operator/run-cluster.ts';
import { virtualTime } from '../operator/virtual-time.ts';

function opening(failures: readonly ErrorCode[]) {
  const time = virtualTime();
  const probes = createOperatorProbes();
  const tries: number[] = [];
  const stop = new AbortController();
  const state = { outcome: 'Waiting' };
  const open = async () => {
    const code = failures[tries.length];
    tries.push(time.now());
    if (code !== undefined) throw new VarveError(code, 'It is unavailable.');
    return 'Open';
  };
  untilOpen('the store', open, {
    timers: time.timers(),
    log: SILENT_LOG,
    signal: stop.signal,
    onMissing: probes.missing,
  }).then(
    (answer) => (state.outcome = answer),
    (error: unknown) => (state.outcome = error instanceof VarveError ? error.code : String(error)),
  );
  return { time, probes, tries, stop, outcome: () => state.outcome };
}

test('a start during an outage waits with growing pauses, and /readyz reports it', async () => {
  const { time, probes, tries, outcome } = opening(
    Array.from({ length: 8 }, () => 'PROVIDER_ERROR' as const),
  );
  await time.pass(91_000);
  expect(tries).toEqual([0, 1_000, 3_000, 7_000, 15_000, 31_000, 61_000, 91_000]);
  expect(probes.source.healthz()).toEqual({ ok: true, findings: [] });
  expect(probes.source.readyz()).toEqual({
    ok: false,
    findings: ['the store does not answer (PROVIDER_ERROR)'],
  });
  await time.pass(30_000);
  expect(outcome()).toBe('Open');
});

test('an error that does not pass by itself ends the start at once', async () => {
  const { time, tries, outcome } = opening(['PROVIDER_ERROR', 'INVALID_INPUT']);
  await time.pass(60_000);
  expect([tries.length, outcome()]).toEqual([2, 'INVALID_INPUT']);
});

test('stopping during an outage ends the waiting', async () => {
  const { time, stop, outcome } = opening(['TIMEOUT', 'TIMEOUT', 'TIMEOUT']);
  await time.pass(1_500);
  stop.abort();
  await time.settle();
  expect(outcome()).toBe('CANCELLED');
});

test('once the operator runs, the probes answer for its parts', () => {
  const probes = createOperatorProbes();
  expect(probes.source.readyz().ok).toBe(false);
  probes.running({
    watches: () => [],
    queues: [],
    elector: { isLeaderKnown: () => true },
    loopLagMs: () => 11_000,
  });
  expect(probes.source.readyz()).toEqual({ ok: true, findings: [] });
  expect(probes.source.healthz()).toEqual({
    ok: false,
    findings: ['the event loop was blocked for 11 s'],
  });
});
