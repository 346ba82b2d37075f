/** What the changes made stale and due, and what the refresh made of it. */
import type { ScopeSummary } from '#api/summaries.ts';
import type { DemoChange } from './changes.ts';
import { scopeName } from './scopes.ts';
import { renderTable } from './table.ts';
import { count, dollars } from './text.ts';

export interface ChangeStages {
  readonly before: readonly ScopeSummary[];
  readonly changed: readonly ScopeSummary[];
  readonly after: readonly ScopeSummary[];
}

export function printChanges(changes: readonly DemoChange[], stages: ChangeStages): string {
  const done = changes.map(({ scope, what }) => `  ${scope}: ${what}`);
  const rows = stages.changed.map((changed, index) => {
    const before = stages.before[index];
    const after = stages.after[index];
    return [
      scopeName(changed),
      staleness(changed),
      due(changed),
      outcome(before, after),
      cost(before, after),
    ];
  });
  const head = ['scope', 'stale', 'due', 'refresh', 'read'];
  return `${done.join('\n')}\n\n${renderTable(head, rows)}`;
}

function staleness({ freshness }: ScopeSummary): string {
  return freshness.stale ? String(freshness.reason) : 'fresh';
}

/** A due mark in the future stands for age alone, unless something changed. */
function due({ freshness }: ScopeSummary): string {
  const { trigger, changes } = freshness;
  if (changes === 0) return '';
  if (trigger === 'Urgent') return 'at once, urgent';
  if (trigger === 'Changes') return `after ${count(changes, 'change')}`;
  return `not yet, ${count(changes, 'change')}`;
}

function outcome(before: ScopeSummary | undefined, after: ScopeSummary | undefined): string {
  if (after?.summary == null) return before?.summary == null ? 'no summary' : 'emptied';
  if (before?.summary?.id !== after.summary.id) return 'regenerated';
  if (before.summary.checkedAt !== after.summary.checkedAt) return 'skipped, equal sources';
  return after.freshness.stale ? 'waits, marked stale' : 'not touched';
}

function cost(before: ScopeSummary | undefined, after: ScopeSummary | undefined): string {
  const summary = after?.summary;
  if (summary == null || before?.summary?.id === summary.id) return '-';
  const price = summary.priceMicroDollars === 0 ? '' : `, ${dollars(summary.priceMicroDollars)}`;
  return `${count(summary.usage.inputTokens, 'token')}${price}`;
}
