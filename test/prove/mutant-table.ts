/**
 * Behaviour broken on purpose, one change each: whoever removes what a requirement asks for must
 * see a test of that requirement fail. `npm run prove -- mutants` tries them all.
 */

export interface Mutant {
  /** The requirement whose tests must notice. */
  readonly id: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** What the change breaks, for the line that is printed. */
  readonly breaks: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    id: 'SUM-02',
    file: 'providers/sqlite/summaries.ts',
    find: 'tables.summaries.put(summary);',
    replace: "tables.summaries.put({ ...summary, sourceHash: '' });",
    breaks: 'a summary loses its source hash',
  },
  {
    id: 'SUM-04',
    file: 'core/scope-change.ts',
    find: 'committed.generated ? now : record.generatedAt',
    replace: 'now',
    breaks: 'a check without a change counts as a generation',
  },
  {
    id: 'SUM-05',
    file: 'core/due.ts',
    find: 'record.changes >= policy.layer.updateOnChanges',
    replace: 'record.changes > policy.layer.updateOnChanges',
    breaks: 'the threshold of changes is one too high',
  },
  {
    id: 'SUM-07',
    file: 'providers/sqlite/summaries.ts',
    find: 'summaries.find(tenant, layer, scopeId, audience)',
    replace: "summaries.find(tenant, layer, scopeId, '')",
    breaks: 'every audience gets the general summary',
  },
  {
    id: 'SUM-15',
    file: 'core/budget.ts',
    find: 'spent + reserved[measure] + requested[measure] <= limit',
    replace: 'spent + requested[measure] <= limit',
    breaks: 'what is reserved does not count against the limit',
  },
  {
    id: 'SUM-15',
    file: 'core/budget.ts',
    find: 'const spent = used ?? entry.amount;',
    replace: 'const spent = entry.amount;',
    breaks: 'settling spends the whole reserve',
  },
  {
    id: 'SUM-16',
    file: 'core/plan-batches.ts',
    find: 'if (room !== undefined) {',
    replace: 'if (room !== undefined && batchKey(scope, model) === "") {',
    breaks: 'no two scopes share a model call',
  },
  {
    id: 'SUM-19',
    file: 'providers/sqlite/memory-change.ts',
    find: '[sourceLane(digest, before), sourceLane(digest, after)]',
    replace: '[sourceLane(digest, after)]',
    breaks: 'changed content leaves its old hash behind',
  },
  {
    id: 'SUM-20',
    file: 'core/scope-change.ts',
    find: 'change.dropped.length > 0 ? urgentMark(record, now) : record.urgentAt',
    replace: 'record.urgentAt',
    breaks: 'a deleted source is not urgent',
  },
  {
    id: 'MEM-02',
    file: 'providers/sqlite/memories.ts',
    find: 'writeVector(tables.connection, stored, vector);',
    replace: '',
    breaks: 'an added memory has no vector',
  },
  {
    id: 'MEM-07',
    file: 'providers/sqlite/memories.ts',
    find: 'return stored === null ? null : withVector(tables, stored);',
    replace: 'return withVector(tables, stored as StoredMemory);',
    breaks: 'an unknown id is an error',
  },
  {
    id: 'MEM-08',
    file: 'providers/sqlite/memories.ts',
    find: 'writeVector(tables.connection, after, patch.content.vector);',
    replace: '',
    breaks: 'changed content has no new vector',
  },
  {
    id: 'MEM-09',
    file: 'providers/sqlite/memories.ts',
    find: 'Object.entries({ ...before, ...patch })',
    replace: 'Object.entries(patch)',
    breaks: 'new metadata replaces the old',
  },
  {
    id: 'MEM-10',
    file: 'providers/sqlite/memories.ts',
    find: "'MEMORY_NOT_FOUND', 'There is no such memory.'",
    replace: "'NOT_FOUND', 'There is no such memory.'",
    breaks: 'an update of an unknown id has another code',
  },
  {
    id: 'MEM-11',
    file: 'providers/sqlite/memories.ts',
    find: 'if (stored === null) return null;',
    replace: "if (stored === null) throw new VarveError('MEMORY_NOT_FOUND', 'There is none.');",
    breaks: 'deleting an unknown id is an error',
  },
  {
    id: 'TOK-06',
    file: 'providers/tokenizers/gpt-tokenizer.ts',
    find: '{ disallowedSpecial: new Set<string>() }',
    replace: '{}',
    breaks: 'text like a special token is refused',
  },
  {
    id: 'TOK-07',
    file: 'providers/tokenizers/token-counter.ts',
    find: 'codePoints -= 1;',
    replace: 'codePoints -= 0;',
    breaks: 'a character outside the basic plane counts twice',
  },
  {
    id: 'TMP-02',
    file: 'providers/sqlite/answers.ts',
    find: 'ORDER BY text IS NULL, at DESC',
    replace: 'ORDER BY at DESC',
    breaks: 'a paid answer that still has its text is not found',
  },
  {
    id: 'TMP-02',
    file: 'providers/sqlite/accounts.ts',
    find: "if (known?.state === 'Reserved') return { kind: 'Reserved' };",
    replace: '',
    breaks: 'a repeated attempt does not find its reservation',
  },
  {
    id: 'TMP-05',
    file: 'providers/sqlite/scopes.ts',
    find: 'ORDER BY since, tenant LIMIT ?',
    replace: 'ORDER BY since DESC, tenant LIMIT ?',
    breaks: 'who waits longest comes last',
  },
  {
    id: 'K8S-01',
    file: 'crds/memory-tenant.ts',
    find: "}).default('Reject'),",
    replace: "}).default('ServeStale'),",
    breaks: 'a budget that is used up is refused by default no more',
  },
  {
    id: 'K8S-02',
    file: 'operator/plan.ts',
    find: "if (record?.hash === hash) return { kind: 'Keep', tenant, policy, hash };",
    replace: '',
    breaks: 'an equal policy is applied again',
  },
  {
    id: 'K8S-04',
    file: 'providers/sqlite/policies.ts',
    find: "if (before?.hash === hash) return { kind: 'Unchanged', record: before };",
    replace: '',
    breaks: 'the same policy is written again',
  },
];

/** Named by a test and without a mutant yet. Kept short: a name here is work that is owed. */
export const WITHOUT_MUTANT: readonly string[] = [];
