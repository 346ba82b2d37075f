/**
 * Summaries, what they cite, and the commit that makes a new generation current; and segments:
 * facts about parts of large scopes, by the sources they were made from.
 */
import { VarveError } from '#core/errors.ts';
import {
  type SummaryCommit,
  type SummaryRecords,
  requireSegmentsPerCall,
  type SegmentRecords,
} from '#core/ports/scope-records.ts';
import type { Summary, Segment } from '#core/records/summary.ts';
import type { Scope } from '#core/scope.ts';
import { GENERAL } from '#core/variants/audience.ts';
import { equal, recordKey, type RecordKind } from './storage-driver.ts';
import * as kinds from './record-kinds-and-indexes.ts';
import { type StoreParts, scanPages } from './store-parts.ts';
import type { Transaction } from './retry-concurrent-writes.ts';
import { chunked } from '#core/chunks-and-pages.ts';

/**
 * Maximum audiences of a scope: the general one and its variants, even after their limit was
 * lowered.
 */
const AUDIENCES_MAX = 500;
/** Maximum segments deleted in the commit of an empty scope; further ones are deleted before it. */
const SEGMENTS_MAX = 400;

export function summaryRecords(parts: StoreParts): SummaryRecords {
  const { driver, writes } = parts;
  return {
    get: (scope, audience) => driver.get(kinds.SUMMARIES, [...kinds.scopeKeyOf(scope), audience]),
    list: (tenant, limit) => driver.scan(kinds.SUMMARIES, { where: equal({ tenant }), limit }),
    async commit(commit) {
      const { outcome, scope, summary } = commit;
      if (outcome === 'Generated' && summary === null) {
        throw new VarveError('INVALID_INPUT', 'The outcome Generated needs a summary; found none.');
      }
      if (outcome === 'Emptied' && (await hasManySegments(parts, scope))) {
        // Segments only save calls, and these are too many for one commit.
        await removeSegments(parts, scope);
      }
      return writes.run(kinds.SCOPES, kinds.scopeKeyOf(scope), (transaction) =>
        commitSummary(transaction, commit),
      );
    },
  };
}

/** Returns the sources that the current summaries of the scope cite, for any audience. */
export async function citedSources(
  scan: Transaction<kinds.StoredScope>['scan'],
  scope: Scope,
): Promise<ReadonlySet<string>> {
  const found = await scan(kinds.CITATIONS, { where: kinds.ofScope(scope), limit: AUDIENCES_MAX });
  return new Set(found.flatMap(({ sources }) => sources));
}

/** Whether an empty scope, unchanged since the decision, has more segments than a commit takes. */
async function hasManySegments(
  { driver }: StoreParts,
  scope: SummaryCommit['scope'],
): Promise<boolean> {
  const before = await driver.get(kinds.SCOPES, kinds.scopeKeyOf(scope));
  if ((before?.version ?? 0) !== scope.version - 1) return false;
  return (
    (await driver.count(kinds.SEGMENTS, kinds.ofScope(scope), SEGMENTS_MAX + 1)) > SEGMENTS_MAX
  );
}

async function commitSummary(
  transaction: Transaction<kinds.StoredScope>,
  { outcome, summary, scope, event }: SummaryCommit,
): Promise<boolean> {
  const { record: before, put, set, insert } = transaction;
  if ((before?.version ?? 0) !== scope.version - 1) return false;
  // Its audience was erased meanwhile.
  if (summary !== null && !(await hasReader(transaction, summary))) return false;
  switch (outcome) {
    case 'Generated':
      if (summary === null) break;
      // Variants were selected from the previous general summary.
      if (summary.audience === GENERAL) await removeSummaries(transaction, scope);
      put(kinds.SUMMARIES, summary);
      put(kinds.CITATIONS, citationsOf(summary));
      break;
    case 'Unchanged':
      await markChecked(transaction, scope);
      break;
    default:
      await removeSummaries(transaction, scope);
      await removeOf(transaction, kinds.VARIANTS, { scope, limit: AUDIENCES_MAX });
      await removeOf(transaction, kinds.SEGMENTS, { scope, limit: SEGMENTS_MAX });
  }
  set({ ...scope, forgottenBefore: forgottenAfter(before, scope) });
  insert(kinds.EVENTS, event);
  return true;
}

/** Whether a summary has a reader: everybody, or an audience with a variant of its own. */
async function hasReader(
  { get }: Transaction<kinds.StoredScope>,
  { audience, ...scope }: Summary,
): Promise<boolean> {
  return (
    audience === GENERAL ||
    (await get(kinds.VARIANTS, [...kinds.scopeKeyOf(scope), audience])) !== null
  );
}

