/**
 * Adds a memory that repeats one of the scope. The repeat counts as the newest statement: it
 * supersedes what has replaced the memory since, or gives the memory its later time.
 */
import type { Written } from '#core/ports/memory-provider.ts';
import type { AddRules, ItemOutcome } from '#core/ports/write-rules-and-outcomes.ts';
import { comparedMemory } from '#core/recall/compared-memory.ts';
import { outdatedMemories } from '#core/recall/outdated-memories.ts';
import type { Memory } from '#core/records/memory.ts';
import { isSaidLater, repeatedMemory } from '#core/sources/repeated-memory.ts';
import { addChunk, type Chunk } from './add-chunk.ts';
import type { Call } from './measured-call.ts';
import type { ProviderParts } from './provider-parts.ts';
import type { ProviderPorts } from './provider-ports.ts';

/**
 * Maximum memories to compare a repeat with, newest first. One that older ones have replaced gets
 * its later time like one that still holds.
 */
const COMPARED_MAX = 100;
const LIVE = { latestOnly: true, tags: [], filter: null, kind: null } as const;

/**
 * Returns the outcome of a memory whose text the scope has already.
 * @param known the memory with that text, as the first write left it
 */
export async function addRepeated(
  parts: ProviderParts,
  call: Call,
  { memory, known, rules, state }: Pick<Chunk, 'rules' | 'state'> & Compared,
): Promise<ItemOutcome<Written> | undefined> {
  const isReplaced = await isReplacedSince(parts.ports, call, { memory, known }, rules);
  if (!isReplaced && !isSaidLater(known, memory, rules.now)) return undefined;
  const { supersedes = [] } = rules;
  const again: AddRules = isReplaced
    ? { ...rules, supersedes: [...supersedes, known.id] }
    : { ...rules, isSaidAgain: true };
  const { tags, metadata } = repeatedMemory(known, memory, { now: rules.now, isSaidAgain: false });
  const said = { ...memory, tags, metadata };
  const [outcome] = await addChunk(parts, call, { memories: [said], rules: again, state });
  return outcome;
}

interface Compared {
  readonly memory: Memory;
  readonly known: Memory;
}

/** Whether something that was said between the two ends what they say. */
async function isReplacedSince(
  { store, analyzer }: ProviderPorts,
  { tenant, retried }: Call,
  { memory, known }: Compared,
  { now }: AddRules,
): Promise<boolean> {
  if (memory.validFrom <= known.validFrom) return false;
  const { layer, scopeId } = memory;
  const query = {
    scopes: [{ tenant, layer, scopeId }],
    conditions: { ...LIVE, now },
    order: 'newest',
    after: null,
    limit: COMPARED_MAX,
  } as const;
  const { memories } = await retried(() => store.memories.list(tenant, query));
  const older = comparedMemory(known, analyzer);
  return memories
    .filter(({ validFrom }) => validFrom > known.validFrom && validFrom <= memory.validFrom)
    .some((newer) => {
      const { outdated } = outdatedMemories([older, comparedMemory(newer, analyzer)]);
      return outdated.has(known.id);
    });
}
