/** The summaries of the scopes that a demo works on, read through the API one by one. */
import type { ScopeSummary } from '#api/summaries.ts';
import { PRECEDENCE } from '#core/layer.ts';
import type { ApiClient } from '../api-client.ts';
import type { IngestReport } from '../ingest-report.ts';

export async function readScopes(
  api: ApiClient,
  tenant: string,
  { scopes }: Pick<IngestReport, 'scopes'>,
): Promise<readonly ScopeSummary[]> {
  const read: ScopeSummary[] = [];
  for (const { layer, identifiers } of scopes.values()) {
    const { summaries } = await api.summary.list({ tenant, identifiers });
    const found = summaries.find(({ scope }) => scope.layer === layer);
    if (found !== undefined) read.push(found);
  }
  return read.toSorted((a, b) => PRECEDENCE[a.scope.layer] - PRECEDENCE[b.scope.layer]);
}

/** One name per scope, for people. */
export function scopeName({ scope }: Pick<ScopeSummary, 'scope'>): string {
  return `${scope.layer} ${scope.scopeId}`;
}
