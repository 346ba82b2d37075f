/**
 * Translates mem0's filters into those of the operations. `{ AND: [{ user_id: 'ann' }, { topic:
 * 'food' }] }` selects the memories of one user by a field of their metadata; `OR` over several
 * entities gives several selections, each a call of its own.
 */
import { VarveError } from '#core/errors.ts';
import type { Identifiers } from '#core/identifiers.ts';
import type { Layer } from '#core/layer.ts';
import type { Filter } from '#core/search/filter.ts';
import { EXTRACTION_FIELDS, isPlainObject } from '#core/sources/metadata-limits.ts';

/** mem0's entities, in the order in which one of them becomes the layer of a new memory. */
export const ENTITIES = {
  user_id: { identifier: 'userId', layer: 'user' },
  agent_id: { identifier: 'agentId', layer: 'agent' },
  app_id: { identifier: 'projectId', layer: 'project' },
  run_id: { identifier: 'sessionId', layer: 'session' },
} as const satisfies Record<string, { identifier: keyof Identifiers; layer: Layer }>;
export type EntityName = keyof typeof ENTITIES;
export const ENTITY_NAMES = Object.keys(ENTITIES) as readonly EntityName[];
export type Entities = Readonly<Partial<Record<EntityName, string>>>;

/** The field of a memory's metadata that holds the entities it was added with. */
export const ENTITIES_FIELD = 'mem0';

/** Fields that extraction sets itself; a caller's field with such a name is kept elsewhere. */
export const OWN_FIELDS: ReadonlySet<string> = new Set(EXTRACTION_FIELDS);
/** The key in `ENTITIES_FIELD` for those fields of a caller whose names extraction uses. */
export const MOVED_FIELD = 'metadata';

/** What one call of an operation selects. */
export interface Selection {
  readonly entities: Entities;
  /** A memory needs one of these; empty for any. */
  readonly tags: readonly string[];
  /** All of them must hold. The schema of the operation validates them. */
  readonly conditions: readonly Filter[];
}

export const SELECTIONS_MAX = 16;
const DEPTH_MAX = 6;
/** Maximum parts of one filter, or joined by one word. */
const PARTS_MAX = 32;
const COMPARISONS = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'nin', 'contains'] as const;
/** Fields of mem0 outside the metadata that Varve does not filter by. */
const NOT_FILTERED = new Set(
  'created_at updated_at timestamp expiration_date keywords memory_ids feedback'.split(' '),
);
const EVERYTHING: Selection = { entities: {}, tags: [], conditions: [] };

/** @throws VarveError INVALID_INPUT naming the part of the filters that is unknown here */
export function selectionsOf(filters: unknown): readonly Selection[] {
  return selected(filters, 0);
}

function selected(filters: unknown, depth: number): readonly Selection[] {
  if (depth > DEPTH_MAX) throw invalid(`expected at most ${String(DEPTH_MAX)} levels`);
  if (!isPlainObject(filters)) throw invalid('expected an object, such as { "user_id": "ann" }');
  const fields = Object.entries(filters);
  if (fields.length > PARTS_MAX) throw tooMany();
  return conjunction(
    fields.map(([name, value]) => {
      const parts = () => listOf(value, name).map((each) => selected(each, depth + 1));
      if (name === 'AND') return conjunction(parts());
      if (name === 'OR') return disjunction(parts().flat());
      if (name === 'NOT') return [negation(parts().flat())];
      return ofField(name, value);
    }),
  );
}

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  if (list.length === 0) throw invalid(`${name} expects at least one filter`);
  if (list.length > PARTS_MAX) throw tooMany();
  return list;
}

/**
 * Combines the choices of all parts in every way. A combination that names one entity with
 * different ids selects nothing.
 */
function conjunction(parts: readonly (readonly Selection[])[]): readonly Selection[] {
  return parts.reduce<readonly Selection[]>(
    (all, part) => bounded(all.flatMap((left) => part.flatMap((right) => both(left, right)))),
    [EVERYTHING],
  );
}

function both(left: Selection, right: Selection): readonly Selection[] {
  const isOneEntity = ENTITY_NAMES.every((name) => {
    const [one, other] = [left.entities[name], right.entities[name]];
    return one === undefined || other === undefined || one === other;
  });
  if (!isOneEntity) return [];
  if (left.tags.length > 0 && right.tags.length > 0) {
    throw invalid('expected categories once: one of them is enough for a memory to be found');
  }
  return [
    {
      entities: { ...left.entities, ...right.entities },
      tags: [...left.tags, ...right.tags],
      conditions: [...left.conditions, ...right.conditions],
    },
  ];
}

