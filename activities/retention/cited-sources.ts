/** The sources by which it is judged what stays of old turns. */
import { VarveError } from '#core/errors.ts';
import type { ScopeRecords } from '#core/ports/scope-records.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Fact } from '#core/records/summary.ts';
import type { Source } from '#core/sources/source.ts';
import { readSources, SOURCES_PER_SCOPE_MAX } from '../read-sources.ts';

const PAGE_SIZE = 1_000;
/** Pages of one scope: ten million sources, fifty times what a summary is made of. */
const PAGES_MAX = 10_000;

export interface Citing {
  readonly record: ScopeRecord;
  readonly facts: readonly Fact[];
  /** Ids of the turns whose text is to go. */
  readonly ids: ReadonlySet<string>;
  readonly now: number;
}

/**
 * None where no fact cites one of the turns. Of a scope with more sources than are held at once
 * only those that such facts cite: names that others say are unknown then.
 * @throws VarveError CONTENT_TOO_LONG beyond ten million sources
 */
export async function citedSources(
  scopes: ScopeRecords,
  { record, facts, ids, now }: Citing,
): Promise<readonly Source[]> {
  const citing = facts.filter(({ sources }) => sources.some((id) => ids.has(id)));
  if (citing.length === 0) return [];
  if (record.sourceCount < SOURCES_PER_SCOPE_MAX) return readSources(scopes, record, now);
  const cited = new Set(
    citing.flatMap(({ sources, derived }) => [...sources, ...(derived?.ids ?? [])]),
  );
  return readSome(scopes, { record, cited, now });
}

async function readSome(
  scopes: ScopeRecords,
  { record, cited, now }: { record: ScopeRecord; cited: ReadonlySet<string>; now: number },
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  let after: string | null = null;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page: readonly Source[] = await scopes.sources(record, { after, limit: PAGE_SIZE, now });
    sources.push(...page.filter(({ id }) => cited.has(id)));
    if (page.length < PAGE_SIZE || sources.length === cited.size) return sources;
    after = page.at(-1)?.position ?? null;
  }
  throw new VarveError('CONTENT_TOO_LONG', 'A session has too many sources to be compacted.', {
    details: { sourcesMax: PAGES_MAX * PAGE_SIZE },
  });
}
