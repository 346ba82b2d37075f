/** The `List` that `kubectl get -o yaml` prints for several resources, taken apart. */
import type { FieldPath } from './field.ts';
import type { SourceDocument } from './yaml-source.ts';

/** A document for each resource of a list, which keeps its place in the file. */
export function itemsOf(document: SourceDocument): readonly SourceDocument[] {
  const { value } = document;
  if (!isList(value)) return [document];
  return value.items.map((item, index) => {
    const inList = (path: FieldPath): FieldPath => ['items', index, ...path];
    return {
      file: document.file,
      value: item,
      placeOf: (path) => document.placeOf(inList(path)),
      placeOfKey: (path) => document.placeOfKey(inList(path)),
    };
  });
}

function isList(value: unknown): value is { readonly items: readonly unknown[] } {
  if (typeof value !== 'object' || value === null) return false;
  const { apiVersion, kind, items } = value as Readonly<Record<string, unknown>>;
  return apiVersion === 'v1' && kind === 'List' && Array.isArray(items);
}
