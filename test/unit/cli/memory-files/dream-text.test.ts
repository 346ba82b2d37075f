import { describe, expect, test } from 'vitest';
import type { DreamAnswer, DreamBrief, DreamStart, DreamStatusAnswer } from '#api/schemas/dream.ts';
import { waitingHint, schedulesText, watchDream } from '#cli/commands/dream.ts';
import { dreamRow, dreamText, outcomeText, waitingText } from '#cli/memory-files/dream-text.ts';
import { DreamOutcome } from '#core/records/dream-outcome.ts';
import { GuardFinding } from '#core/records/proposal.ts';

const ID = '01a2031c-7368-746f-8193-ccf22d574cd8';

const HERE = { tenant: 'default' };
const ACME = { tenant: 'acme', dataDir: 'my data' };

const line = (text: string) => ({ heading: null, text, sources: ['block-1'] });

const DREAM: DreamAnswer = {
  id: ID,
  subject: { kind: 'user', id: 'ann' },
  schedule: 'nightly',
  state: 'Waiting',
  findings: ['ApprovalRequired'],
  at: 0,
  baseVersion: 2,
  decision: null,
  model: 'extractive',
  day: '1970-01-01',
  difference: {
    added: [line('Bob cooks.')],
    removed: [line('Ann likes tea.')],
    replaced: [line('Bob is hungry.')],
    archived: [line('Ann was in Riga.')],
    dropped: [{ text: 'Ann is rich.', reason: 'NotInSources' }],
  },
  kept: 3,
  leftBlocks: 0,
  readLines: 9,
  diary: ['Bob cooks now.'],
};

describe('the outcome of a dream', () => {
  test('says why a proposal waits, what changes, and how to decide', () => {
    expect(outcomeText('Waiting', DREAM, ACME)).toBe(
      [
        '1 line added of 9 read, 2 removed, 3 kept, 1 moved to the archive: it waits for a ' +
          'person, since its DeepDream asks for approval.',
        '  + Bob cooks.',
        '  - Ann likes tea.',
        '  - Bob is hungry.',
        '  > Ann was in Riga.',
        '1 line left out:',
        '  x NotInSources: Ann is rich.',
        'Without a model, a dream keeps what fits, and only a few lines of a conversation; the ' +
          'rest stays in the daily files, and no later dream reads it.',
        `varve dream approve ${ID} --tenant acme --data-dir 'my data'`,
        `varve dream reject ${ID} --reason WHY --tenant acme --data-dir 'my data'`,
      ].join('\n'),
    );
  });

  test('says what an applied dream added and removed, without a decision', () => {
    const written: DreamAnswer = { ...DREAM, state: 'Applied', findings: [], leftBlocks: 2 };
    const text = outcomeText('Dreamed', written, HERE);
    expect(text).toMatch(/^1 line added of 9 read, 2 removed, 3 kept, 1 moved to the archive\.\n/u);
    expect(text).toContain('2 blocks did not fit; left for the next dream');
    expect(text).not.toMatch(/approve|waits/u);
  });

  test.each<[DreamAnswer['state'], string]>([
    ['Approved', 'it was approved, and is written as soon as a worker runs.'],
    ['Applied', 'it was approved, and is written.'],
    ['Rejected', 'it was rejected, and MEMORY.md stays as it is.'],
    ['Outdated', 'it is outdated, and MEMORY.md stays as it is.'],
  ])('asks for nothing if the proposal is %s by now', (state, said) => {
    const text = outcomeText('Waiting', { ...DREAM, state }, HERE);
    expect(text.split('\n')[0]).toMatch(
      new RegExp(`: ${said.replaceAll('.', String.raw`\.`)}$`, 'u'),
    );
    expect(text).not.toMatch(/dream approve|waits/u);
  });

  test('mentions the rest in the daily files only for the extractive model', () => {
    const said = (differing: Partial<DreamAnswer>) =>
      outcomeText('Dreamed', { ...DREAM, ...differing }, HERE);
    expect(said({})).toContain('the rest stays in the daily files');
    expect(said({ model: 'openai' })).not.toContain('the rest stays');
    expect(said({ readLines: 1 })).not.toContain('the rest stays');
  });

  test('says how much was read if MEMORY.md is unchanged', () => {
    const said = (model: string) => outcomeText('Unchanged', { ...DREAM, model }, HERE);
    expect(said('extractive')).toMatch(/^9 lines read, none added to MEMORY\.md: /u);
    expect(said('openai')).toMatch(
      /^MEMORY\.md already says everything that matters.* 9 lines read\.$/u,
    );
  });

  test('names the command that shows an earlier waiting proposal', () => {
    expect(waitingText(DREAM, ACME)).toBe(
      `A proposal waits for a person: varve dream show ${ID} --tenant acme --data-dir 'my data'`,
    );
  });

  const STAYING = DreamOutcome.options.filter((each) => !['Dreamed', 'Waiting'].includes(each));
  test.each(STAYING)('%s is explained in one sentence', (outcome) => {
    const text = outcomeText(outcome, null, HERE);
    expect(text).toMatch(/^[A-Z].*\.$/u);
    expect(text).toContain('MEMORY.md');
  });

  test('is worded differently for each outcome', () => {
    const texts = DreamOutcome.options.map((outcome) => outcomeText(outcome, DREAM, HERE));
    expect(new Set(texts).size).toBe(DreamOutcome.options.length);
  });
});

