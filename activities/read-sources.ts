/** All live sources of a scope, read in pages. */
import { VarveError } from '#core/errors.ts';
import type { ScopeRecords } from '#core/ports/scope-records.ts';
import type { Scope } from '#core/scope.ts';
import type { Source } from '#core/sources/source.ts';

const PAGE_SIZE = 1_000;
/**
 * Sources of one scope: all of them are in memory while it is worked on. A larger scope is refused
 * with its size instead of half read.
 */
export const SOURCES_PER_SCOPE_MAX = 200_000;

/** @throws VarveError CONTENT_TOO_LONG for a scope beyond the bound. */
export async function readSources(
  scopes: ScopeRecords,
  scope: Scope,
  now: number,
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  let after: string | null = null;
  for (;;) {
    const page: readonly Source[] = await scopes.sources(scope, { after, limit: PAGE_SIZE, now });
    sources.push(...page);
    if (page.length < PAGE_SIZE) return sources;
    if (sources.length >= SOURCES_PER_SCOPE_MAX) {
      throw new VarveError('CONTENT_TOO_LONG', `A ${scope.layer} scope has too many sources.`, {
        details: { layer: scope.layer, sourcesMax: SOURCES_PER_SCOPE_MAX },
      });
    }
    after = page.at(-1)?.position ?? null;
  }
}
