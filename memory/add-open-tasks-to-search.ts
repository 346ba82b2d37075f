/** Adds open tasks to what a search found, for a question such as `What's still open?`. */
import { comparedMemory, unended } from '#core/recall/outdated/outdated-memories.ts';
import { setsTask, TASK_SHARE } from '#core/extraction/open-tasks.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Scope } from '#core/scope.ts';
import type { Candidate, MemoryConditions, ScopeHits } from '#core/search/scope-search.ts';
import type { Call } from './measured-call.ts';
import type { ProviderPorts } from './provider-ports.ts';

/** Memories of all scopes to look for tasks in, newest first, and tasks to find among them. */
const READ_MAX = 500;
const TASKS_MAX = 50;
/** Longest memory that is read, in UTF-16 code units; a longer one is a document. */
const UNITS_MAX = 1_000;
/** Layers that have rules instead of tasks: `We must sign every contract`. */
const OF_RULES: ReadonlySet<string> = new Set(['org', 'company']);

/** Returns the answers of the scopes with their open tasks, whatever words these have. */
export async function withOpenTasks(
  ports: ProviderPorts,
  call: Call,
  {
    scopes,
    conditions,
    answers,
  }: {
    readonly scopes: readonly Scope[];
    readonly conditions: MemoryConditions;
    /** In the order of the scopes. */
    readonly answers: readonly ScopeHits[];
  },
): Promise<readonly ScopeHits[]> {
  const searched = scopes.filter(({ layer }) => !OF_RULES.has(layer));
  if (searched.length === 0) return answers;
  const tasks = await openTasks(ports, call, { scopes: searched, conditions });
  return answers.map((answer, at) => {
    const own = tasks.filter(({ layer }) => layer === scopes[at]?.layer);
    return { ...answer, candidates: raised(answer.candidates, own) };
  });
}

async function openTasks(
  { store, analyzer }: ProviderPorts,
  { tenant, retried }: Call,
  { scopes, conditions }: { scopes: readonly Scope[]; conditions: MemoryConditions },
): Promise<readonly Memory[]> {
  const query = {
    scopes,
    conditions: { ...conditions, latestOnly: true },
    order: 'newest',
    after: null,
    limit: READ_MAX,
  } as const;
  const { memories } = await retried(() => store.memories.list(tenant, query));
  const read = memories.filter(({ content }) => content.length <= UNITS_MAX);
  const begun = read.filter(({ validFrom }) => validFrom <= conditions.now);
  const tasks = read.filter(({ content }) => setsTask(content)).slice(0, TASKS_MAX);
  const [some, all] = [tasks, begun].map((each) =>
    each.map((memory) => comparedMemory(memory, analyzer)),
  );
  const open = new Set(unended(some ?? [], all ?? []).map(({ id }) => id));
  return tasks.filter(({ id }) => open.has(id));
}

function raised(candidates: readonly Candidate[], tasks: readonly Memory[]): readonly Candidate[] {
  const found = new Map(candidates.map((each) => [each.memory.id, each]));
  for (const memory of tasks) {
    const known = found.get(memory.id) ?? { memory, cosine: null, generation: null, keyword: null };
    const keyword = TASK_SHARE + (1 - TASK_SHARE) * (known.keyword ?? 0);
    found.set(memory.id, { ...known, keyword });
  }
  return [...found.values()];
}
