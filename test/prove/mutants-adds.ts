/** Mutants of the way of an add, of deleting under a key, and of how vectors are compared. */
import type { Mutant } from './mutant.ts';

export const ADD_MUTANTS: readonly Mutant[] = [
  {
    id: 'MEM-20',
    file: 'memory/current-passages.ts',
    find: 'if (isSame(generations, now)) return passages;',
    replace: 'if (now !== null) return passages;',
    breaks: 'a write that outlasts the start of a change of model has the old vectors alone',
  },
  {
    id: 'API-03',
    file: 'memory/delete.ts',
    find: '.filter((memory) => mayTouch(memory))',
    replace: '',
    breaks: "a bound principal deletes another's memory",
  },
  {
    id: 'MEM-04',
    file: 'providers/sqlite/search/wasm-kernel.ts',
    find: 'add(ROW, SUMS * FLOAT_BYTES)',
    replace: 'add(ROW, FLOAT_BYTES)',
    breaks: 'vectors are compared by the wrong numbers',
  },
  {
    id: 'MEM-04',
    file: 'providers/sqlite/search/touch-log.ts',
    find: 'first <= after + 1',
    replace: 'first <= after + 1_000_000',
    breaks: 'an index that is behind what is remembered is taken as up to date',
  },
  {
    id: 'TOK-06',
    file: 'providers/tokenizers/piece-counts.ts',
    find: 'tokens += known;',
    replace: 'tokens += 1;',
    breaks: 'a piece that was seen before counts as one token',
  },
];
