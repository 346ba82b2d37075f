/** Summaries, one current generation per scope and audience. */
import type { EventRecord } from '../records/event.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Summary } from '../records/summary.ts';
import type { Scope } from '../scope.ts';

export interface SummaryCommit {
  /** The new generation; null where the scope is empty, or where the old one was equal. */
  readonly summary: Summary | null;
  /** The scope record to write, made by `applyCommit` from the record of version − 1. */
  readonly scope: ScopeRecord;
  /**
   * What became of the summary. A new general one ends the variants that were chosen from the one
   * before; an empty scope loses the summaries of all audiences, its segments and its variants.
   */
  readonly outcome: 'Generated' | 'Unchanged' | 'Emptied';
  readonly event: EventRecord;
}

export interface SummaryRecords {
  get(scope: Scope, audience: string): Promise<Summary | null>;
  list(tenant: string, limit: number): Promise<readonly Summary[]>;
  /**
   * Writes summary, lineage, scope and event in one step, if the scope is still at the version that
   * `scope.version` follows. False: another process wrote; read and decide again.
   */
  commit(commit: SummaryCommit): Promise<boolean>;
}
