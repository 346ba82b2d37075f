/** The steps of an erasure in order, and when a process that waits for a run takes over. */
import { describe, expect, test } from 'vitest';

import {
  type EraseActivities,
  type ErasePassReport,
  eraseWorkflowId,
  IDLE_MS_MAX,
  isIdle,
  lastProgress,
  PASSES_MAX,
  restMs,
  runErasure,
} from '#core/erasure/erase-run.ts';

const INPUT = { tenant: 'acme', requestId: 'request' };
const FILES = { engine: 'sqlite', rewritten: true, remains: [] } as const;

/** Steps that find what the list says, and then nothing. */
function stepsThat(
  states: readonly ErasePassReport['state'][],
  files: typeof FILES | null = FILES,
) {
  const calls: string[] = [];
  const steps: EraseActivities = {
    erasePass: () => {
      calls.push('erasePass');
      return Promise.resolve({ state: states[calls.length - 1] ?? 'Nothing' });
    },
    rewriteErasedFiles: () => {
      calls.push('rewriteErasedFiles');
      return Promise.resolve({ files, eventId: 'event' });
    },
    commitReceipt: (receipt) => {
      expect(receipt).toEqual({ ...INPUT, files: FILES, eventId: 'event' });
      calls.push('commitReceipt');
      return Promise.resolve();
    },
  };
  return { steps, calls };
}

describe('an erasure', () => {
  test('passes until nothing is found, then rewrites files, then commits its receipt', async () => {
    const { steps, calls } = stepsThat(['Found', 'Found']);
    const phases: string[] = [];
    expect(await runErasure(steps, INPUT, (phase) => phases.push(phase))).toBe(true);
    const passes = ['erasePass', 'erasePass', 'erasePass'];
    expect(calls).toEqual([...passes, 'rewriteErasedFiles', 'commitReceipt']);
    expect(phases).toEqual(['Erasing', 'Rewriting', 'Done']);
  });

  test('does nothing more once it has its receipt', async () => {
    const gone = stepsThat(['Gone']);
    expect(await runErasure(gone.steps, INPUT)).toBe(true);
    expect(gone.calls).toEqual(['erasePass']);
    const late = stepsThat([], null);
    expect(await runErasure(late.steps, INPUT)).toBe(true);
    expect(late.calls).toEqual(['erasePass', 'rewriteErasedFiles']);
  });

  test('ends without a receipt if others keep writing what it erases', async () => {
    const { steps, calls } = stepsThat(Array.from({ length: PASSES_MAX }, () => 'Found' as const));
    expect(await runErasure(steps, INPUT)).toBe(false);
    expect(calls).toHaveLength(PASSES_MAX);
  });

  test('has one run at a time, whoever requests it', () => {
    expect(eraseWorkflowId(INPUT)).toBe('erase/request');
  });

  test('rests a minute at first and an hour at most', () => {
    expect([1, 2, 7, 5_000].map(restMs)).toEqual([60_000, 120_000, 3_600_000, 3_600_000]);
  });
});

describe('a caller that waits for a run', () => {
  const first = { at: 0, events: 2, isAtWork: false };
  const late = IDLE_MS_MAX + 1;

  test('takes over if the run does not progress', () => {
    const moved = lastProgress(first, { ...first, at: late });
    expect(isIdle(moved, IDLE_MS_MAX)).toBe(false);
    expect(isIdle(moved, late)).toBe(true);
  });

  test.each([
    { why: 'its history grows', look: { at: late, events: 3, isAtWork: false } },
    { why: 'a worker has an activity', look: { at: late, events: 2, isAtWork: true } },
  ])('keeps waiting while $why, and no longer', ({ look }) => {
    const moved = lastProgress(lastProgress(null, first), look);
    expect(isIdle(moved, late)).toBe(false);
    const after = lastProgress(moved, { ...look, at: 2 * late, isAtWork: false });
    expect(isIdle(after, 2 * late)).toBe(true);
  });
});
