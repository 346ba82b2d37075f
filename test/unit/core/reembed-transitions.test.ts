/** Changing the embedding model of one tenant: every decision over its state. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addTotals } from '#core/add-totals.ts';
import {
  NO_REEMBED_TOTALS,
  reembedWorkflowId,
  type ReembedTotals,
} from '#core/embedding/reembed-contract.ts';
import {
  beginReembed,
  dropAt,
  finishReembed,
  firstEmbeddingState,
  generationsOf,
  goalOf,
  isReady,
  pauseReembed,
  resumeReembed,
  rollBackReembed,
  stepAfterFilling,
  type Change,
} from '#core/embedding/reembed-transitions.ts';
import type { EmbeddingState } from '#core/records/embedding-state.ts';

const T0 = 1_000_000;
const SETTLE = 60_000;
const KEEP = 3_600_000;

const STEADY = firstEmbeddingState('acme', 'old', T0);
const FILLING: EmbeddingState = {
  ...STEADY,
  target: 'new',
  phase: 'Filling',
  keepOldMs: KEEP,
  startedAt: T0,
  version: 2,
};
const PAUSED: EmbeddingState = { ...FILLING, phase: 'Paused' };
const CUT: EmbeddingState = {
  ...FILLING,
  active: 'new',
  target: null,
  phase: 'Dropping',
  dropping: 'old',
};
const KEPT: EmbeddingState = { ...CUT, startedAt: null };
const BACK: EmbeddingState = {
  ...STEADY,
  phase: 'Dropping',
  dropping: 'new',
  startedAt: null,
  version: 3,
};
const REVERSED: EmbeddingState = {
  ...STEADY,
  active: 'new',
  target: 'old',
  phase: 'Filling',
  startedAt: T0,
};
const COMPLETING: EmbeddingState = { ...STEADY, phase: 'Dropping', startedAt: T0 };

/** What a change made of the state, or why it made nothing. */
function told(change: Change): unknown {
  if (change.kind === 'Nothing') return change.reason;
  const { active, target, phase, dropping, keepOldMs } = change.state;
  return { active, target, phase, dropping, keepOldMs };
}

describe('what an operator may request', () => {
  const toNew = { generation: 'new', keepOldMs: KEEP, now: T0 + 1 };
  const filling = {
    active: 'old',
    target: 'new',
    phase: 'Filling',
    dropping: null,
    keepOldMs: KEEP,
  };

  it.each<[string, EmbeddingState, unknown]>([
    ['a tenant with another model', STEADY, filling],
    ['a tenant that is being filled', FILLING, 'AlreadyUnderWay'],
    ['a tenant that is paused', PAUSED, 'AlreadyUnderWay'],
    ['a tenant that keeps its old vectors', CUT, 'AlreadyUnderWay'],
    ['a tenant that was rolled back and is being cleaned up', BACK, filling],
    ['a tenant that goes back after its cut-over', REVERSED, 'OtherUnderWay'],
    ['a tenant that changes to a third model', { ...FILLING, target: 'third' }, 'OtherUnderWay'],
    ['a tenant that still drops a third model', { ...CUT, active: 'third' }, 'OtherUnderWay'],
  ])('REEMBED-1: begin on %s', (_, state, expected) => {
    expect(told(beginReembed(state, toNew))).toEqual(expected);
  });

  it('REEMBED-1: begin on a tenant that has the model fills in missing vectors', () => {
    expect(told(beginReembed(STEADY, { ...toNew, generation: 'old' }))).toEqual({
      active: 'old',
      target: null,
      phase: 'Dropping',
      dropping: null,
      keepOldMs: 0,
    });
  });

  it.each<[string, Change, unknown]>([
    ['pause while filling', pauseReembed(FILLING, T0), { ...filling, phase: 'Paused' }],
    ['pause while paused', pauseReembed(PAUSED, T0), 'NoChange'],
    ['pause after the cut-over', pauseReembed(CUT, T0), 'NoChange'],
    ['resume while paused', resumeReembed(PAUSED, T0), filling],
    ['resume while filling', resumeReembed(FILLING, T0), 'NoChange'],
    ['resume while steady', resumeReembed(STEADY, T0), 'NoChange'],
  ])('REEMBED-2: %s', (_, change, expected) => {
    expect(told(change)).toEqual(expected);
  });

  const back = { active: 'old', target: null, phase: 'Dropping', dropping: 'new', keepOldMs: 0 };
  const reversed = { active: 'new', target: 'old', phase: 'Filling', dropping: null, keepOldMs: 0 };
  it.each<[string, EmbeddingState, unknown]>([
    ['while filling', FILLING, back],
    ['while paused', PAUSED, back],
    ['right after the cut-over', CUT, reversed],
    ['while the old vectors are kept', KEPT, reversed],
    ['twice before the cut-over', BACK, 'NoChange'],
    ['twice after the cut-over', REVERSED, 'NoChange'],
    ['after completion', { ...STEADY, active: 'new' }, 'NoChange'],
    ['after finish', { ...KEPT, keepOldMs: 0 }, 'NoChange'],
    [
      'of a tenant that only fills in missing vectors',
      { ...COMPLETING, active: 'new' },
      'NoChange',
    ],
  ])('REEMBED-3: roll back %s', (_, state, expected) => {
    expect(told(rollBackReembed(state, 'new', T0 + 1))).toEqual(expected);
  });

  it('REEMBED-4: finish drops the kept vectors at once, or keeps none before the cut-over', () => {
    const finished = finishReembed(KEPT, T0 + 5);
    expect(finished.kind === 'Put' && dropAt(finished.state)).toBe(T0 + 5);
    expect(told(finishReembed(FILLING, T0 + 5))).toMatchObject({ phase: 'Filling', keepOldMs: 0 });
    expect(told(finishReembed({ ...KEPT, keepOldMs: 0 }, T0))).toBe('NoChange');
    expect(told(finishReembed(STEADY, T0))).toBe('NoChange');
  });
});

