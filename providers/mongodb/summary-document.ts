/** Summaries, each generation a document of its own; the scope says which are current. */
import type { Summary } from '#core/records/summary.ts';
import type { Scope } from '#core/scope.ts';

import { decodeRecord, encodeRecord, type Fields } from './record-document.ts';
import type { Current, ScopeDocument } from './scope-document.ts';
import type { Table } from './table.ts';

export interface SummaryDocument {
  readonly _id: Scope & { readonly audience: string; readonly id: string };
  readonly record: Fields;
  /** Ids of the sources that its facts rest on: the reverse of every citation. */
  readonly cited: readonly string[];
  readonly generatedAt: number;
}

export type SummaryDocuments = Table<SummaryDocument>;

const SHAPE = {
  name: 'summaries',
  key: ['tenant', 'layer', 'scopeId', 'audience', 'id'],
} as const;

export function summaryId(scope: Scope, { audience, id }: Pick<Current, 'audience' | 'id'>) {
  const { tenant, layer, scopeId } = scope;
  return { tenant, layer, scopeId, audience, id };
}

export function encodeSummary(summary: Summary): SummaryDocument {
  const { record } = encodeRecord<Summary>(SHAPE, summary);
  const cited = [...new Set(summary.facts.flatMap(({ sources }) => sources))];
  const { generatedAt } = summary;
  return { _id: summaryId(summary, summary), record, cited, generatedAt };
}

/** A generation does not change; when it was last checked stands with the scope. */
export function decodeSummary(document: SummaryDocument, { checkedAt }: Current): Summary {
  return { ...decodeRecord<Summary>(SHAPE, document), checkedAt };
}

/** Those of the sources that a current summary of the scope cites, for whatever audience. */
export async function citedBy(
  summaries: SummaryDocuments,
  scope: ScopeDocument,
  sourceIds: readonly string[],
): Promise<ReadonlySet<string>> {
  if (scope.summaries.length === 0 || sourceIds.length === 0) return new Set();
  const ids = scope.summaries.map((current) => summaryId(scope._id, current));
  const citing = { _id: { $in: ids }, cited: { $in: [...sourceIds] } };
  const found = await summaries.select(citing, { limit: ids.length, fields: ['cited'] });
  const cited = new Set(found.flatMap((summary) => summary.cited));
  return new Set(sourceIds.filter((id) => cited.has(id)));
}
