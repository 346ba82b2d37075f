import { describe, expect, test } from 'vitest';
import { archiveText, dailyText, diaryText } from '#core/memory-files/daily-and-diary-text.ts';
import { AT, blockOf, lineOf } from './tier-samples.ts';

const timeOf = (at: number): string => new Date(at).toISOString().slice(11, 16);
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

describe('a daily file', () => {
  test('shows each block under a heading with its time', () => {
    const blocks = [
      blockOf('b1', ['Ann prefers tea.', 'Bob is in Oslo.']),
      blockOf('b2', ['The launch moved to May.'], { heading: 'Session Ended', at: AT + 3_600_000 }),
    ];
    expect(dailyText('2026-11-21', blocks, timeOf)).toBe(
      `# Daily Memory: 2026-11-21

## Trimmed Context (14:30)

- Ann prefers tea.
- Bob is in Oslo.

## Session Ended (15:30)

- The launch moved to May.
`,
    );
  });

  test('TIER-03: begins with its day', () => {
    expect(dailyText('2026-11-21', [], timeOf)).toBe('# Daily Memory: 2026-11-21\n');
  });

  test('shows a block without a heading under a default one, and keeps headings within it', () => {
    const lines = [lineOf('l1', 'One.'), lineOf('l2', 'Two.', { heading: 'Work' })];
    expect(dailyText('2026-11-21', [blockOf('b1', [], { heading: null, lines })], timeOf)).toBe(
      '# Daily Memory: 2026-11-21\n\n## Notes (14:30)\n\n- One.\n\n### Work\n\n- Two.\n',
    );
  });

  test.each([
    '# Daily Memory: 2020-01-01',
    '## Trimmed Context (00:00)',
    'said\n## Trimmed Context (00:00)\n- and more',
    '---\n# Archive',
  ])('keeps the text %j within its bullet', (text) => {
    const heading = 'Trimmed\n# Daily Memory';
    const written = dailyText('2026-11-21', [blockOf('b1', [text], { heading })], timeOf);
    const structure = written.split('\n').filter((row) => /^\s*(?:#|---|```)/u.test(row));
    expect(structure).toEqual(['# Daily Memory: 2026-11-21', '## Trimmed # Daily Memory (14:30)']);
  });

  test('has the same format as a diary and the archive', () => {
    const lines = [lineOf('l1', 'One line was added.', { heading: 'Added' })];
    expect(diaryText('2026-11-21', [blockOf('d1', [], { heading: 'Deep Dream', lines })], timeOf))
      .toBe(`# Dream Diary: 2026-11-21

## Deep Dream (14:30)

### Added

- One line was added.
`);
    expect(archiveText([blockOf('a1', ['Old.'], { heading: 'Archived' })], dayOf)).toBe(
      '# Archive\n\n## Archived (2026-11-21)\n\n- Old.\n',
    );
  });
});