describe('a run', () => {
  it.each<[string, EmbeddingState, unknown]>([
    ['steady', STEADY, null],
    ['filling', FILLING, { generation: 'new', own: false }],
    ['paused', PAUSED, null],
    ['cut over', CUT, { generation: 'new', own: true }],
    ['rolled back', BACK, { generation: 'old', own: true }],
    ['going back', REVERSED, { generation: 'old', own: false }],
  ])('REEMBED-5: fills the generation that searches will use: %s', (_, state, expected) => {
    expect(goalOf(state)).toEqual(expected);
  });

  it.each<[string, EmbeddingState, number, boolean]>([
    ['steady', STEADY, T0, false],
    ['filling', FILLING, T0, true],
    ['paused', PAUSED, T0, false],
    ['cut over but not complete', CUT, T0, true],
    ['complete, with old vectors kept', KEPT, T0 + KEEP - 1, false],
    ['complete, with old vectors kept long enough', KEPT, T0 + KEEP, true],
    ['rolled back', BACK, T0, true],
  ])('REEMBED-5: is ready for a tenant that needs work: %s', (_, state, now, expected) => {
    expect(isReady(state, now)).toBe(expected);
  });

  it('REEMBED-6: cuts over only after a count made once every writer embeds with both', () => {
    const settleMs = SETTLE;
    const early = stepAfterFilling(FILLING, { countedAt: T0 + SETTLE - 1, settleMs });
    expect(early).toEqual({ kind: 'Wait', ms: 1 });
    const step = stepAfterFilling(FILLING, { countedAt: T0 + SETTLE, settleMs });
    const cut = { ...CUT, startedAt: T0 + SETTLE, updatedAt: T0 + SETTLE, version: 3 };
    expect(step).toEqual({ kind: 'CutOver', state: cut });
  });

  const settled = { phase: 'Steady', target: null, dropping: null, startedAt: null };
  it.each<[string, EmbeddingState, number, unknown]>([
    ['waits for late writers', CUT, T0 + SETTLE - 1, { kind: 'Wait', ms: 1 }],
    [
      'keeps the old vectors',
      CUT,
      T0 + SETTLE,
      { kind: 'Keep', state: { startedAt: null, keepOldMs: KEEP - SETTLE, dropping: 'old' } },
    ],
    [
      'drops them after that time',
      KEPT,
      T0 + KEEP,
      { kind: 'Drop', generation: 'old', settled: { ...settled, active: 'new' } },
    ],
    [
      'drops them at once if none are to be kept',
      { ...CUT, keepOldMs: 0 },
      T0 + SETTLE,
      { kind: 'Drop', generation: 'old' },
    ],
    [
      'drops the new vectors after a rollback',
      BACK,
      T0 + SETTLE,
      { kind: 'Drop', generation: 'new', settled: { ...settled, active: 'old' } },
    ],
    ['ends if there is nothing to drop', COMPLETING, T0, { kind: 'Settle', state: settled }],
    ['rests', STEADY, T0, { kind: 'Rest' }],
    ['rests while paused', PAUSED, T0 + SETTLE, { kind: 'Rest' }],
  ])('REEMBED-7: after the cut-over it %s', (_, state, countedAt, expected) => {
    expect(stepAfterFilling(state, { countedAt, settleMs: SETTLE })).toMatchObject(
      expected as object,
    );
  });
});