describe('a proposal', () => {
  test('is shown with its base version, schedule, changes and diary', () => {
    const text = dreamText(DREAM, HERE);
    expect(text).toMatch(new RegExp(`^${ID} {2}Waiting, since its DeepDream asks`, 'u'));
    expect(text).toContain('from version 2 of MEMORY.md; under the rules of nightly');
    expect(text).toContain('diary\n  Bob cooks now.');
    expect(text).toContain('varve dream approve');
  });

  test('has a diary without the lines that are shown above it', () => {
    const told = ['Bob cooks.', 'Ann likes tea.', 'Ann was in Riga.'];
    const left = 'Ann is rich. (its sources do not say it: NotInSources)';
    const text = dreamText({ ...DREAM, diary: [...told, left, 'Bob learned it.'] }, HERE);
    expect(text.split('diary\n')[1]?.split('\n')[0]).toBe('  Bob learned it.');
    expect(text).not.toContain('its sources do not say it');
  });

  test('shows control and bidirectional characters as visible signs', () => {
    const hostile = 'Ann\u001B[2K pays \u202Eeve\u0007.';
    const seen = 'Ann␛[2K pays <U+202E>eve␇.';
    const added = { ...DREAM.difference, added: [line(hostile)] };
    const decision = { at: 0, principal: 'local', reason: hostile };
    const text = dreamText({ ...DREAM, difference: added, diary: [`${hostile}!`], decision }, HERE);
    expect(text.split(seen)).toHaveLength(4);
    expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
  });

  test('shows who decided and why, and asks for nothing', () => {
    const decision = { at: 0, principal: 'local', reason: 'wrong' };
    const text = dreamText({ ...DREAM, state: 'Rejected', decision, baseVersion: 0 }, HERE);
    expect(text).toContain('decided at 1970-01-01T00:00:00.000Z by local: wrong');
    expect(text).toContain('from no MEMORY.md');
    expect(text).not.toMatch(/since its DeepDream|dream approve/u);
  });

  test.each(GuardFinding.options)('explains the finding %s in words', (finding) => {
    const text = dreamText({ ...DREAM, findings: [finding] }, HERE);
    expect(text).toMatch(/since it[s ]/u);
    expect(text).not.toContain(finding);
  });

  test('is one row of a list', () => {
    const brief = { ...DREAM, added: 1, removed: 2, archived: 0, dropped: 0 };
    const at = '1970-01-01T00:00:00.000Z';
    expect(dreamRow(brief)).toEqual([ID, 'user/ann', 'Waiting', at, '+1 -2', '9']);
  });
});