/**
 * A recount omits expired sources: those that end before the next expiry that it found, or, if it
 * found none, those that have ended until now.
 */
function forgottenAfter(before: kinds.StoredScope | null, scope: SummaryCommit['scope']): number {
  const ended = Math.min(scope.nextExpiryAt ?? kinds.NEVER, (scope.checkedAt ?? 0) + 1);
  return Math.max(before?.forgottenBefore ?? 0, ended);
}

function citationsOf({ tenant, layer, scopeId, audience, facts }: Summary): kinds.Citations {
  const sources = [...new Set(facts.flatMap((fact) => fact.sources))];
  return { tenant, layer, scopeId, audience, sources };
}

async function markChecked(
  { get, put }: Transaction<kinds.StoredScope>,
  scope: SummaryCommit['scope'],
): Promise<void> {
  const general = await get(kinds.SUMMARIES, [...kinds.scopeKeyOf(scope), GENERAL]);
  if (general !== null) put(kinds.SUMMARIES, { ...general, checkedAt: scope.checkedAt ?? 0 });
}

/** Deletes the summaries of a scope, for all audiences, with their citations. */
export async function removeSummaries(
  { scan, delete: remove }: Transaction<kinds.StoredScope>,
  scope: Scope,
): Promise<void> {
  const found = await scan(kinds.CITATIONS, { where: kinds.ofScope(scope), limit: AUDIENCES_MAX });
  for (const { audience } of found) {
    remove(kinds.SUMMARIES, [...kinds.scopeKeyOf(scope), audience]);
    remove(kinds.CITATIONS, [...kinds.scopeKeyOf(scope), audience]);
  }
}

async function removeOf<R extends object>(
  { scan, delete: remove }: Transaction<kinds.StoredScope>,
  kind: RecordKind<R>,
  { scope, limit }: { readonly scope: Scope; readonly limit: number },
): Promise<void> {
  const found = await scan(kind, { where: kinds.ofScope(scope), limit });
  for (const record of found) remove(kind, recordKey(kind, record));
}

/** Segments written or removed in one commit; each holds some kilobytes of facts. */
const AT_ONCE = 100;

export function segmentRecords(parts: StoreParts): SegmentRecords {
  const { driver } = parts;
  return {
    async find(scope, ids) {
      requireSegmentsPerCall(ids);
      const keys = [...new Set(ids)].map((id) => [...kinds.scopeKeyOf(scope), id]);
      const found = await driver.getMany(kinds.SEGMENTS, keys);
      return found.flatMap((segment) => (segment === null ? [] : [segment]));
    },
    list: (scope, { after, limit }) =>
      driver.scan(kinds.SEGMENTS, {
        where: [...kinds.ofScope(scope), ['segmentId', '>', after]],
        limit,
      }),
    put: (segments) => putSegments(parts, segments),
    keepOnly: (scope, ids) => removeSegments(parts, scope, ids),
  };
}

async function putSegments({ writes }: StoreParts, segments: readonly Segment[]): Promise<void> {
  requireSegmentsPerCall(segments);
  const byScope = Map.groupBy(segments, (segment) => JSON.stringify(kinds.scopeKeyOf(segment)));
  for (const group of byScope.values()) {
    for (const some of chunked(group, AT_ONCE)) {
      const [first] = some;
      if (first === undefined) continue;
      await writes.run(kinds.SCOPES, kinds.scopeKeyOf(first), async ({ record, get, put }) => {
        // The scope was erased while the segments were made.
        if (record === null) return;
        for (const segment of some) {
          const known = await get(kinds.SEGMENTS, [
            ...kinds.scopeKeyOf(segment),
            segment.segmentId,
          ]);
          if (known === null) put(kinds.SEGMENTS, segment);
        }
      });
    }
  }
}

/** Removes every segment of a scope but these. */
export async function removeSegments(
  { driver, writes }: StoreParts,
  scope: Scope,
  kept: readonly string[] = [],
): Promise<void> {
  const stays = new Set(kept);
  const scan = { where: kinds.ofScope(scope), order: ['segmentId'], limit: AT_ONCE };
  for await (const page of scanPages(driver, kinds.SEGMENTS, scan)) {
    const going = page.filter(({ segmentId }) => !stays.has(segmentId));
    if (going.length === 0) continue;
    await writes.run(kinds.SCOPES, kinds.scopeKeyOf(scope), (transaction) => {
      for (const { segmentId } of going) {
        transaction.delete(kinds.SEGMENTS, [...kinds.scopeKeyOf(scope), segmentId]);
      }
    });
  }
}