describe('any order of requests and steps', () => {
  type Act = (state: EmbeddingState, now: number) => EmbeddingState;
  const changing =
    (change: (state: EmbeddingState, now: number) => Change): Act =>
    (state, now) => {
      const made = change(state, now);
      return made.kind === 'Put' ? made.state : state;
    };
  /** Everything is filled at once; what is left is the order of steps. */
  const step: Act = (state, countedAt) => {
    if (goalOf(state) === null || !isReady(state, countedAt)) return state;
    const made = stepAfterFilling(state, { countedAt, settleMs: SETTLE });
    if (made.kind === 'Drop') return made.settled;
    return made.kind === 'Rest' || made.kind === 'Wait' ? state : made.state;
  };
  const acts: Readonly<Record<string, Act>> = {
    begin: changing((state, now) =>
      beginReembed(state, { generation: 'new', keepOldMs: KEEP, now }),
    ),
    pause: changing(pauseReembed),
    resume: changing(resumeReembed),
    rollBack: changing((state, now) => rollBackReembed(state, 'new', now)),
    finish: changing(finishReembed),
    step,
  };
  const order = fc.array(
    fc.tuple(fc.constantFrom(...Object.keys(acts)), fc.integer({ min: 1, max: 2 * KEEP })),
    { maxLength: 40 },
  );

  it('REEMBED-8: versions rise by one, and the generation in use is never dropped', () => {
    fc.assert(
      fc.property(order, (said) => {
        let state = STEADY;
        let now = T0;
        for (const [name, later] of said) {
          now += later;
          const next = acts[name]?.(state, now) ?? state;
          if (next !== state) expect(next.version).toBe(state.version + 1);
          // A generation is relied on that was relied on before, or was being filled.
          expect(generationsOf(state)).toContain(next.active);
          if (next.active !== state.active) expect(next.active).toBe(state.target);
          expect([next.active, next.target]).not.toContain(next.dropping ?? 'nothing');
          state = next;
        }
      }),
    );
  });

  it('REEMBED-8: every state ends as steady without further requests', () => {
    fc.assert(
      fc.property(order, (said) => {
        let state = STEADY;
        let now = T0;
        for (const [name, later] of said) {
          now += later;
          state = acts[name]?.(state, now) ?? state;
        }
        state = acts['resume']?.(state, now) ?? state;
        for (let steps = 0; steps < 6 && state.phase !== 'Steady'; steps += 1) {
          now += 2 * KEEP;
          state = step(state, now);
        }
        expect(state).toMatchObject({ phase: 'Steady', target: null, dropping: null });
      }),
    );
  });
});

describe('a run that changes the generation', () => {
  it('adds up its turns, and keeps a count that a turn leaves out', () => {
    const turns = [
      { turns: 1, embedded: 3, cached: 2, tokens: 50, refused: 1 },
      { turns: 1, embedded: 4, tokens: 60, cutOver: 1 },
      { turns: 1, dropped: 5 },
    ];
    expect(turns.reduce<ReembedTotals>(addTotals, NO_REEMBED_TOTALS)).toEqual({
      turns: 3,
      embedded: 7,
      cached: 2,
      tokens: 110,
      refused: 1,
      cutOver: 1,
      dropped: 5,
    });
    expect(NO_REEMBED_TOTALS.embedded).toBe(0);
  });

  it('has a separate name for each generation', () => {
    expect(reembedWorkflowId('new')).not.toBe(reembedWorkflowId('old'));
  });
});
