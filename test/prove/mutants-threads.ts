/** Mutants of how the threads end that search a file. */
import type { Mutant } from './mutant.ts';

export const THREAD_MUTANTS: readonly Mutant[] = [
  {
    id: 'MEM-01',
    file: 'providers/sqlite/search/search-worker.ts',
    find: 'port?.close();',
    replace: '',
    breaks: 'a thread that was told to end waits for calls until it is terminated',
  },
  {
    id: 'MEM-01',
    file: 'providers/sqlite/search/thread-end.ts',
    find: 'void worker.terminate();',
    replace: '',
    breaks: 'closing waits for ever for a thread that does not look up from its work',
  },
  {
    id: 'MEM-01',
    file: 'providers/sqlite/search/thread-end.ts',
    find: 'worker.postMessage(CLOSE, NOTHING_HANDED_OVER);',
    replace: 'void worker.terminate();',
    breaks: 'a thread is stopped between any two instructions, which can crash the process',
  },
  {
    id: 'MEM-01',
    file: 'providers/sqlite/connection.ts',
    find: '    beforeRow();\n',
    replace: '',
    breaks: 'a thread that is to end first reads its scope to the last row',
  },
  {
    id: 'MEM-01',
    file: 'providers/sqlite/search/memory-list.ts',
    find: '    beforeRow();\n',
    replace: '',
    breaks: 'a thread that is to end first filters every row of a list',
  },
  {
    id: 'MEM-26',
    file: 'providers/sqlite/search/worker-thread.ts',
    find: '    this.#thread = null;\n',
    replace: '',
    breaks: 'a thread that died is asked again, and never answers',
  },
];
