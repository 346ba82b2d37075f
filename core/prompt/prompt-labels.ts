/** Short names for what a call shows a model: `i1`, `i2` of items, `s1`, `s2` of sources. */
import type { BatchItem, ModelBatch } from '../ports/model.ts';
import type { Source } from '../sources/source.ts';

export interface LabelledItem {
  readonly label: string;
  readonly item: BatchItem;
  readonly sources: readonly { readonly label: string; readonly source: Source }[];
}

/**
 * Sources are numbered over the whole batch: no number stands for two of them, so an item that
 * cites another's source is found out instead of citing one of its own by chance.
 */
export function labelledItems({ items }: ModelBatch): readonly LabelledItem[] {
  let numbered = 0;
  return items.map((item, index) => ({
    label: `i${String(index + 1)}`,
    item,
    sources: item.sources.map((source) => {
      numbered += 1;
      return { label: `s${String(numbered)}`, source };
    }),
  }));
}