/** Returns one selection if only metadata is compared, otherwise one for each part. */
function disjunction(parts: readonly Selection[]): readonly Selection[] {
  if (!parts.every((part) => isPlain(part))) return bounded(parts);
  return [{ ...EVERYTHING, conditions: [{ or: parts.map(joined) }] }];
}

function negation(parts: readonly Selection[]): Selection {
  if (!parts.every((part) => isPlain(part))) {
    throw invalid('NOT is for fields of the metadata; name the entities and categories that are');
  }
  return { ...EVERYTHING, conditions: parts.map((part) => ({ not: joined(part) })) };
}

/** Whether a selection compares metadata and nothing else. */
function isPlain({ entities, tags, conditions }: Selection): boolean {
  return Object.keys(entities).length === 0 && tags.length === 0 && conditions.length > 0;
}

function joined({ conditions }: Selection): Filter {
  const [first] = conditions;
  return first !== undefined && conditions.length === 1 ? first : { and: conditions };
}

function ofField(name: string, value: unknown): readonly Selection[] {
  if (Object.hasOwn(ENTITIES, name)) return ofEntity(name as EntityName, value);
  if (name === 'categories') return [{ ...EVERYTHING, tags: textsOf(name, value, 'contains') }];
  if (name === 'metadata') {
    if (!isPlainObject(value)) throw invalid('metadata: expected an object');
    const fields = Object.entries(value);
    if (fields.length > PARTS_MAX) throw tooMany();
    const conditions = fields.flatMap(([key, each]) => conditionsOf(key, each));
    return [{ ...EVERYTHING, conditions }];
  }
  if (NOT_FILTERED.has(name)) {
    const known = [...ENTITY_NAMES, 'categories', 'metadata', 'AND', 'OR', 'NOT'].join(', ');
    throw invalid(`Varve does not filter by ${name}; known are ${known} and fields of metadata`);
  }
  return [{ ...EVERYTHING, conditions: conditionsOf(name, value) }];
}

function ofEntity(name: EntityName, value: unknown): readonly Selection[] {
  const ids = textsOf(name, value, 'eq');
  if (ids.includes('*')) throw invalid(`${name}: "*" is not known here; name the ids`);
  return bounded(ids.map((id) => ({ ...EVERYTHING, entities: { [name]: id } })));
}

/** Returns the texts of a value: a text, a list of them, `{ in: [...] }`, or one comparison. */
function textsOf(name: string, value: unknown, comparison: 'eq' | 'contains'): readonly string[] {
  const [entry, ...more] = isPlainObject(value)
    ? Object.entries(value)
    : [[comparison, value] as const];
  const isKnown = entry !== undefined && more.length === 0 && [comparison, 'in'].includes(entry[0]);
  const texts: readonly unknown[] = isKnown ? [entry[1]].flat() : [];
  if (texts.length === 0 || !texts.every((text) => typeof text === 'string' && text !== '')) {
    throw invalid(`${name}: expected a text, { "${comparison}": text } or { "in": [texts] }`);
  }
  return texts as readonly string[];
}

/** Compares a caller's field where it is kept: moved, or under its own name. */
function conditionsOf(name: string, value: unknown): readonly Filter[] {
  const plain = comparisonsOf(name, value);
  if (!OWN_FIELDS.has(name)) return plain;
  const field = `${ENTITIES_FIELD}.${MOVED_FIELD}.${name}`;
  const moved = comparisonsOf(field, value);
  return [{ or: [{ and: moved }, { and: [{ field, exists: false }, ...plain] }] }];
}

function comparisonsOf(field: string, value: unknown): readonly Filter[] {
  if (value === '*') return [{ field, exists: true }];
  if (value === null) return [{ field, exists: false }];
  if (Array.isArray(value)) return [{ field, in: value }];
  if (!isPlainObject(value)) return [{ field, eq: value } as Filter];
  const comparisons = Object.entries(value);
  const known: readonly string[] = COMPARISONS;
  if (comparisons.length === 0 || !comparisons.every(([each]) => known.includes(each))) {
    throw invalid(`a field of the metadata: expected one of ${COMPARISONS.join(', ')}`);
  }
  return comparisons.map(([comparison, other]): Filter => {
    if (comparison === 'nin') return { not: { field, in: other } as Filter };
    return { field, [comparison]: other };
  });
}

function bounded(selections: readonly Selection[]): readonly Selection[] {
  if (selections.length <= SELECTIONS_MAX) return selections;
  throw invalid(`expected at most ${String(SELECTIONS_MAX)} entities, joined by OR or in`);
}

function tooMany(): VarveError {
  return invalid(`expected at most ${String(PARTS_MAX)} conditions joined by one word`);
}

function invalid(problem: string): VarveError {
  return new VarveError('INVALID_INPUT', `filters: ${problem}.`);
}
