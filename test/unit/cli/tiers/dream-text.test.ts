import { describe, expect, test } from 'vitest';
import type { DreamAnswer } from '#api/shown-dream.ts';
import { dreamRow, dreamText, outcomeText } from '#cli/tiers/dream-text.ts';
import { DreamOutcome } from '#core/records/dream-outcome.ts';
import { GuardFinding } from '#core/records/proposal.ts';

const ID = '01a2031c-7368-746f-8193-ccf22d574cd8';

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
  diary: ['Bob cooks now.'],
};

describe('what came of a dream', () => {
  test('DREAM-01: of what waits it says why, what comes and goes, and how to decide', () => {
    expect(outcomeText('Waiting', DREAM)).toBe(
      [
        '1 line added, 2 removed, 3 kept, 1 moved to the archive: it waits for a person, since ' +
          'its DeepDream asks for approval.',
        '  + Bob cooks.',
        '  - Ann likes tea.',
        '  - Bob is hungry.',
        '  > Ann was in Riga.',
        '1 line of the model left out, not supported by its sources',
        '  x NotInSources: Ann is rich.',
        `varve dream approve ${ID}`,
        `varve dream reject ${ID} --reason WHY`,
      ].join('\n'),
    );
  });

  test('DREAM-01: of what was written it says what came and went, and nothing to decide', () => {
    const written: DreamAnswer = { ...DREAM, state: 'Applied', findings: [], leftBlocks: 2 };
    const text = outcomeText('Dreamed', written);
    expect(text).toMatch(/^1 line added, 2 removed, 3 kept, 1 moved to the archive\.\n/u);
    expect(text).toContain("2 blocks had no room: the next dream's");
    expect(text).not.toMatch(/approve|waits/u);
  });

  const STAYING = DreamOutcome.options.filter((each) => !['Dreamed', 'Waiting'].includes(each));
  test.each(STAYING)('DREAM-05: of %s one sentence says why nothing was written', (outcome) => {
    const text = outcomeText(outcome, null);
    expect(text).toMatch(/^[A-Z].*\.$/u);
    expect(text).toContain('MEMORY.md');
  });

  test('DREAM-05: no two outcomes are told in the same words', () => {
    const texts = DreamOutcome.options.map((outcome) => outcomeText(outcome, DREAM));
    expect(new Set(texts).size).toBe(DreamOutcome.options.length);
  });
});

describe('a proposal', () => {
  test('API-01: it is shown whole: from what, by whom, what it changes, and its diary', () => {
    const text = dreamText(DREAM);
    expect(text).toMatch(new RegExp(`^${ID} {2}Waiting, since its DeepDream asks`, 'u'));
    expect(text).toContain('from version 2 of MEMORY.md; by the DeepDream nightly');
    expect(text).toContain('diary\n  Bob cooks now.');
    expect(text).toContain('varve dream approve');
  });

  test('API-01: one that is decided says by whom and why, and asks for nothing', () => {
    const decision = { at: 0, principal: 'local', reason: 'wrong' };
    const text = dreamText({ ...DREAM, state: 'Rejected', decision, baseVersion: 0 });
    expect(text).toContain('decided at 1970-01-01T00:00:00.000Z by local: wrong');
    expect(text).toContain('from no MEMORY.md');
    expect(text).not.toMatch(/since its DeepDream|dream approve/u);
  });

  test.each(GuardFinding.options)('API-01: %s is told in words', (finding) => {
    const text = dreamText({ ...DREAM, findings: [finding] });
    expect(text).toMatch(/since it[s ]/u);
    expect(text).not.toContain(finding);
  });

  test('API-01: in a list it is one row', () => {
    const brief = { ...DREAM, added: 1, removed: 2, archived: 0, dropped: 0 };
    const at = '1970-01-01T00:00:00.000Z';
    expect(dreamRow(brief)).toEqual([ID, 'user/ann', 'Waiting', at, '+1 -2']);
  });
});
