import { expect, test } from 'vitest';
import type { DreamStart, DreamStatusAnswer } from '#api/operations/dream.ts';
import { watchDream } from '#cli/commands/dream.ts';
import type { DreamOutcome } from '#core/records/dream-outcome.ts';

const SUBJECT = { kind: 'user', id: 'ann' } as const;
const ended = (dreamId: string, outcome: DreamOutcome): DreamStatusAnswer => ({
  hasNew: false,
  last: { at: 1, dreamId, outcome },
  proposal: null,
  subject: SUBJECT,
  subjectId: 'subject-1',
});

/** What is asked for again and again; the last answer stays. */
function watched(
  [before, ...later]: readonly [DreamStatusAnswer, ...DreamStatusAnswer[]],
  started: DreamStart,
) {
  const answers = [...later];
  const controller = new AbortController();
  const status = async () => answers.shift() ?? before;
  const options = { tenant: 'acme', subject: SUBJECT, before, started };
  return { controller, options: { ...options, dream: { status }, signal: controller.signal } };
}

test('the end of the dream that was started is waited for, not that of another', async () => {
  const { options } = watched(
    [ended('old', 'Dreamed'), ended('old', 'Dreamed'), ended('new', 'Unchanged')],
    { dreamId: 'new', state: 'Started' },
  );
  expect(await watchDream(options)).toEqual({ at: 1, dreamId: 'new', outcome: 'Unchanged' });
});

test('of a dream that was under way already, the next end is its own', async () => {
  const old = ended('old', 'Dreamed');
  const { options } = watched([old, old, ended('other', 'Dreamed')], {
    dreamId: null,
    state: 'Running',
  });
  expect(await watchDream(options)).toMatchObject({ dreamId: 'other' });
});

test('who ends the command ends the waiting, and no dream', async () => {
  const { options, controller } = watched([ended('old', 'Dreamed')], {
    dreamId: 'new',
    state: 'Started',
  });
  const end = watchDream(options);
  controller.abort();
  expect(await end).toBeNull();
});
