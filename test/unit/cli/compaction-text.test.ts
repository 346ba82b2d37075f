/** The output of `varve compact`. */
import { describe, expect, test } from 'vitest';
import type { CompactionShown } from '#api/schemas/conversation.ts';
import { compactionText } from '#cli/commands/compact.ts';
import type { CompactionTotals } from '#core/ports/compactions.ts';
import { NO_COMPACTION } from '#core/retention/retention-contract.ts';

function shown(state: CompactionShown['state'], counts: Partial<CompactionTotals>) {
  return compactionText({ state, counts: { ...NO_COMPACTION, ...counts } });
}

describe('varve compact', () => {
  test.each([
    ['Started', 'It has begun, '],
    ['UnderWay', 'A run was already under way, '],
  ] as const)('says that a run that is %s continues without the command', (state, text) => {
    const end =
      'and continues without this command. varve compact waits for it and reports what it removed.';
    expect(compactionText({ state, counts: null })).toBe(text + end);
  });

  test.each([
    ['Done', {}, 'No turn lost its text.'],
    ['Preview', {}, 'No turn would lose its text.'],
    [
      'Done',
      { turns: 90, sessions: 1, quotes: 90 },
      '90 turns of 1 session were compacted, but no bytes freed: ' +
        '90 quotes of summaries cover all of the text.',
    ],
    [
      'Preview',
      { turns: 1, sessions: 1, quotes: 2, bytesFreed: 1_000, unsummarized: 1 },
      '1 turn of 1 session would lose their text: 1,000 bytes in all. Contexts and searches ' +
        'would no longer find them; 2 quotes of summaries stay.\n1 turn of them without a summary.',
    ],
    [
      'Done',
      { answers: 2, waiting: 3 },
      'No turn lost its text.\n2 unfinished answers of models lost the text.\n' +
        '3 sessions with old turns that stay for now: no summary covers them or no flush made ' +
        'memories of them, another process is working there, or they failed (see the log).',
    ],
  ] as const)('says what the state %s with counts %j means', (state, counts, text) => {
    expect(shown(state, counts)).toBe(text);
  });
});
