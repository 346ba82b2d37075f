/** The tables of a store, and the transactions over them. */
import { VarveError } from '#core/errors.ts';

import { SHAPES, type Contents, type MemoryRow, type Rows } from './rows.ts';
import { stagedTable, type Replaced, type StagedTable, type Table } from './table.ts';

/** For tests: what they throw ends the call as the death of a process would. */
export interface Faults {
  /** Called before each change of a row, and before all of a call's changes become true. */
  readonly beforeWrite?: () => void;
  readonly afterCommit?: () => void;
}

export type Tables = { readonly [N in keyof Rows]: Table<Rows[N]> };

export interface Database {
  readonly tables: Tables;
  /** Runs `work` and answers a copy of what it answers. */
  read<T>(work: () => T): Promise<T>;
  /** Makes all changes of `work` true at once, or none where it throws. */
  write<T>(work: () => T): Promise<T>;
  close(): void;
}

/** `onMemories` is told of the memories that a commit changed. */
export function openDatabase(
  contents: Contents,
  faults: Faults,
  onMemories: (replaced: readonly Replaced<MemoryRow>[]) => void,
): Database {
  let isOpen = true;
  const beforeWrite = (): void => faults.beforeWrite?.();
  const tables = stagedTables(contents, beforeWrite);
  const all: readonly StagedTable<unknown>[] = Object.values(tables);
  const requireOpen = (): void => {
    if (!isOpen) throw new VarveError('CANCELLED', 'The store is closed. Open it again to use it.');
  };
  return {
    tables,
    read: async (work) => {
      requireOpen();
      return structuredClone(work());
    },
    write: async (work) => {
      requireOpen();
      try {
        const answer = structuredClone(work());
        beforeWrite();
        // Nothing below can fail, so that every change is made, or none.
        onMemories(tables.memories.commit());
        for (const table of all) table.commit();
        faults.afterCommit?.();
        return answer;
      } finally {
        for (const table of all) table.rollBack();
      }
    },
    close() {
      isOpen = false;
    },
  };
}

function stagedTables(
  contents: Contents,
  beforeWrite: () => void,
): { readonly [N in keyof Rows]: StagedTable<Rows[N]> } {
  const open = <N extends keyof Rows>(name: N): StagedTable<Rows[N]> =>
    stagedTable<Rows[N]>(contents[name], SHAPES[name], beforeWrite);
  return {
    memories: open('memories'),
    changes: open('changes'),
    turns: open('turns'),
    scopes: open('scopes'),
    summaries: open('summaries'),
    segments: open('segments'),
    variants: open('variants'),
    accounts: open('accounts'),
    ledger: open('ledger'),
    answers: open('answers'),
    policies: open('policies'),
    fences: open('fences'),
    modelProviders: open('modelProviders'),
    wakes: open('wakes'),
    events: open('events'),
    idempotency: open('idempotency'),
    embeddingStates: open('embeddingStates'),
    generations: open('generations'),
    calibrations: open('calibrations'),
    documents: open('documents'),
    subjects: open('subjects'),
    dreamSchedules: open('dreamSchedules'),
    proposals: open('proposals'),
  };
}
