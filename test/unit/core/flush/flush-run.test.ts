import { describe, expect, test } from 'vitest';
import { flushWorkflowId, type FlushActivities } from '#core/flush/flush-contract.ts';
import { NOTHING_FLUSHED, runFlush } from '#core/flush/flush-run.ts';

const INPUT = { tenant: 'acme', flushId: 'f-1' };
const PORTION = { turns: 2, lines: 3, added: 4, superseded: 5, known: 6 };

/** Activities over portions by the ids of their flushes, which note what they were asked to do. */
function portions(ids: readonly string[], { model = '', away = false } = {}) {
  const calls: string[] = [];
  const note = (name: string, flushId: string) => calls.push(`${name} ${flushId}`);
  const activities: Omit<FlushActivities, 'startDueFlushes'> = {
    gatherFlush: ({ flushId }) => {
      note('gather', flushId);
      if (!ids.includes(flushId)) return Promise.resolve({ kind: 'Gone' });
      const by = model === '' ? {} : { model };
      return Promise.resolve({ kind: 'Ready', turns: PORTION.turns, ...by });
    },
    askFlush: ({ flushId, model: asked }) => {
      note(`ask ${asked} of`, flushId);
      if (away) return Promise.reject(new Error('The model is unavailable.'));
      return Promise.resolve({ kind: 'Answered', inputTokens: 1, outputTokens: 1 });
    },
    keepFlush: ({ flushId }) => {
      note('keep', flushId);
      const { added, superseded, known } = PORTION;
      return Promise.resolve({ added, superseded, known });
    },
    writeFlush: ({ flushId }) => {
      note('write', flushId);
      return Promise.resolve({ lines: PORTION.lines });
    },
    endFlush: ({ flushId }) => {
      note('end', flushId);
      return Promise.resolve({ next: ids[ids.indexOf(flushId) + 1] ?? null });
    },
  };
  return { activities, calls };
}

describe('a flush', () => {
  test('keeps, writes and ends each portion, and continues with newer turns', async () => {
    const { activities, calls } = portions(['f-1', 'f-2']);
    const reports: unknown[] = [];
    const totals = await runFlush(activities, INPUT, (sofar) => reports.push(sofar));
    const steps = (id: string) => ['gather', 'keep', 'write', 'end'].map((step) => `${step} ${id}`);
    expect(calls).toEqual([...steps('f-1'), ...steps('f-2')]);
    expect(totals).toEqual({ turns: 4, lines: 6, added: 8, superseded: 10, known: 12 });
    expect(reports).toEqual([PORTION, totals]);
  });

  test('does nothing if nothing waits under its id', async () => {
    const { activities, calls } = portions([]);
    expect(await runFlush(activities, INPUT)).toEqual(NOTHING_FLUSHED);
    expect(calls).toEqual(['gather f-1']);
  });

  test.each([false, true])(
    'asks the model before it keeps statements (model unavailable: %s)',
    async (away) => {
      const { activities, calls } = portions(['f-1'], { model: 'small', away });
      expect(await runFlush(activities, INPUT)).toEqual(PORTION);
      expect(calls.slice(0, 3)).toEqual(['gather f-1', 'ask small of f-1', 'keep f-1']);
    },
  );

  test('ends after 50 portions and leaves the rest to the next run', async () => {
    const ids = Array.from({ length: 60 }, (_, n) => `f-${String(n + 1)}`);
    const { activities, calls } = portions(ids);
    expect(await runFlush(activities, INPUT)).toMatchObject({ turns: 100 });
    expect(calls.at(-1)).toBe('end f-50');
  });

  test('has one run at a time, whoever requests it', () => {
    expect(flushWorkflowId(INPUT)).toBe('flush/f-1');
  });
});
