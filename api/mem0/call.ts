/** One call of a mem0 client, and the owner of its memories. */
import { VarveError } from '#core/errors.ts';
import type { Identifiers } from '#core/identifiers.ts';
import type { Layer } from '#core/layer.ts';
import type { Filter } from '#core/search/filter.ts';
import type { Library } from '../library.ts';
import type { ApiPorts } from '../api-ports.ts';
import { authorize, type Principal } from '../principal.ts';
import {
  ENTITIES,
  ENTITIES_FIELD,
  ENTITY_NAMES,
  selectionsOf,
  type Entities,
  type EntityName,
  type Selection,
} from './filters.ts';
import type { AskedEntities } from './request-bodies.ts';

export interface Mem0Call {
  readonly ports: ApiPorts;
  readonly principal: Principal;
  readonly tenant: string;
  /** The operations, called as this caller. */
  readonly calls: Library;
  /** Values of the names in braces in the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined if none was sent. */
  readonly body: unknown;
}

/** What may narrow a search or a list, besides the entities. */
interface Selecting extends AskedEntities {
  readonly filters?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly categories?: readonly string[] | null | undefined;
}

/**
 * Returns what to ask the operations for, one call each. If the call names no entities, a bound key
 * speaks of its own.
 * @throws VarveError INVALID_INPUT, MISSING_IDENTIFIER, FORBIDDEN
 */
export function selectionsFor(call: Mem0Call, asked: Selecting): readonly Selection[] {
  const { filters, metadata, categories } = asked;
  const parts = [
    namedEntities(asked),
    filters ?? {},
    metadata == null ? {} : { metadata },
    categories == null || categories.length === 0 ? {} : { categories: { in: categories } },
  ];
  return selectionsOf({ AND: parts }).map((selection) => ({
    ...selection,
    entities: entitiesOf(call, selection.entities),
  }));
}

/**
 * Returns the entities of a new memory: those in its fields and those in its filters, where the
 * newest clients send them.
 * @throws VarveError INVALID_INPUT, MISSING_IDENTIFIER, FORBIDDEN
 */
export function entitiesToAdd(call: Mem0Call, asked: Selecting): Entities {
  const [found, ...more] = selectionsOf({ AND: [namedEntities(asked), asked.filters ?? {}] });
  if (found === undefined || more.length > 0 || found.tags.length + found.conditions.length > 0) {
    const message = 'filters: a new memory takes one id of each entity, such as user_id, alone.';
    throw new VarveError('INVALID_INPUT', message);
  }
  return entitiesOf(call, found.entities);
}

/**
 * Returns the one layer in which a memory of these entities is kept: an erasure of a person must
 * reach everything that names that person.
 */
export function placeOfEntities(entities: Entities): { layer: Layer; identifiers: Identifiers } {
  const [first] = given(entities);
  if (first === undefined) throw noEntity();
  const [name, id] = first;
  return { layer: ENTITIES[name].layer, identifiers: identifiersOf({ [name]: id }) };
}

/** Returns the conditions of `memory.search` and `memory.list`. */
export function searchConditionsOf({ entities, tags, conditions }: Selection) {
  const named = given(entities);
  // A single entity means its whole scope, whatever interface wrote to it; several mean memories
  // that were added with all of them.
  const together: Filter[] =
    named.length < 2
      ? []
      : named.map(([name, id]) => ({ field: `${ENTITIES_FIELD}.${name}`, eq: id }));
  const all = [...together, ...conditions];
  const [first] = all;
  const filter = all.length > 1 ? { and: all } : first;
  const { layer, identifiers } = placeOfEntities(entities);
  return { identifiers, layers: [layer], tags: [...tags], filter };
}

function identifiersOf(entities: Entities): Identifiers {
  return Object.fromEntries(given(entities).map(([name, id]) => [ENTITIES[name].identifier, id]));
}

/** Returns the given entities, in the order in which one of them becomes the layer. */
function given(entities: Entities): readonly (readonly [EntityName, string])[] {
  return ENTITY_NAMES.flatMap((name) => {
    const id = entities[name];
    return id === undefined ? [] : [[name, id] as const];
  });
}

/** @throws VarveError MISSING_IDENTIFIER, FORBIDDEN */
function entitiesOf({ principal, tenant }: Mem0Call, named: Entities): Entities {
  const { bound } = principal;
  const own = ENTITY_NAMES.flatMap((name) => {
    const id = bound[ENTITIES[name].identifier];
    return id === undefined ? [] : [[name, id] as const];
  });
  const entities: Entities = given(named).length > 0 ? named : Object.fromEntries(own);
  if (given(entities).length === 0) throw noEntity();
  authorize(principal, { tenant, identifiers: identifiersOf(entities) });
  return entities;
}

function namedEntities(asked: AskedEntities): Entities {
  return Object.fromEntries(
    ENTITY_NAMES.flatMap((name) => (asked[name] == null ? [] : [[name, asked[name]] as const])),
  );
}

function noEntity(): VarveError {
  const message = `Name one of ${ENTITY_NAMES.join(', ')}: memories are kept by them.`;
  return new VarveError('MISSING_IDENTIFIER', message, { details: { identifiers: ENTITY_NAMES } });
}
