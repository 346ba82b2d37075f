/**
 * Links memories to those that introduce what they name, within one commit of their scope. Both
 * sides note the link, so that it is gone with either.
 */
import { scopeKey } from '#core/scope-key.ts';
import type { Memory } from '#core/records/memory.ts';
import type { MemoryWrite } from './memory-ends-and-keys.ts';
import * as kinds from './record-kinds-and-indexes.ts';

/** Maximum memories that are linked to one. */
const MENTIONED_BY_MAX = 200;

/** Returns a new memory with links to those memories that exist, and notes it there. */
export async function withMentions(
  { transaction: { get, put } }: MemoryWrite,
  { mentions = [], ...memory }: Memory,
): Promise<Memory> {
  const linked: string[] = [];
  for (const id of mentions) {
    const other = await get(kinds.MEMORIES, [memory.tenant, id]);
    if (other === null || scopeKey(other) !== scopeKey(memory)) continue;
    const { mentionedBy = [] } = other;
    if (mentionedBy.length >= MENTIONED_BY_MAX) continue;
    put(kinds.MEMORIES, { ...other, mentionedBy: [...mentionedBy, memory.id] });
    linked.push(id);
  }
  return linked.length === 0 ? memory : { ...memory, mentions: linked };
}

/** Removes the links of a memory, in both directions, that is deleted or says something else. */
export async function removeMentions(
  { transaction: { get, put } }: MemoryWrite,
  { tenant, id, mentions = [], mentionedBy = [] }: kinds.StoredMemory,
): Promise<void> {
  const isOther = (each: string): boolean => each !== id;
  for (const by of mentionedBy) {
    const other = await get(kinds.MEMORIES, [tenant, by]);
    if (other?.mentions === undefined) continue;
    const { mentions: before, ...rest } = other;
    const left = before.filter(isOther);
    put(kinds.MEMORIES, left.length === 0 ? rest : { ...rest, mentions: left });
  }
  for (const of of mentions) {
    const other = await get(kinds.MEMORIES, [tenant, of]);
    if (other?.mentionedBy === undefined) continue;
    put(kinds.MEMORIES, { ...other, mentionedBy: other.mentionedBy.filter(isOther) });
  }
}
