/**
 * Metadata as conditions need it: one entry for each scalar at each path that a filter can name
 * (core/search/filter.ts). Names may hold anything: here they are values and no field names.
 */
import { dateOf } from '#core/search/filter.ts';

import { orderedText } from './text-order.ts';

export interface MetadataField {
  /** Names joined by dots. */
  readonly path: string;
  /** A text as `orderedText` writes it. */
  readonly value: string | number | boolean;
  /** The time that a text names, where it names one. */
  readonly date: Date | null;
}

/** Longer paths are not named by any filter; a bound, since the names of a path add up. */
const PATH_LENGTH_MAX = 512;

export function metadataFields(metadata: Readonly<Record<string, unknown>>): MetadataField[] {
  const found = new Map<string, MetadataField>();
  const waiting: { path: string; value: unknown }[] = [{ path: '', value: metadata }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, value } = next;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      waiting.push(...below(path, value));
      continue;
    }
    const scalars: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (const scalar of scalars) {
      const field = fieldOf(path, scalar);
      if (field !== null) found.set(`${typeof scalar} ${path} ${String(scalar)}`, field);
    }
  }
  return [...found.values()];
}

function below(path: string, value: object): { path: string; value: unknown }[] {
  return Object.entries(value)
    .filter(([name]) => isNameable(name))
    .map(([name, inner]) => ({
      path: path === '' ? name : `${path}.${name}`,
      value: inner as unknown,
    }))
    .filter((inner) => inner.path.length <= PATH_LENGTH_MAX);
}

/** A filter splits its path at dots and refuses empty names and dollars. */
function isNameable(name: string): boolean {
  return name !== '' && !name.includes('.') && !name.startsWith('$');
}

function fieldOf(path: string, value: unknown): MetadataField | null {
  if (typeof value === 'number' || typeof value === 'boolean') return { path, value, date: null };
  if (typeof value !== 'string') return null;
  const at = dateOf(value);
  return { path, value: orderedText(value), date: at === null ? null : new Date(at) };
}
