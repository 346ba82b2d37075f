/** One call of a mem0 client, and the owner of its memories. */
import { VarveError } from '#core/errors.ts';
import type { Identifiers } from '#core/identifiers.ts';
import type { Layer } from '#core/layer.ts';
import type { Filter } from '#core/search/filter.ts';
import type { Library } from '../library.ts';
import type { ApiPorts } from '../api-ports.ts';
import { authorize, type Principal } from '../authorize.ts';
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
  /** The operations, as this caller. */
  readonly calls: Library;
  /** By the names in braces of the path. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined where none was sent. */
  readonly body: unknown;
}

/** What may narrow a search or a list, beside the entities. */
interface Selecting extends AskedEntities {
  readonly filters?: unknown;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly categories?: readonly string[] | null | undefined;
}

/**
 * What to ask the table for, one call each. A key that is bound to identifiers speaks of those
 * where the call names none.
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
 * The entities of a new memory: those of its fields, and those of its filters, where the newest
 * clients send them.
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
 * The layer that a memory of these entities is kept in, and never another: an erasure of a person
 * reaches all that names that person.
 */
export function placeOf(entities: Entities): { layer: Layer; identifiers: Identifiers } {
  const [first] = given(entities);
  if (first === undefined) throw noEntity();
  const [name, id] = first;
  return { layer: ENTITIES[name].layer, identifiers: identifiersOf({ [name]: id }) };
}

/** Conditions of `memory.search` and `memory.list`. */
export function conditionsOf({ entities, tags, conditions }: Selection) {
  const named = given(entities);
  // One alone is the whole scope, whatever face wrote into it; several are those of one add.
  const together: Filter[] =
    named.length < 2
      ? []
      : named.map(([name, id]) => ({ field: `${ENTITIES_FIELD}.${name}`, eq: id }));
  const all = [...together, ...conditions];
  const [first] = all;
  const filter = all.length > 1 ? { and: all } : first;
  const { layer, identifiers } = placeOf(entities);
  return { identifiers, layers: [layer], tags: [...tags], filter };
}

function identifiersOf(entities: Entities): Identifiers {
  return Object.fromEntries(given(entities).map(([name, id]) => [ENTITIES[name].identifier, id]));
}

/** In the order in which one of them becomes the layer. */
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
