/** Short names for what a dream shows a model: `s1`, `s2` over MEMORY.md and the daily blocks. */
import type { DreamQuestion } from '../ports/dream-model.ts';
import type { Source } from '../sources/source.ts';

export interface LabelledSource {
  readonly label: string;
  readonly source: Source;
}

export interface LabelledSources {
  readonly memory: readonly LabelledSource[];
  readonly daily: readonly LabelledSource[];
}

/** No number stands for two sources. */
export function labelledSources({ memory, daily }: DreamQuestion): LabelledSources {
  const labelled = [...memory, ...daily].map((source, index) => ({
    label: `s${String(index + 1)}`,
    source,
  }));
  return { memory: labelled.slice(0, memory.length), daily: labelled.slice(memory.length) };
}

/** Ids by label. */
export function idsByLabel(question: DreamQuestion): ReadonlyMap<string, string> {
  const { memory, daily } = labelledSources(question);
  return new Map([...memory, ...daily].map(({ label, source }) => [label, source.id]));
}
