/**
 * Checks what a failing disk left: every acknowledged write, and each other write whole or not at
 * all.
 */
import { sourceHashOf } from '#core/hash.ts';
import type { MemoryConditions } from '#core/search/scope-search.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Store } from '#core/ports/store.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { idOf, NOW, userScope } from '../conformance/samples.ts';
import {
  contentOf,
  memoryFor,
  TENANT,
  uniqueWordOf,
  WRITES,
  type Wanted,
} from './storage-script.ts';

/** What the workload said of its writes, by their numbers. */
export interface Told {
  readonly acknowledged: ReadonlySet<number>;
}

const CONDITIONS: MemoryConditions = {
  now: NOW,
  latestOnly: true,
  tags: [],
  filter: null,
  kind: null,
};
const SOURCES_MAX = 1_000;
/** Two vectors of 32-bit floats of the same text. */
const COSINE_MIN = 0.9999;
const GONE = null;

/** One finding a line; empty where all is as it should be. */
export async function findingsOf(file: string, told: Told): Promise<readonly string[]> {
  const platform = { ...createPlatform(), clock: () => NOW };
  const analyzer = createTextAnalyzer();
  await using store = await openSqliteStore({ file, platform, analyzer });
  const { findings: sick } = await store.health();
  const findings = [...sick];
  for (const [n, may] of possibleEnds(told)) {
    const memory = await store.memories.get(TENANT, idOf(n));
    const found = may.find((each) => isAs(memory, each, n));
    if (found === undefined) {
      findings.push(`memory ${String(n)} is "${memory?.content ?? 'absent'}"`);
      continue;
    }
    if (found !== GONE) findings.push(...(await unfindable(store, { n, round: found })));
    const others = may.filter((each) => each !== found && each !== GONE);
    for (const round of others) {
      if (round !== GONE && (await isFoundByWord(store, { n, round }))) {
        findings.push(`memory ${String(n)} is found by the words of round ${String(round)}`);
      }
    }
  }
  findings.push(...(await countsOff(store)));
  return findings;
}

/** The rounds that each memory may end in: what was acknowledged last, or was begun after it. */
function possibleEnds({ acknowledged }: Told): ReadonlyMap<number, readonly (number | null)[]> {
  const ends = new Map<number, (number | null)[]>();
  for (const [number, write] of WRITES.entries()) {
    for (const { n, round } of write.wanted) {
      const end = write.kind.startsWith('Delete') ? GONE : round;
      if (acknowledged.has(number)) ends.set(n, [end]);
      else ends.set(n, [...(ends.get(n) ?? [GONE]), end]);
    }
  }
  return ends;
}

function isAs(memory: Memory | null, round: number | null, n: number): boolean {
  if (memory === null || round === GONE) return memory === null && round === GONE;
  const isTagged = memory.tags.length === 1 && memory.tags[0] === `round-${String(round)}`;
  return memory.content === contentOf({ n, round }) && isTagged && memory.vector !== null;
}

/** Words, vector and history of a memory that is there. */
async function unfindable(store: Store, wanted: Wanted): Promise<readonly string[]> {
  const findings: string[] = [];
  if (!(await isFoundByWord(store, wanted))) findings.push('is not found by its words');
  const { vector, embeddingGeneration } = await memoryFor(wanted);
  const { candidates } = await store.memories.search(userScope(TENANT), {
    conditions: CONDITIONS,
    terms: null,
    vectors: [{ generation: embeddingGeneration ?? '', vector: vector ?? [] }],
    limit: 1,
  });
  const [nearest] = candidates;
  if (nearest?.memory.id !== idOf(wanted.n) || (nearest.cosine ?? 0) < COSINE_MIN) {
    findings.push('is not the nearest to its own vector');
  }
  const [newest] = await store.memories.history(
    { tenant: TENANT, id: idOf(wanted.n) },
    { beforeVersion: null, limit: 1 },
  );
  const memory = await store.memories.get(TENANT, idOf(wanted.n));
  if (newest?.version !== memory?.version) findings.push('has a history of another version');
  return findings.map((finding) => `memory ${String(wanted.n)} ${finding}`);
}

async function isFoundByWord(store: Store, wanted: Wanted): Promise<boolean> {
  const { candidates } = await store.memories.search(userScope(TENANT), {
    conditions: CONDITIONS,
    terms: createTextAnalyzer().terms(uniqueWordOf(wanted)),
    vectors: [],
    limit: 1,
  });
  const [best] = candidates;
  return best?.memory.content === contentOf(wanted);
}

async function countsOff(store: Store): Promise<readonly string[]> {
  const scope = await store.scopes.get(userScope(TENANT));
  const page = { after: null, limit: SOURCES_MAX, now: NOW };
  const sources = await store.scopes.sources(userScope(TENANT), page);
  const bytes = sources.reduce((sum, source) => sum + source.bytes, 0);
  const findings: string[] = [];
  if (scope.sourceCount !== sources.length) findings.push('the count of the scope is off');
  if (scope.sourceBytes !== bytes) findings.push('the bytes of the scope are off');
  const { digest } = createPlatform();
  if (scope.sourceHash !== sourceHashOf(digest, sources)) findings.push('the hash is off');
  return findings;
}