const SUBJECT = { kind: 'user', id: 'ann' } as const;
const WAITING: DreamBrief = {
  id: 'd1',
  subject: SUBJECT,
  schedule: null,
  state: 'Waiting',
  findings: ['ApprovalRequired'],
  at: 0,
  baseVersion: 0,
  added: 1,
  removed: 0,
  archived: 0,
  dropped: 0,
  readLines: 1,
  decision: null,
};

/** What the hint says where these wait, and what it asked for. */
async function hinted(timers: readonly DreamBrief[], but: string | undefined) {
  const asked: unknown[] = [];
  const list = async (input: unknown) => {
    asked.push(input);
    return { dreams: [...timers], nextBefore: null };
  };
  const hint = await waitingHint({ list }, { place: { tenant: 'acme' }, subject: SUBJECT, but });
  return { hint, asked };
}

test('a hint says that a proposal of the subject waits, with the command', async () => {
  const { hint, asked } = await hinted([WAITING], undefined);
  expect(hint).toEqual(['A proposal waits for a person: varve dream show d1 --tenant acme']);
  expect(asked).toEqual([{ tenant: 'acme', subject: SUBJECT, state: 'Waiting', limit: 1 }]);
});

test('there is no hint if nothing waits or the proposal is already shown', async () => {
  expect((await hinted([WAITING], 'd1')).hint).toEqual([]);
  expect((await hinted([], undefined)).hint).toEqual([]);
});

const AT = Date.parse('2026-11-21T02:00:00Z');
const SCHEDULE = {
  name: 'nightly-of-everybody-who-works-at-the-office-in-oslo',
  cron: '0 3 * * *',
  timeZone: 'America/Argentina/ComodRivadavia',
  nextAt: AT + 86_400_000,
};

test('the schedules of DeepDreams show full times and the outcomes in words', () => {
  const last = { at: AT, started: 7, outcomes: { Dreamed: 5, Waiting: 2 }, endedAt: AT + 9 };
  const text = schedulesText([{ ...SCHEDULE, last }]);
  expect(text).toContain(SCHEDULE.name);
  expect(text).toMatch(
    /2026-11-22T02:00Z +2026-11-21T02:00Z +5 written, 2 waiting for a person$/mu,
  );
});

test.each([
  [{ at: AT, started: 3, outcomes: {}, endedAt: null }, /3 dreams started$/mu],
  [{ at: AT, started: 0, outcomes: {}, endedAt: AT }, /none was due$/mu],
  [null, / never$/mu],
])('a last run of %j matches %j', (last, said) => {
  expect(schedulesText([{ ...SCHEDULE, last }])).toMatch(said);
});

test('without schedules, the text says how to run a dream', () => {
  expect(schedulesText([])).toMatch(/varve dream run/u);
});

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

test('the command waits for the dream that it started, not for another one', async () => {
  const { options } = watched(
    [ended('old', 'Dreamed'), ended('old', 'Dreamed'), ended('new', 'Unchanged')],
    { dreamId: 'new', state: 'Started' },
  );
  expect(await watchDream(options)).toEqual({ at: 1, dreamId: 'new', outcome: 'Unchanged' });
});

test('if a dream is running already, the command waits for the next end', async () => {
  const old = ended('old', 'Dreamed');
  const { options } = watched([old, old, ended('other', 'Dreamed')], {
    dreamId: null,
    state: 'Running',
  });
  expect(await watchDream(options)).toMatchObject({ dreamId: 'other' });
});

test('stopping the command stops the waiting but not the dream', async () => {
  const { options, controller } = watched([ended('old', 'Dreamed')], {
    dreamId: 'new',
    state: 'Started',
  });
  const end = watchDream(options);
  controller.abort();
  expect(await end).toBeNull();
});
