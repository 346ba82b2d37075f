/** What a compaction did or would do, in words. */
import type { CompactionShown, CompactionStatusAnswer } from '#api/operations/conversation.ts';
import type { CompactionTotals } from '#core/ports/compactions.ts';
import { count } from './demo/text.ts';

type Said = Pick<CompactionShown, 'counts'> & {
  readonly state: CompactionShown['state'] | CompactionStatusAnswer['state'];
};

export function compactionText({ state, counts }: Said): string {
  if (counts === null) {
    const begun = state === 'Started' ? 'It has begun' : 'A run was at it already';
    const later = 'varve compact waits for it and says what went.';
    return `${begun}, and goes on without this command. ${later}`;
  }
  const isPreview = state === 'Preview';
  const lines = [turnsText(counts, isPreview), ...besidesText(counts)];
  return lines.join('\n');
}

function turnsText(counts: CompactionTotals, isPreview: boolean): string {
  const { turns, sessions, bytesFreed, quotes } = counts;
  if (turns === 0) return isPreview ? 'No turn would lose its text.' : 'No turn lost its text.';
  const which = `${count(turns, 'turn')} of ${count(sessions, 'session')}`;
  if (bytesFreed === 0) {
    const verb = isPreview ? 'would be compacted' : 'were compacted';
    const kept = `${count(quotes, 'quote')} of summaries say it all`;
    return `${which} ${verb} and no bytes freed: ${kept}.`;
  }
  const verb = isPreview ? 'would lose their text' : 'lost their text';
  const bytes = `${bytesFreed.toLocaleString('en-US')} bytes in all`;
  return `${which} ${verb}: ${bytes}; ${count(quotes, 'quote')} of summaries stay.`;
}

function besidesText({ waiting, unsummarized, answers }: CompactionTotals): readonly string[] {
  return [
    ...(unsummarized === 0 ? [] : [`${count(unsummarized, 'turn')} of them without a summary.`]),
    ...(answers === 0 ? [] : [`${count(answers, 'unfinished answer')} of models lost the text.`]),
    ...(waiting === 0
      ? []
      : [
          `${count(waiting, 'session')} with old turns that stay for now: no summary ` +
            'covers them, somebody is at work there, or they failed (the log says which).',
        ]),
  ];
}
