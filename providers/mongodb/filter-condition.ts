/** Translates filters and conditions of searches and lists (core/search) to MongoDB's language. */
import type { FilterCondition, Filter, Scalar } from '#core/search/filter.ts';
import type { MemoryConditions } from '#core/search/scope-search.ts';
import type { Scope } from '#core/scope.ts';
import type { DocumentFilter } from './memory-documents.ts';
import { orderedText, partPattern } from './text-order.ts';

type Compared = Exclude<FilterCondition, { exists: boolean }>;

/** Returns the filter for the memories of a scope. */
export function scopeFilter({ tenant, layer, scopeId }: Scope): DocumentFilter {
  return { '_id.tenant': tenant, 'c.layer': layer, 'c.scopeId': scopeId };
}

/** Like `meetsConditions` (core/search/memory-conditions.ts), except for the memory's scope. */
export function conditionsFilter(conditions: MemoryConditions): DocumentFilter {
  const { now, latestOnly, tags, kind, filter } = conditions;
  return {
    'c.state': latestOnly ? 'active' : { $in: ['active', 'superseded'] },
    'c.hiddenAt': { $gt: now },
    ...(tags.length === 0 ? {} : { tags: { $in: [...tags] } }),
    ...(kind === null ? {} : { 'c.kind': kind }),
    ...(filter === null ? {} : { $and: [filterCondition(filter)] }),
  };
}

/** Returns the condition on a memory's document that is equivalent to `matchesFilter`. */
export function filterCondition(filter: Filter): DocumentFilter {
  if ('and' in filter) return { $and: filter.and.map(filterCondition) };
  if ('or' in filter) return { $or: filter.or.map(filterCondition) };
  if ('not' in filter) return { $nor: [filterCondition(filter.not)] };
  const path = filter.field;
  if ('exists' in filter) {
    const present = { fields: { $elemMatch: { path } } };
    return filter.exists ? present : { $nor: [present] };
  }
  return { fields: { $elemMatch: { path, ...valueMatch(filter) } } };
}

/** One and the same value must meet the whole condition. */
function valueMatch(condition: Compared): DocumentFilter {
  if ('eq' in condition) return equal(condition.eq);
  if ('ne' in condition) {
    const { ne } = condition;
    return typeof ne === 'object' ? { date: { $ne: dateAt(ne) } } : { value: { $ne: plain(ne) } };
  }
  if ('in' in condition) return { $or: condition.in.map(equal) };
  if ('contains' in condition) return containing(condition.contains);
  return bounded(condition);
}

function equal(wanted: Scalar): DocumentFilter {
  return typeof wanted === 'object'
    ? { date: { $eq: dateAt(wanted) } }
    : { value: { $eq: plain(wanted) } };
}

function containing(wanted: Scalar): DocumentFilter {
  if (typeof wanted !== 'string') return equal(wanted);
  // Not every server limits `$regex` to strings, or reads other operators beside it.
  return { $and: [{ value: { $gte: '' } }, { value: { $regex: partPattern(wanted) } }] };
}

function bounded(bounds: Readonly<Record<string, unknown>>): DocumentFilter {
  const value: Record<string, unknown> = {};
  const date: Record<string, unknown> = {};
  for (const name of ['gt', 'gte', 'lt', 'lte'] as const) {
    const bound = bounds[name] as Scalar | undefined;
    if (typeof bound === 'object') date[`$${name}`] = dateAt(bound);
    else if (bound !== undefined) value[`$${name}`] = plain(bound);
  }
  return {
    ...(Object.keys(value).length === 0 ? {} : { value }),
    ...(Object.keys(date).length === 0 ? {} : { date }),
  };
}

function plain(wanted: string | number | boolean): string | number | boolean {
  return typeof wanted === 'string' ? orderedText(wanted) : wanted;
}

function dateAt({ date }: { date: string }): Date {
  return new Date(Date.parse(date));
}
