/** Memories and their changes in the form that mem0's clients read. */
import { isPlainObject, type Metadata } from '#core/sources/metadata-limits.ts';
import type { ShownMemory } from '../schemas/shared-answers.ts';
import type { HistoryAnswer, ShownHit } from '../schemas/search.ts';
import {
  ENTITIES,
  ENTITIES_FIELD,
  ENTITY_NAMES,
  MOVED_FIELD,
  OWN_FIELDS,
  type Entities,
} from './filters.ts';

type Change = HistoryAnswer['changes'][number];

const EVENTS: Readonly<Record<Change['action'], string>> = {
  Added: 'ADD',
  Updated: 'UPDATE',
  United: 'UPDATE',
  Superseded: 'UPDATE',
  Restored: 'UPDATE',
  Deleted: 'DELETE',
};

/** Returns the last day on which a memory is found, from when it expires. */
function expirationDate(expiresAt: number): string {
  return isoTimeOf(expiresAt - 1).slice(0, '2027-01-31'.length);
}

export function mem0Memory({ metadata, ...memory }: ShownMemory) {
  const { [ENTITIES_FIELD]: _, ...own } = metadata;
  return {
    id: memory.id,
    memory: memory.content,
    ...entitiesOf({ ...memory, metadata }),
    hash: memory.contentHash,
    metadata: { ...own, ...movedOf(keptOf(metadata)) },
    categories: memory.tags,
    created_at: isoTimeOf(memory.createdAt),
    updated_at: isoTimeOf(memory.updatedAt),
    expiration_date: memory.expiresAt === null ? null : expirationDate(memory.expiresAt),
  };
}

export function mem0Hit({ memory, score }: ShownHit) {
  return memory === null ? [] : [{ ...mem0Memory(memory), score }];
}

/** Returns the entity of its layer, and those that it was added with. */
function entitiesOf({
  metadata,
  layer,
  scopeId,
}: Pick<ShownMemory, 'metadata' | 'layer' | 'scopeId'>) {
  const added = keptOf(metadata);
  return Object.fromEntries(
    ENTITY_NAMES.map((name) => {
      const id = ENTITIES[name].layer === layer ? scopeId : added[name];
      return [name, typeof id === 'string' ? id : null] as const;
    }),
  );
}

/** Returns the metadata that an update sets on an extracted memory, so that its own fields stay. */
export function keepMovedFields({ metadata: before }: ShownMemory, metadata: Metadata): Metadata {
  return withMovedFields(metadata, keptOf(before));
}

/**
 * Adds what an extracted memory keeps of its call: the entities, and beside them those fields of
 * the caller that have the name of one of its own.
 */
export function withMovedFields(metadata: Metadata, kept: Entities | Metadata): Metadata {
  const fields = Object.entries(metadata);
  const own = fields.filter(([name]) => !OWN_FIELDS.has(name));
  const moved = {
    ...movedOf(kept),
    ...Object.fromEntries(fields.filter(([name]) => OWN_FIELDS.has(name))),
  };
  const beside = Object.keys(moved).length > 0 ? { ...kept, [MOVED_FIELD]: moved } : kept;
  return { ...Object.fromEntries(own), [ENTITIES_FIELD]: beside };
}

function keptOf({ [ENTITIES_FIELD]: kept }: Metadata): Metadata {
  return isPlainObject(kept) ? kept : {};
}

function movedOf({ [MOVED_FIELD]: moved }: Metadata): Metadata {
  return isPlainObject(moved) ? moved : {};
}

/** Adds the entities that a memory was added with. */
export function withEntities(metadata: Metadata, entities: Entities): Metadata {
  return { ...metadata, [ENTITIES_FIELD]: entities };
}

/**
 * Returns the changes, oldest first. What a memory said after a change is what stood before the
 * next change of its words.
 *
 * @param changes the newest first
 * @param now what the memory says; null if it was deleted
 */
export function mem0History(changes: readonly Change[], now: string | null) {
  let after = now;
  const shown = changes.map((change) => {
    const { memoryId, version, layer, scopeId, action, at } = change;
    const said = change.before['content'];
    const isEnd = action === 'Deleted';
    const next = isEnd ? null : after;
    const before = typeof said === 'string' ? said : action === 'Added' || isEnd ? null : after;
    after = before;
    return {
      id: `${memoryId}/${String(version)}`,
      memory_id: memoryId,
      input: [],
      old_memory: before,
      new_memory: next,
      ...entitiesOf({ metadata: {}, layer, scopeId }),
      event: EVENTS[action],
      metadata: {},
      categories: [],
      created_at: isoTimeOf(at),
      updated_at: isoTimeOf(at),
    };
  });
  return shown.toReversed();
}

function isoTimeOf(at: number): string {
  return new Date(at).toISOString();
}
