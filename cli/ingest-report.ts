/** What an import did, counted while it runs. */
import { IDENTIFIER_OF, type Identifiers } from '#core/identifiers.ts';
import type { Layer } from '#core/layer.ts';

export interface IngestTarget {
  readonly tenant: string;
  /** Where memories go whose input names no layer. */
  readonly projectId: string;
}

export interface IngestReport {
  added: number;
  updated: number;
  unchanged: number;
  turns: number;
  /** What was written to, by layer and identifier, in the order of first use. */
  readonly scopes: Map<string, { readonly layer: Layer; readonly identifiers: Identifiers }>;
  /** Ids of the memories that were added, in order, by key where the input gave one. */
  readonly memoryIds: Map<string, string>;
}

/** Counts a memory that was added, and the scope that it is in. */
export function noteMemory(
  report: IngestReport,
  { layer, identifiers }: { layer: Layer; identifiers: Identifiers },
  { id, key }: { id: string; key: string | null },
): void {
  report.added += 1;
  report.memoryIds.set(key ?? id, id);
  noteScope(report, layer, identifiers);
}

export function noteScope(report: IngestReport, layer: Layer, identifiers: Identifiers): void {
  const key = `${layer}/${identifiers[IDENTIFIER_OF[layer]] ?? ''}`;
  report.scopes.set(key, { layer, identifiers });
}
